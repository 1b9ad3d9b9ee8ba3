// A browser whose hands are another program's: reads lines "ROLE<tab>NAME" and
// clicks what has that role and a name that holds NAME, as soon as it is there.
// Answers each with "ok" or "no REASON". The address is the first argument.

import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(process.argv[2]);
console.log('ok');
for await (const line of createInterface({ input: process.stdin })) {
  const [role, name] = line.split('\t');
  try {
    if (role === 'picture') await page.screenshot({ path: name });
    else await page.getByRole(role, { name }).first().click({ timeout: 20_000 });
    console.log('ok');
  } catch (e) {
    console.log('no', String(e).split('\n')[0]);
  }
}
await browser.close();
