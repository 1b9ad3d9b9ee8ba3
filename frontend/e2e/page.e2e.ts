// The page in a real browser, in front of the real program, with the demo agent.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pastePicture } from './paste.ts';
import { armed, missing, Program, startDemo, troubles } from './program.ts';

const program = new Program();
const pictures = process.env.PARLEY_PICTURES ?? '';

const card = (page: Page) => page.locator('[data-card]');
const option = (page: Page, n: number) => page.locator(`[data-option="${n}"]`);
const send = (page: Page) => page.getByRole('button', { name: /Send answer/ });
const settled = (page: Page) => page.locator('.quiet');
const say = (page: Page) => page.locator('[data-say]');
const message = (page: Page) => page.locator('.comp-text');

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Starts a quick demo over the API and goes to it. */
async function quickDemo(page: Page, prompt = 'Make a page'): Promise<string> {
  const id = await page.evaluate(async (prompt) => {
    const r = await fetch('/api/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent: 'demo', cwd: '', prompt, fast: true }),
    });
    return ((await r.json()) as { id: string }).id;
  }, prompt);
  await page.goto(`${program.url}/#/session/${id}`);
  await page.locator('.tl-frame').waitFor();
  return id;
}

describe.skipIf(missing !== '')(`the page${missing && ` (${missing})`}`, () => {
  beforeAll(() => program.start());
  afterEach(async () => {
    await program.closePages();
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(() => program.stop());

  it('leads from the first run to a question and its answer', async () => {
    const page = await program.open();
    await page.getByText('Start your first session').waitFor();
    await page.getByText('No sessions yet').waitFor();
    await picture(page, 'first-run');
    await startDemo(page);
    expect(await page.title()).toContain('(1)');
    expect(await page.locator('[aria-checked="true"]').count()).toBe(0);
    expect(await send(page).getAttribute('aria-disabled')).toBe('true');
    await picture(page, 'question');
    await armed(page);
    await option(page, 1).click();
    await send(page).click();
    await settled(page).getByText('Good day').waitFor();
    await page.getByText('What just happened').waitFor();
    await page.getByText(/greets people with “Good day”/).waitFor();
    await page.getByText(/^Done$/).waitFor();
    expect(await page.title()).not.toContain('(');
    await picture(page, 'answered');
    // It stays for ever, with all that was on offer.
    await page.reload();
    await settled(page).getByText('Good day').waitFor();
    await page.locator('.quiet-q').click();
    await settled(page).getByText('Welcome back').waitFor();
    await settled(page)
      .getByText(/^Asked .* · seen .* · answered .* · reached the agent .*$/)
      .waitFor();
  });

  it('takes an answer by keys once the card is focused, and none before', async () => {
    const page = await program.open();
    await quickDemo(page);
    await card(page).waitFor();
    await armed(page);
    await page.locator('body').press('1');
    await page.locator('body').press('Enter');
    expect(await page.locator('[aria-checked="true"]').count()).toBe(0);
    await page.keyboard.press('Control+j');
    await page.locator('.card.live').waitFor();
    await page.keyboard.press('3');
    expect(await option(page, 2).getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Enter');
    await settled(page).getByText('Welcome back').waitFor();
  });

  it('sends a choice and words together', async () => {
    const page = await program.open();
    await quickDemo(page);
    await armed(page);
    await option(page, 0).click();
    await option(page, 0).press('Tab');
    await page.keyboard.type('with 1 exclamation mark, no 2');
    await page.getByText('1 and your text').waitFor();
    await page.keyboard.press('Enter');
    await settled(page).getByText('Hello, world!. “with 1 exclamation mark, no 2”').waitFor();
  });

  it('forks a session, whose timeline begins with what was said before, also when the other one is gone', async () => {
    const page = await program.open();
    const origin = await quickDemo(page, 'say I like plums.');
    const told = page.locator('.tl-rows');
    await told.getByText('I like plums.', { exact: true }).waitFor();
    await page.locator('.head-tools').getByTitle('More').click();
    await page.getByRole('menuitem', { name: /^Fork/ }).click();
    const line = page.locator('.tl-origin');
    await line.getByText(/^Forked here from/).waitFor();
    const fork = page.url();
    expect(fork).not.toContain(origin);
    await message(page).fill('say And pears.');
    await message(page).press('Enter');
    await told.getByText('And pears.', { exact: true }).waitFor();
    const order = async () => {
      const text = await told.innerText();
      return ['I like plums.', 'Forked here from', 'And pears.'].map((part) => text.indexOf(part));
    };
    const places = await order();
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    await line.getByRole('link').click();
    await page.waitForURL(new RegExp(origin));
    await told.getByText('I like plums.', { exact: true }).waitFor();
    expect(await told.getByText('And pears.').count()).toBe(0);
    expect(
      await page.evaluate(
        (id) => fetch(`/api/sessions/${id}`, { method: 'DELETE' }).then((r) => r.status),
        origin,
      ),
    ).toBe(200);
    await page.goto(fork);
    await page.reload();
    await line.getByText('Forked here from a session that is gone').waitFor();
    await told.getByText('I like plums.', { exact: true }).waitFor();
    expect(await order()).toEqual([...(await order())].sort((a, b) => a - b));
  });

  it('closes without answering, and the agent says what it did not do', async () => {
    const page = await program.open();
    await quickDemo(page);
    await armed(page);
    await option(page, 0).click();
    await page.getByRole('button', { name: 'Close without answering' }).click();
    await settled(page).getByText('Closed without an answer').waitFor();
    await page.getByText('You did not answer.').waitFor();
    expect(await page.getByText('Changed files').count()).toBe(0);
  });

  it('keeps a draft over a reload and a change of session', async () => {
    const page = await program.open();
    const id = await quickDemo(page);
    await armed(page);
    const text = 'half of a thought, '.repeat(12);
    await say(page).fill(text);
    await option(page, 1).click();
    await page.goto(`${program.url}/#/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goto(`${program.url}/#/session/${id}`);
    expect(await say(page).inputValue()).toBe(text);
    await page.reload();
    await card(page).waitFor();
    expect(await say(page).inputValue()).toBe(text);
    expect(await option(page, 1).getAttribute('aria-checked')).toBe('true');
    // Another browser has it too, since the back end keeps it.
    const inbox = () =>
      page.evaluate(() => fetch('/api/interactions?state=waiting&limit=99').then((r) => r.text()));
    await expect.poll(inbox).toContain(text.trim());
    const other = await program.open();
    await other.goto(`${program.url}/#/session/${id}`);
    await card(other).waitFor();
    expect(await say(other).inputValue()).toBe(text);
    await page.getByRole('button', { name: 'Stop' }).click();
    await settled(page).getByText('Cancelled: you stopped the turn').waitFor();
    await page.getByText('Your draft here was not sent.').waitFor();
    await settled(other).getByText('Cancelled: you stopped the turn').waitFor();
  });

  it('accepts one answer of two browsers and shows it in both', async () => {
    const one = await program.open();
    const id = await quickDemo(one);
    const two = await program.open();
    await two.goto(`${program.url}/#/session/${id}`);
    await Promise.all([card(one).waitFor(), card(two).waitFor()]);
    await armed(one);
    await option(one, 0).click();
    await option(two, 2).click();
    // Both at the same moment; a click of the mouse would wait for what is gone by then.
    const press = (p: Page) =>
      p.evaluate(() => document.querySelector<HTMLElement>('[data-primary]')?.click());
    await Promise.all([press(one), press(two)]);
    await Promise.all([settled(one).waitFor(), settled(two).waitFor()]);
    const answers = await Promise.all([one, two].map((p) => p.locator('.quiet .a').innerText()));
    expect(answers[0]).toBe(answers[1]);
    expect(['Hello, world!', 'Welcome back']).toContain(answers[0]);
    // The second answer was refused, and nothing else.
    for (const t of troubles.splice(0)) expect(t).toMatch(/^409 .*\/answer$/);
  });

  it('takes no focus and no key from somebody who types', async () => {
    const page = await program.open();
    await page.goto(`${program.url}/#/`);
    await page.getByRole('button', { name: 'Start the demo' }).click();
    await message(page).click();
    const typed = 'yes 1 2 3 t ';
    let all = '';
    while (!(await card(page).isVisible())) {
      await page.keyboard.type(typed, { delay: 20 });
      all += typed;
    }
    await page.keyboard.type('and on', { delay: 20 });
    all += 'and on';
    expect(await message(page).inputValue()).toBe(all);
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('comp-text');
    expect(await page.locator('[aria-checked="true"]').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('.chip').getByText('and on').waitFor();
    expect(await card(page).isVisible()).toBe(true);
    // The queued message can be taken back before it goes out.
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.locator('.chip').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+.');
    await settled(page).getByText('Cancelled: you stopped the turn').waitFor();
  });

  it('gives more time, and the card shows the true end', async () => {
    const page = await program.open();
    await quickDemo(page);
    await armed(page);
    const left = () => page.locator('.card .left').innerText();
    expect(await left()).toMatch(/^[45]:/);
    await page.locator('[data-act="more"]').click();
    await expect.poll(left).toMatch(/^(9|10):/);
    await page.keyboard.press('Control+.');
    await settled(page).waitFor();
  });

  it('shows all that waits in the inbox and brings the next after an answer', async () => {
    const page = await program.open();
    await quickDemo(page);
    await card(page).waitFor();
    await quickDemo(page);
    await card(page).waitFor();
    await page.keyboard.press('Control+i');
    await page.getByText('1 of 2').waitFor();
    await picture(page, 'inbox');
    const first = await card(page).getAttribute('data-card');
    await armed(page);
    await option(page, 0).click();
    // A double click on Send: its second half must not reach the next card.
    await send(page).dblclick();
    await page.getByText('1 of 1').waitFor();
    expect(await card(page).getAttribute('data-card')).not.toBe(first);
    expect(await page.locator('[aria-checked="true"]').count()).toBe(0);
    await armed(page);
    await option(page, 1).click();
    await send(page).click();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('lets a command run only when it was allowed', async () => {
    const page = await program.open();
    await quickDemo(page, 'approve');
    await page.locator('.cmd').getByText('uname').waitFor();
    await armed(page);
    await page.keyboard.press('Control+j');
    await page.keyboard.press('Enter'); // decides nothing
    await say(page).fill('not today');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await settled(page).getByText('Denied').waitFor();
    await page.getByText(/so I did not run it/).waitFor();
    await message(page).fill('approve');
    await message(page).press('Enter');
    await card(page).waitFor();
    await armed(page);
    await page.getByRole('button', { name: 'Allow once' }).click();
    await settled(page).getByText('Allowed once').waitFor();
    await page.getByText(/You allowed/).waitFor();
  });

  it('takes pasted pictures along with a message and with an answer', async () => {
    const page = await program.open();
    const id = await quickDemo(page, 'say ready');
    await page.getByText('ready').last().waitFor();
    await pastePicture(page, '.comp-text', 'first.png');
    // Too large as it is: it is drawn smaller, and goes along all the same.
    await pastePicture(page, '.comp-text', 'large.png', 2400);
    await expect.poll(() => page.locator('.comp .thumbs img').count(), { timeout: 30_000 }).toBe(2);
    await page.getByRole('button', { name: 'Leave out first.png' }).click();
    await message(page).fill('Make a page');
    await message(page).press('Enter');
    await page.getByText('I see that you attached files (1).').waitFor();
    const shown = page.locator('.mine img');
    await expect.poll(() => shown.evaluate((el: HTMLImageElement) => el.naturalWidth)).toBe(2000);
    await card(page).waitFor();
    await pastePicture(page, '[data-say]', 'answer.png');
    await page.locator('.card .thumbs img').waitFor();
    await page.reload(); // a draft keeps its pictures
    await page.locator('.card .thumbs img').waitFor();
    await armed(page);
    await option(page, 1).click();
    await send(page).click();
    await settled(page).getByText('Good day').waitFor();
    const { cwd } = await page.evaluate(
      async (id) => (await (await fetch(`/api/sessions/${id}`)).json()) as { cwd: string },
      id,
    );
    const kept = readdirSync(join(cwd, '.parley', 'pictures'));
    expect(kept).toHaveLength(1);
    expect(
      readFileSync(join(cwd, '.parley', 'pictures', kept[0]!))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('fills in the form of a server', async () => {
    const page = await program.open();
    await quickDemo(page, 'elicit');
    await card(page).waitFor();
    await armed(page);
    await picture(page, 'elicitation');
    expect(await page.locator('[data-primary]').getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('textbox', { name: /Title of the page/ }).fill('Hello');
    await page.getByRole('radio', { name: 'green' }).click();
    await page.locator('[data-primary]').click();
    await page.getByText(/You filled in the form: title Hello, colour green/).waitFor();
  });

  it('follows the end of a long answer only while the reader is there', async () => {
    const page = await program.open();
    await quickDemo(page, 'long');
    await page.getByText(/Paragraph 200\./).waitFor();
    const timeline = page.locator('.tl');
    const fromEnd = () => timeline.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(5);
    // Only what is near the reader is drawn, but the search reaches all of it.
    await timeline.evaluate((el) => {
      el.scrollTop = 0;
    });
    await page.getByText('Paragraph 1.').waitFor();
    await message(page).fill('say the end');
    await message(page).press('Enter');
    await page.getByRole('button', { name: /new$/ }).waitFor();
    expect(await timeline.evaluate((el) => el.scrollTop)).toBeLessThan(200);
    await page.getByRole('button', { name: /new$/ }).click();
    await expect.poll(fromEnd).toBeLessThan(5);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('make a page with nothing');
    await page.getByText('0 of 0').waitFor();
    await page.keyboard.press('Escape');
  });

  it('says what happened when the agent dies, and what to do', async () => {
    const page = await program.open();
    await quickDemo(page, 'crash');
    await page.locator('.problem').first().waitFor();
    await picture(page, 'crash');
    expect(await page.locator('.problem-title').first().innerText()).not.toBe('');
  });

  it('goes on while a part of it cannot be loaded, and loads it once it can', async () => {
    const page = await program.open();
    let there = false;
    await page.route('**/assets/markdown-*.js', (route) => (there ? route.continue() : route.abort()));
    await startDemo(page);
    await page.locator('.prose p.plain').first().waitFor();
    await page.locator('.comp-text').fill('half of a thought');
    await page.waitForEvent('requestfailed', (r) => r.url().includes('/markdown-')); // it was tried once more
    expect(await page.locator('.comp-text').inputValue()).toBe('half of a thought');
    there = true;
    await page.locator('.prose p:not(.plain)').first().waitFor();
    expect(await page.locator('.comp-text').inputValue()).toBe('half of a thought');
    await armed(page);
    await page.getByRole('button', { name: 'Close without answering' }).click();
    await card(page).waitFor({ state: 'detached' });
  });

  it('says that the connection is lost, and goes on when it is back', async () => {
    const page = await program.open();
    await quickDemo(page);
    await armed(page);
    await page.context().setOffline(true);
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await page.getByText('Connection lost, trying again').waitFor();
    await option(page, 0).click();
    await send(page).click();
    await page.getByText(/Not sent: Parley lost its connection/).waitFor();
    expect(await option(page, 0).getAttribute('aria-checked')).toBe('true');
    await page.context().setOffline(false);
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    await armed(page);
    await page.getByRole('button', { name: /Try again/ }).click();
    await settled(page).getByText('Hello, world!').waitFor();
  });

  it('speaks Chinese and stays dark, from the first paint on', async () => {
    const page = await program.open({ locale: 'zh-CN', colorScheme: 'dark' });
    await quickDemo(page);
    await card(page).waitFor();
    expect(
      await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme]),
    ).toEqual(['zh-CN', 'dark']);
    await page.getByRole('button', { name: '发送回答' }).waitFor();
    await page.getByText('剩余').waitFor();
    await picture(page, 'zh-dark');
    await page.keyboard.press('Control+.');
    await settled(page).getByText('已取消：你停止了本轮').waitFor();
  });

  it('can be used on a phone', async () => {
    const page = await program.open({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await quickDemo(page);
    await card(page).waitFor();
    await page.goto(`${program.url}/#/inbox`);
    await page.locator('.item').first().tap();
    await armed(page);
    const row = await option(page, 0).boundingBox();
    expect(row!.height).toBeGreaterThanOrEqual(48);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await picture(page, 'phone-card');
    await option(page, 1).tap();
    await send(page).tap();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('passes an audit of accessibility and contrast, in both themes', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await program.open({ colorScheme });
      const id = await quickDemo(page);
      await card(page).waitFor();
      for (const place of [`session/${id}`, 'inbox', 'agents', 'settings', '', 'history']) {
        await page.goto(`${program.url}/#/${place}`);
        await page.locator('.main > *').first().waitFor();
        await page.evaluate(() =>
          Promise.all(
            document
              .getAnimations()
              .filter((a) => a.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
              .map((a) => a.finished.catch(() => {})),
          ),
        );
        // By hand and not as a script of the page, which its own policy would refuse.
        await page.evaluate(axe);
        const found = await page.evaluate(async () => {
          // biome-ignore lint/suspicious/noExplicitAny: axe is put in as text
          const result = await (window as any).axe.run(document, { resultTypes: ['violations'] });
          return result.violations.flatMap(
            (v: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
              v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary}`),
          );
        });
        expect(found, `${place} ${colorScheme}`).toEqual([]);
      }
      await page.goto(`${program.url}/#/session/${id}`);
      await page.getByRole('button', { name: 'Stop' }).click();
      await settled(page).waitFor();
    }
  });
});
