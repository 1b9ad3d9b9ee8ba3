// Photographs pages of the dev server: node dev/shoot.mjs OUTDIR NAME PATH [WxH] [dark] [zh] [script]
// The script runs in the page before the picture is taken.

import { chromium } from 'playwright-core';

const [out, name, path, size = '1280x800', ...rest] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const page = await browser.newPage({
  viewport: { width, height },
  colorScheme: rest.includes('dark') ? 'dark' : 'light',
  locale: rest.includes('zh') ? 'zh-CN' : 'en-US',
});
page.on('console', (m) => m.type() === 'error' && process.stderr.write(`console: ${m.text()}\n`));
page.on('pageerror', (e) => process.stderr.write(`page: ${e.stack}\n`));
await page.goto(`${process.env.BASE ?? 'http://127.0.0.1:5199'}${path}`);
await page.waitForSelector('.main > *, .sheet > *', { timeout: 20000 });
await page.waitForTimeout(1200);
const script = rest.find((r) => r.startsWith('js:'));
if (script) {
  await page.evaluate(script.slice(3));
  await page.waitForTimeout(600);
}
const press = rest.filter((r) => r.startsWith('key:'));
for (const k of press) {
  await page.keyboard.press(k.slice(4));
  await page.waitForTimeout(500);
}
await page.screenshot({ path: `${out}/${name}.png`, fullPage: rest.includes('full') });
await browser.close();
