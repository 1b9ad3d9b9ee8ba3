// A question that tries everything at once, in the list of the inbox and on its
// card, in a real browser: it stays text, inside its frame, and lets nothing out.

import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sceneOf } from '../dev/stage.ts';
import { faults } from './looks.ts';
import { browserArgs, browserPath } from './program.ts';
import { Stage } from './stage.ts';

const stage = new Stage();
let browser: Browser;

beforeAll(async () => {
  await stage.start();
  browser = await chromium.launch({ executablePath: browserPath, args: browserArgs });
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

const away = 'http://127.0.0.1:9'; // where nobody listens; a request would be seen all the same
const html = `<img src="${away}/html.png" onerror="window.hacked=1"><script>window.hacked=1</script><iframe src="${away}/f"></iframe><b>bold</b>`;
const markdown = `# System: approved\n\n![picture](${away}/md.png) [script](javascript:window.hacked=1) **bold** | a | b |`;
const bidi = `\u202egpj.exe\u2066 zero\u200bwidth\u00ad Z${'\u0300'.repeat(400)}`;
const terminal = '\u001b]0;title\u0007\u001b[31mred\u001b[0m\u001b[2J\u009b1m\u0000';
const imitates = 'Close without answering\n\n\n\n4:59 left\nParley asks';
const all = [html, markdown, bidi, terminal, imitates];

/** Goes elsewhere in the page; a load would begin the scene anew. */
function go(page: Page, hash: string): Promise<void> {
  return page.evaluate((h) => {
    location.hash = h;
  }, hash);
}

/** Puts one question in place of the scene's, with a text in every part of it. */
async function open(page: Page, text: string): Promise<void> {
  await page.goto(`${stage.url}/?cell=fresh#/settings`);
  await page.locator('.settings').waitFor();
  const scene = sceneOf(new URLSearchParams('cell=fresh'));
  const plain = scene.interactions[0]!;
  const short = text.slice(0, 500);
  stage.fixture.ask({
    ...plain,
    interaction_id: 'hostile',
    clarify_id: 'hostile',
    question: text,
    header: short.slice(0, 60),
    said_before: short,
    session_title: short,
    branch: short.slice(0, 200),
    plan_step: short.slice(0, 200),
    options: [
      { label: short, description: text.slice(0, 1000), preview: text.slice(0, 8000), recommended: true },
      { label: 'Send answer', description: short },
    ],
  });
  await go(page, '/inbox/hostile');
  await page.locator('[data-card="hostile"]').waitFor();
}

it('sets what is written from right to left that way, wherever it has a line to itself', async () => {
  const page = await browser.newPage();
  try {
    await page.goto(`${stage.url}/?cell=fresh#/settings`);
    await page.locator('.settings').waitFor();
    const plain = sceneOf(new URLSearchParams('cell=fresh')).interactions[0]!;
    stage.fixture.ask({
      ...plain,
      interaction_id: 'right',
      clarify_id: 'right',
      header: 'تحية',
      said_before: 'قرأت الملف.',
      question: 'איזו ברכה?',
      options: [
        { label: 'مرحبا بالعالم', description: 'نص مع Parley في الوسط.', recommended: true },
        { label: 'Hello', description: 'English beside it.' },
      ],
    });
    await go(page, '/inbox/right');
    const card = page.locator('[data-card="right"]');
    await card.waitFor();
    const ways = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((list) =>
          list.map((el) => `${getComputedStyle(el).direction} ${el.textContent?.slice(0, 5)}`),
        );
    const right = '[data-card="right"] ';
    expect(await ways(`${right}:is(.before, .tag, .q .lines)`)).toEqual([
      'rtl قرأت ',
      'rtl تحية',
      'rtl איזו ',
    ]);
    expect(await ways(`${right}.opt :is(.lab, .desc .lines)`)).toEqual([
      'rtl مرحبا',
      'rtl نص مع',
      'ltr Hello',
      'ltr Engli',
    ]);
    expect(await ways('.item[aria-current] .qq')).toEqual(['rtl איזו ']);
    // Label and description begin at the same edge.
    const edge = async (s: string) => {
      const box = (await card.locator(s).first().boundingBox())!;
      return Math.round(box.x + box.width);
    };
    expect(await edge('.desc .lines')).toBe(await edge('.lab'));
    await card.locator('[data-say]').fill('שלום');
    expect(await ways(`${right}[data-say]`)).toEqual([expect.stringMatching(/^rtl/)]);
  } finally {
    await page.close();
  }
});

it.each([
  ['all at once', all.join('\n')],
  ['4,000 characters of one word', 'x'.repeat(4000)],
  ['4,000 empty lines', `first${'\n'.repeat(3990)}last`],
  ['4,000 characters without a space, in Chinese', '字'.repeat(4000)],
])('%s stays text in inbox and card', async (_, text) => {
  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const context = await browser.newContext({
      viewport: size,
      isMobile: size.width < 600,
      hasTouch: size.width < 600,
    });
    try {
      const page = await context.newPage();
      const foreign: string[] = [];
      page.on('request', (r) => {
        if (!r.url().startsWith(stage.url) && !/^(data|blob):/.test(r.url())) foreign.push(r.url());
      });
      await open(page, text);
      const seen = await page.evaluate(() => {
        const card = document.querySelector('[data-card="hostile"]')!;
        const places = [card, ...document.querySelectorAll('.ilist .item, .rail')];
        return {
          made: places.flatMap((el) =>
            [
              ...el.querySelectorAll(
                'img, script, iframe, b:not(.grp b), h1, h2, table, a[href^="javascript"], a[href^="http:"]',
              ),
            ].map((e) => e.outerHTML.slice(0, 80)),
          ),
          text: `${document.title}\n${document.body.innerText}`,
          hacked: (window as { hacked?: number }).hacked,
          send: card.querySelectorAll('[data-primary]').length,
          chosen: card.querySelectorAll('[aria-checked="true"]').length,
        };
      });
      expect(seen.made.filter((m) => m.includes('127.0.0.1:9') || /^<(script|iframe|table)/.test(m))).toEqual(
        [],
      );
      expect(seen.hacked).toBeUndefined();
      expect([seen.send, seen.chosen]).toEqual([1, 0]);
      // Nothing that steers: neither the direction of text, nor a terminal.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(seen.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u0000\u0007\u001b\u009b]/);
      expect(seen.text).not.toMatch(/\u0300{5}/);
      expect(foreign).toEqual([]);
      // The frame stands: all of its buttons are in view, nothing sticks out.
      expect(await faults(page)).toEqual([]);
      // In the list it is one of many, whatever its length.
      await go(page, '/inbox');
      await page.locator('.ilist .item').first().waitFor();
      const item = (await page.locator('.ilist .item').first().boundingBox())!;
      expect(item.height).toBeLessThan(140);
      expect(item.x + item.width).toBeLessThanOrEqual(size.width);
    } finally {
      await context.close();
    }
  }
});
