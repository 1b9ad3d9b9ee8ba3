// Every state of the page, looked at by a program: readable for everyone, nothing
// out of sight, nothing that moves when a question comes. PARLEY_PICTURES=DIR
// takes all of them in all sizes, themes and languages and keeps them there, with
// a sheet for each state and size; else a few stand for the rest. PARLEY_VIEW=mcp and
// PARLEY_LOOK=900_dark take only some of them.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { question, second } from '../dev/make.ts';
import { colourFaults, faults } from './looks.ts';
import { pastePicture } from './paste.ts';
import { browserArgs, browserPath, until } from './program.ts';
import { Stage } from './stage.ts';
import { often, sizes, type View, views } from './views.ts';

const dir = process.env.PARLEY_PICTURES ?? '';
const only = process.env.PARLEY_VIEW ?? '';
const shown = views.filter((v) => (only ? v.id.startsWith(only) : dir || often.includes(v.id)));
const look = process.env.PARLEY_LOOK ?? '';

/** One page that is looked at in some themes, one after the other: nothing else changes with them. */
interface Look {
  size: (typeof sizes)[number];
  lang: 'en' | 'zh';
  themes: readonly ('light' | 'dark')[];
}
const all = sizes.flatMap((size) =>
  (['en', 'zh'] as const).map((lang) => ({
    size,
    lang,
    themes: (['light', 'dark'] as const).filter((theme) => `${size.width}_${theme}_${lang}`.includes(look)),
  })),
);
const few = sizes.map((size, n) => ({
  size,
  lang: n % 2 ? ('zh' as const) : ('en' as const),
  themes: [n % 2 ? ('dark' as const) : ('light' as const)],
}));
const looks: Look[] = dir ? all.filter((l) => l.themes.length > 0) : few;

const stage = new Stage();
let browser: Browser;

beforeAll(async () => {
  await stage.start();
  browser = await chromium.launch({
    executablePath: browserPath,
    args: browserArgs,
    env: { ...process.env, FONTCONFIG_FILE: join(import.meta.dirname, 'fonts.conf') },
  });
  if (dir) mkdirSync(dir, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});

/** Runs in the page before all else: an address with window=1 is shown as in the desktop window. */
const asWindow = `if (location.search.includes('window=1'))
  window.runtime = { BrowserOpenURL() {}, ClipboardSetText: async () => true };`;

function open(look: Look): Promise<BrowserContext> {
  const phone = look.size.width < 600;
  return browser.newContext({
    viewport: look.size,
    colorScheme: look.themes[0]!,
    locale: look.lang === 'zh' ? 'zh-CN' : 'en-US',
    reducedMotion: 'reduce',
    isMobile: phone,
    hasTouch: phone,
  });
}

/** Brings a page to a view. */
async function show(page: Page, view: View, lang: string): Promise<void> {
  // Nothing of the view before may be left: not its draft, not its question, and no
  // dialog, which an address that differs behind its # alone would leave open.
  await page.evaluate(() => localStorage.clear()).catch(() => {}); // the first page has none
  await page.goto('about:blank');
  await page.goto(
    `${stage.url}/?lang=${lang}&${view.query}${view.inWindow ? '&window=1' : ''}#/${view.hash}`,
  );
  await page.locator(view.wait).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.locator('.prose .plain').first().waitFor({ state: 'detached' });
  if (typeof view.act === 'function') return view.act(page);
  switch (view.act) {
    case 'focus':
      await page.keyboard.press('Control+j');
      return void (await page.locator('.card.live').waitFor());
    case 'send':
      return until(page, '[data-primary]', () => page.locator('.card.locked').count().then(Boolean));
    case 'refuse':
    case 'reject':
      return until(page, '[data-primary]', () => page.locator('.card .strip.bad').count().then(Boolean));
    case 'check':
      // Playwright clicks on nothing that is off; a person does.
      return expect
        .poll(
          async () => {
            await page.locator('[data-primary]').dispatchEvent('click');
            return page.locator('.help.bad').count();
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0);
    case 'unfold':
      return until(page, '.quiet-q', () => page.locator('.quiet-more').count().then(Boolean));
    case 'fold':
      return until(page, '.c-head button[aria-expanded]', () =>
        page.locator('.c-head [aria-expanded="false"]').count().then(Boolean),
      );
    case 'allow':
      return until(page, '[data-act="allow_once"]', () =>
        page.locator('[data-act="yes"]').count().then(Boolean),
      );
    case 'always':
      return until(page, '[data-act="allow_always"]', () =>
        page.locator('[data-act="yes"]').count().then(Boolean),
      );
    case 'picture':
      await pastePicture(page, '[data-say]', 'Screenshot.png');
      return void (await page.locator('.thumbs img').waitFor());
  }
}

describe.each(looks)('$size.width × $size.height, $lang, $themes', (look) => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await open(look);
    page = await context.newPage();
    await page.addInitScript(asWindow);
  });
  afterAll(() => context.close());

  it.each(shown)('$name', async (view) => {
    await page.emulateMedia({ colorScheme: look.themes[0]! });
    await show(page, view, look.lang);
    const found: string[] = [];
    for (const theme of look.themes) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      if (dir) {
        const name = `${view.id}_${look.size.width}_${theme}_${look.lang}.png`;
        await page.screenshot({ path: join(dir, name), animations: 'disabled' });
      }
      const what = await (theme === look.themes[0] ? faults(page) : colourFaults(page));
      found.push(...what.map((f) => `${theme}: ${f}`));
    }
    expect(found).toEqual([]);
  });
});

/** Where things stand that a person may be pointing at or writing in. */
function places(page: Page) {
  return page.evaluate(() => {
    const at = (selector: string) =>
      [...document.querySelectorAll(selector)].map((el) => {
        const { x, y, width, height } = el.getBoundingClientRect();
        return [selector, Math.round(x), Math.round(y), Math.round(width), Math.round(height)].join(' ');
      });
    const field = document.activeElement as HTMLTextAreaElement;
    return {
      stand: ['.sess', '.rail-find', '.head', '.comp', '.comp-text', '.stop', '.side section'].flatMap(at),
      focus: field.className,
      caret: [field.selectionStart, field.selectionEnd],
      text: field.value,
    };
  });
}

it.each([
  ['another session', 's-fee'],
  ['this session', 's-flaky'],
])('moves nothing and takes no focus when %s asks', async (_, asks) => {
  const context = await open({ size: sizes[0], lang: 'en', themes: ['light'] });
  try {
    const page = await context.newPage();
    await page.goto(`${stage.url}/#/session/s-flaky`);
    await page.locator('.comp-text').fill('half of a sentence');
    await page.locator('.comp-text').evaluate((el: HTMLTextAreaElement) => el.setSelectionRange(4, 7));
    await page.locator('.rail').hover();
    const before = await places(page);
    const title = await page.title();
    stage.fixture.ask(
      question(
        {
          interaction_id: 'q-now',
          clarify_id: 'q-now',
          session_id: asks,
          agent: 'pi',
          question: 'Which of them?',
        },
        250 * second,
      ),
    );
    await expect.poll(() => page.title()).not.toBe(title);
    if (asks === 's-flaky') await page.locator('[data-card="q-now"]').waitFor();
    const after = await places(page);
    expect(after).toEqual(before);
  } finally {
    await context.close();
  }
});

it('keeps half an answer through another session, theme, language and a reload', async () => {
  const context = await open({ size: sizes[0], lang: 'en', themes: ['light'] });
  try {
    const page = await context.newPage();
    const go = (hash: string) =>
      page.evaluate((h) => {
        location.hash = h;
      }, hash);
    await page.goto(`${stage.url}/#/inbox/q-drift`);
    const say = page.locator('[data-card="q-drift"] [data-say]');
    const text = 'half of a thought, '.repeat(16).slice(0, 300);
    await say.fill(text);
    const ticks = () => page.locator('[data-card="q-drift"] [aria-checked="true"]').count();
    for (const n of [0, 3]) {
      const row = page.locator(`[data-card="q-drift"] [data-option="${n}"]`);
      await until(
        page,
        `[data-option="${n}"]`,
        async () => (await row.getAttribute('aria-checked')) === 'true',
      );
    }
    const whole = async () => {
      await say.waitFor();
      expect([await say.inputValue(), await ticks()]).toEqual([text, 2]);
    };
    await go('/session/s-fee');
    await page.locator('.head h1', { hasText: 'Backfill fee rows' }).waitFor();
    await go('/settings');
    await page.locator('.seg label', { hasText: 'Dark' }).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.locator('.seg label', { hasText: '简体中文' }).click();
    await page.getByRole('heading', { name: '设置' }).waitFor();
    await go('/inbox/q-drift');
    await whole();
    await page.reload();
    await whole();
  } finally {
    await context.close();
  }
});

// The four looks of a state in one size beside each other, to be looked at.
describe.skipIf(!dir || look !== '')('sheets', () => {
  it.each(shown)('$name', async (view) => {
    const page = await browser.newPage();
    for (const { width } of sizes) {
      const each = width === 390 ? 390 : 780;
      const cells = ['light_en', 'dark_en', 'light_zh', 'dark_zh'].map(
        (l) => `<img src="${view.id}_${width}_${l}.png" width="${each}">`,
      );
      const html = `<meta charset="utf-8"><style>body{margin:8px;background:#888;font:16px Inter}div{display:flex;flex-wrap:wrap;gap:8px;margin-top:8px}</style>${view.name}, ${width}<div>${cells.join('')}</div>`;
      const path = join(dir, `sheet_${view.id}_${width}`);
      writeFileSync(`${path}.html`, html);
      await page.setViewportSize({ width: 1610, height: 600 });
      await page.goto(`file://${path}.html`);
      await page.screenshot({ path: `${path}.png`, fullPage: true });
      rmSync(`${path}.html`);
    }
    await page.close();
  });
});
