// What a screen reader is told: the accessibility tree that a real Chromium makes
// of the built page, in front of invented data.

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { question, second } from '../dev/make.ts';
import { armed, browserArgs, browserPath, until } from './program.ts';
import { Stage } from './stage.ts';

const stage = new Stage();
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  await stage.start();
  browser = await chromium.launch({ executablePath: browserPath, args: browserArgs });
});
afterAll(async () => {
  await browser?.close();
  await stage.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  page = await context.newPage();
  // As in the desktop window, where profiles can be changed.
  await page.addInitScript('window.runtime = { BrowserOpenURL() {}, ClipboardSetText: async () => true };');
});
afterEach(() => context.close());

async function show(query: string, hash: string, wait: string): Promise<void> {
  await page.goto(`${stage.url}/?${query}#/${hash}`);
  await page.locator(wait).first().waitFor();
}

/** The card as it is read, without what is of one moment only. */
const read = async () => (await page.locator('.card').ariaSnapshot()).replaceAll(/\d+:\d\d/g, 'TIME');

/** All that was said politely, line by line. */
const said = () => page.locator('body > [role="status"] > p').allInnerTexts();

const focused = () => page.evaluate(() => document.activeElement?.className ?? '');

it('reads a question with its options, what is chosen, and what can be done', async () => {
  await show('cell=fresh', 'inbox/g-fresh', '.card');
  const asked = 'Which back-off should the webhook sender use?';
  expect(await read()).toBe(`- region "Question from an agent":
  - text: "Claude Code asks · Webhook retries ~/src/ledger feat/webhooks · Step 2 of 4: choose how to retry TIME left until TIME"
  - button "Fold (Ctrl ↑)" [expanded]
  - paragraph: The sender gives up after three tries within a second. Receivers that restart miss events.
  - heading "${asked}" [level=2]:
    - paragraph: ${asked}
  - radiogroup "${asked}":
    - radio "Exponential with jitter Recommended":
      - text: 1 Exponential with jitter Recommended
      - paragraph: 1 s, 2 s, 4 s up to 5 min. Spreads load after an outage.
    - radio "Fixed, every 30 s":
      - text: 2 Fixed, every 30 s
      - paragraph: Easy to explain to customers.
  - textbox "Or say it yourself"
  - button "Add a picture (or paste one)"
  - button "Close without answering"
  - button "Add 5 min"
  - button "Send answer" [disabled]`);
  const second = page.getByRole('radio', { name: 'Fixed, every 30 s' });
  await until(page, '[data-option="1"]', async () => (await second.getAttribute('aria-checked')) === 'true');
  const now = await read();
  expect(now).toContain('radio "Fixed, every 30 s" [checked]');
  expect(now).toMatch(/button "Send answer"\n?$/m);
  expect(now).not.toContain('"Exponential with jitter Recommended" [checked]');
  // The reason of an option is heard with it, and is not a part of its name.
  const described = await second.evaluate(
    (el) => document.getElementById(el.getAttribute('aria-describedby')!)!.textContent,
  );
  expect(described).toBe('Easy to explain to customers.');
});

it('reads a risky request as one, in both steps', async () => {
  await show('cell=risky', 'inbox/g-risky', '.card');
  expect(await read()).toContain('region "Risky permission request from an agent"');
  await until(page, '[data-act="allow_once"]', () => page.locator('[data-act="yes"]').count().then(Boolean));
  expect((await said()).join()).toContain('may not be possible to undo');
  await page.keyboard.press('Tab'); // the focus is still in the card
  expect(await page.evaluate(() => document.activeElement?.closest('.card') !== null)).toBe(true);
});

it('reads every field of a form by its name, and what is wrong with it', async () => {
  await show('cell=elicitation', 'inbox/g-elicitation', '.card');
  const tree = await read();
  for (const part of [
    'region "Request from an MCP server"',
    'text: From the MCP server sentry, not from the agent itself',
    'textbox "Rule name"',
    'radiogroup "Environment"',
    'textbox "Errors per minute before it fires"',
    'button "Decline"',
    'button "Close without answering"',
  ]) {
    expect(tree).toContain(part);
  }
  const rate = page.getByRole('textbox', { name: 'Errors per minute before it fires' });
  expect(await rate.getAttribute('aria-required')).toBe('true');
  await rate.fill('many');
  expect(await rate.getAttribute('aria-invalid')).toBe('true');
  const why = await rate.evaluate(
    (el) => document.getElementById(el.getAttribute('aria-describedby')!)!.textContent,
  );
  expect(why).toMatch(/number/);
});

it('says politely that somebody asks, once, and moves no focus', async () => {
  await show('', 'session/s-flaky', '.comp-text');
  await page.locator('.comp-text').focus();
  // The place is known before anything is said there.
  const place = page.locator('body > [role="status"]');
  expect(await place.getAttribute('aria-live')).toBe('polite');
  expect(await said()).toEqual([]);
  for (const [n, agent] of ['pi', 'codex', 'claude'].entries()) {
    stage.fixture.ask(
      question(
        { interaction_id: `q${n}`, session_id: 's-fee', agent, question: `Which of them, ${n}?` },
        250 * second,
      ),
    );
  }
  await expect.poll(said).toEqual(['Pi asks: Which of them, 0?', '2 more wait']);
  await expect.poll(focused).toBe('comp-text');
});

it('gives the focus back where it was, from a card and from a dialog', async () => {
  await show('', 'session/s-idem', '.card');
  await page.locator('.comp-text').focus();
  await page.keyboard.press('Control+j');
  await page.locator('.card.live').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('comp-text');
  await page.keyboard.press('Control+j');
  await until(page, '[data-option="0"]', () =>
    page.locator('[data-option="0"][aria-checked="true"]').count().then(Boolean),
  );
  await page.keyboard.press('Enter');
  await page.locator('.card').waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('comp-text');

  await show('', 'settings', '.set-add');
  const edit = page.locator('.set-row', { hasText: 'work' }).getByRole('button', { name: 'Edit' });
  await edit.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Profile work' });
  await dialog.waitFor();
  await expect.poll(() => dialog.locator(':focus').count()).toBe(1);
  for (let n = 0; n < 20; n++) {
    await page.keyboard.press('Tab');
    // Past its end the focus is at the browser itself, never in the page behind.
    const behind = await page.evaluate(
      () => document.activeElement !== document.body && !document.activeElement?.closest('dialog'),
    );
    expect(behind).toBe(false);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => edit.evaluate((el) => el === document.activeElement)).toBe(true);
});

it('has one main region with one heading of the first rank on every page of a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const hash of ['', 'inbox', 'sessions', 'session/s-idem', 'history', 'agents', 'mcp', 'settings']) {
    await show('', hash, 'h1:visible');
    const [mains, headings] = await Promise.all([
      page.locator('main:visible').count(),
      page.locator('h1:visible').count(),
    ]);
    expect([hash, mains, headings]).toEqual([hash, 1, 1]);
  }
});

it('leaves the focus in the inbox, on nothing that acts, when the card under it goes', async () => {
  await show('scene=crowd', 'inbox', '.card');
  await page.locator('[data-say]').focus();
  await page.keyboard.type('half a wo');
  const id = await page.locator('.card').getAttribute('data-card');
  await fetch(`${stage.url}/api/interactions/${id}/answer`, {
    method: 'POST',
    body: JSON.stringify({ interaction_id: id, status: 'answered', text: 'from elsewhere' }),
  });
  await page.getByText('Settled meanwhile').waitFor();
  await expect.poll(focused).toBe('idet-settled');

  await show('cell=fresh', 'inbox', '.card');
  await armed(page);
  await page.locator('[data-say]').fill('the last one');
  await page.keyboard.press('Enter');
  await page.locator('.inbox-empty').waitFor();
  await expect.poll(focused).toBe('inbox-empty');
});

it('shows keys, focus and plan step in a window at 200 %, and none of them on a phone', async () => {
  const looks = async (p: Page) => {
    await p.goto(`${stage.url}/?cell=fresh#/inbox/g-fresh`);
    await p.locator('.card').waitFor();
    await p.keyboard.press('Control+j');
    await p.locator('.card.live').waitFor();
    const outline = await p.locator('.card').evaluate((el) => getComputedStyle(el).outlineStyle);
    const step = await p.getByText(/^Step 2 of 4/).isVisible();
    return { digits: await p.locator('[data-option] kbd:visible').count(), outline, step };
  };
  await page.setViewportSize({ width: 640, height: 400 });
  expect(await looks(page)).toEqual({ digits: 2, outline: 'solid', step: true });
  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  expect(await looks(await phone.newPage())).toEqual({ digits: 0, outline: 'none', step: false });
  await phone.close();
});

it('cuts no line of a preview', async () => {
  await page.setViewportSize({ width: 900, height: 600 });
  await show('cell=previews', 'inbox/g-previews', '.pv');
  await page.locator('[data-option="1"]').hover();
  const room = await page.locator('.pv').evaluate((el) => el.scrollWidth - el.clientWidth);
  expect(room).toBeGreaterThan(0);
  for (const line of await page.locator('.pv > div').all()) {
    expect(await line.evaluate((el) => el.scrollWidth - el.clientWidth)).toBe(0);
  }
});
