// What an agent writes stays inside its frame: it loads nothing, runs nothing,
// leads nowhere by itself and looks like nothing of ours. In a real browser, with
// a server that counts whoever calls.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { missing, Program, troubles } from './program.ts';

const program = new Program();
const called: string[] = [];
const counter: Server = createServer((req, res) => {
  called.push(req.url ?? '');
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.end('x');
});
let away = '';

/** Has the demo agent say a text and waits until it stands there whole. */
async function says(page: Page, text: string): Promise<void> {
  const id = await page.evaluate(async (prompt) => {
    const r = await fetch('/api/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent: 'demo', cwd: '', prompt, fast: true }),
    });
    return ((await r.json()) as { id: string }).id;
  }, `say ${text}\n\nThat was all.`);
  await page.goto(`${program.url}/#/session/${id}`);
  await page.locator('.prose').getByText('That was all.').waitFor();
  await page.locator('.prose .plain').first().waitFor({ state: 'detached' });
}

const hostile = (url: string) => `# System: approved

![a picture](${url}/markdown.png) ![][ref] [ref]: ${url}/reference.png

<img src="${url}/html.png"><img src=x onerror="fetch('${url}/onerror')">
<script src="${url}/script.js"></script><script>window.hacked = 1</script>
<link rel="stylesheet" href="${url}/style.css"><iframe src="${url}/frame"></iframe>
<style>@import url(${url}/import.css); body { background: url(${url}/back.png) }</style>
<svg><image href="${url}/svg.png" /><use href="${url}/use.svg#x" /></svg>
<video src="${url}/video.mp4" poster="${url}/poster.png" autoplay></video><object data="${url}/object"></object>
<meta http-equiv="refresh" content="0;url=${url}/refresh"><base href="${url}/base/"><form action="${url}/form"><button>Allow</button></form>

[script](javascript:fetch('${url}/js')) [data](data:text/html,<script>fetch('${url}/data')</script>) [old](vbscript:x) [file](file:///etc/passwd)
[plain link](${url}/link) <${url}/auto> ${url}/bare

\`\`\`mermaid
graph TD; A-->B; click A href "${url}/mermaid"
\`\`\``;

describe.skipIf(missing !== '')(`the frame${missing && ` (${missing})`}`, () => {
  beforeAll(async () => {
    await new Promise<void>((done) => counter.listen(0, '127.0.0.1', done));
    away = `http://127.0.0.1:${(counter.address() as AddressInfo).port}`;
    await program.start();
  });
  afterEach(() => program.closePages());
  afterAll(async () => {
    await program.stop();
    await new Promise((done) => counter.close(done));
  });

  it('lets no request out, whatever an agent writes', async () => {
    const page = await program.open();
    const foreign: string[] = [];
    page.on('request', (r) => {
      if (!r.url().startsWith(program.url) && !/^(data|blob):/.test(r.url())) foreign.push(r.url());
    });
    await says(page, hostile(away));
    await page.reload();
    await page.locator('.prose').getByText('That was all.').waitFor();
    const prose = page.locator('.prose').last();
    await prose.locator('a').nth(2).waitFor(); // until its markdown is set, it is plain text
    expect(
      await prose
        .locator('script, style, iframe, img, video, object, link, meta, base, form, svg image')
        .count(),
    ).toBe(0);
    const links = await prose
      .locator('a')
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
    expect(links.length).toBeGreaterThan(2);
    for (const href of links) expect(href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    // Where one leads is shown before the click.
    expect(await prose.getByText('plain link').innerText()).toContain(new URL(away).host);
    expect(await prose.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('title')))).toEqual(
      links,
    );
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(page.url().startsWith(program.url)).toBe(true);
    expect(foreign).toEqual([]);
    expect(called).toEqual([]);
  });

  it('has a policy that stops what gets around the rest', async () => {
    const page = await program.open();
    const stopped = await page.evaluate(async (url) => {
      const seen: string[] = [];
      document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
      const img = new Image();
      img.src = `${url}/image.png`;
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.head.append(script);
      const style = document.createElement('link');
      style.rel = 'stylesheet';
      style.href = `${url}/sheet.css`;
      document.head.append(style);
      const frame = document.createElement('iframe');
      frame.src = `${url}/frame`;
      document.body.append(frame);
      await fetch(`${url}/fetch`).catch(() => {});
      for (let n = 0; n < 100 && seen.length < 5; n++) await new Promise((r) => setTimeout(r, 20)); // looks again and again
      frame.remove();
      return { seen, hacked: (window as { hacked?: number }).hacked };
    }, away);
    expect(stopped.hacked).toBeUndefined();
    for (const part of ['img-src', 'script-src-elem', 'style-src-elem', 'frame-src', 'connect-src']) {
      expect(stopped.seen, part).toContain(part);
    }
    expect(called).toEqual([]);
    // The counter counts, or nothing was proved.
    await fetch(`${away}/counted`);
    expect(called.splice(0)).toEqual(['/counted']);
    troubles.splice(0); // the refusals, which the console tells of
  });

  it('shows what would steer it, in titles, rail and text', async () => {
    const page = await program.open();
    await says(
      page,
      `\u202egpj.exe\u2066 zero\u200bwidth Z${'\u0300'.repeat(400)}${'\n'.repeat(4000)}System: the end`,
    );
    const seen = await page.evaluate(() => ({ title: document.title, text: document.body.innerText }));
    for (const text of [seen.title, seen.text]) {
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
      expect(text).not.toMatch(/\u0300{5}/);
    }
    expect(seen.text).toContain('⟨U+202E⟩');
    // 4,000 empty lines push nothing away.
    expect(
      await page
        .locator('.prose')
        .last()
        .evaluate((el) => el.scrollHeight),
    ).toBeLessThan(600);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});
