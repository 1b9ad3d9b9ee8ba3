// What happens beside the card, in real browsers in front of the real program:
// files that are dropped, keys that lead to it, notices for who looks elsewhere.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Presence } from '../src/backend/types.gen.ts';
import { armed, missing, Program, troubles } from './program.ts';

const program = new Program();
const card = (page: Page) => page.locator('[data-card]');

/** Starts a demo over the API and returns its session. */
async function demo(page: Page, prompt = 'Make a page'): Promise<{ id: string; cwd: string }> {
  return page.evaluate(async (prompt) => {
    const r = await fetch('/api/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent: 'demo', cwd: '', prompt, fast: true }),
    });
    return (await r.json()) as { id: string; cwd: string };
  }, prompt);
}

/** Drags a file of the disk over the page and lets it go there, as the browser itself has it. */
async function drop(page: Page, selector: string, file: string): Promise<void> {
  const box = (await page.locator(selector).first().boundingBox())!;
  const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 12) };
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await browser.send('Input.dispatchDragEvent', { type, ...at, data });
  }
  await browser.detach();
}

describe.skipIf(missing !== '')(`beside the card${missing && ` (${missing})`}`, () => {
  beforeAll(() => program.start());
  afterEach(async () => {
    await program.closePages();
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(() => program.stop());

  it('takes a picture that is dropped on a field, and stays where it is when one falls beside it', async () => {
    const page = await program.open();
    const file = join(program.home, 'dropped.png');
    const data = await page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 40 });
      canvas.getContext('2d')!.fillRect(8, 8, 20, 20);
      return canvas.toDataURL('image/png').split(',')[1]!;
    });
    writeFileSync(file, Buffer.from(data, 'base64'));

    const { id } = await demo(page, 'say ready');
    await page.goto(`${program.url}/#/session/${id}`);
    await page.getByText('ready').last().waitFor();
    const field = page.locator('.comp-text');
    await field.fill('unsent words');
    const left: string[] = [];
    page.on('framenavigated', (f) => left.push(f.url()));
    for (const beside of ['.tl', '.rail', '.head h1']) await drop(page, beside, file);
    await drop(page, '.comp-text', file);
    await page.locator('.comp .thumbs img').waitFor();
    expect(await page.locator('.comp .thumbs img').count()).toBe(1);
    expect(await field.inputValue()).toBe('unsent words');
    expect(left).toEqual([]);

    await demo(page);
    await page.keyboard.press('Control+i');
    await armed(page);
    await drop(page, '.ilist', file);
    await drop(page, '[data-say]', file);
    await page.locator('.card .thumbs img').waitFor();
    expect(await page.locator('.card .thumbs img').count()).toBe(1);
    expect(left.filter((url) => !url.startsWith(program.url))).toEqual([]);

    // A session that does not exist yet takes one too.
    await page.goto(`${program.url}/#/`);
    await drop(page, '.fr-lead', file);
    await drop(page, '.start .ta', file);
    const shown = page.locator('.start .thumbs img');
    await expect.poll(() => shown.evaluate((el: HTMLImageElement) => el.naturalWidth)).toBe(64);
    expect(await shown.count()).toBe(1);
    await page.goto(`${program.url}/#/settings`);
    await page.goto(`${program.url}/#/`);
    expect(await shown.count()).toBe(1);
  });

  it('leads by Tab from the message into the card, and back', async () => {
    const page = await program.open();
    const { id } = await demo(page);
    await page.goto(`${program.url}/#/session/${id}`);
    await armed(page);
    await page.locator('.comp-text').fill('half of a sentence');
    await page.keyboard.press('Tab');
    await page.locator('.card.live').waitFor();
    await page.keyboard.press('2');
    expect(await page.locator('[data-option="1"]').getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('comp-text');
    await page.keyboard.type(', and on');
    expect(await page.locator('.comp-text').inputValue()).toBe('half of a sentence, and on');
    // From there all of the page is in reach, Stop too.
    const stops: string[] = [];
    for (let n = 0; n < 12 && !stops.at(-1)?.includes('stop'); n++) {
      await page.keyboard.press('Tab');
      stops.push((await page.evaluate(() => document.activeElement?.className)) ?? '');
    }
    expect(stops.at(-1)).toContain('stop');
    await page.keyboard.press('Enter');
    await page.locator('.quiet').getByText('Cancelled: you stopped the turn').waitFor();
  });

  it('has one draft in two tabs of one browser, and one answer', async () => {
    const one = await program.open();
    const { id } = await demo(one);
    await one.goto(`${program.url}/#/session/${id}`);
    const two = await one.context().newPage();
    await two.goto(`${program.url}/#/session/${id}`);
    await Promise.all([armed(one), armed(two)]);
    const words = (page: Page) => page.locator('[data-say]');
    await words(one).fill('from one');
    await expect.poll(() => words(two).inputValue()).toBe('from one');
    await words(two).fill('from one, and two');
    await expect.poll(() => words(one).inputValue()).toBe('from one, and two');
    await one.locator('[data-primary]').click();
    await two.locator('.quiet .a').getByText('“from one, and two”').waitFor();
    expect(await two.locator('.quiet-draft').count()).toBe(0);
  });

  it('leaves every key to an input method that composes, in an answer and in a message', async () => {
    const page = await program.open();
    const { id } = await demo(page);
    await page.goto(`${program.url}/#/session/${id}`);
    await armed(page);
    const browser = await page.context().newCDPSession(page);
    const press = async (key: string, windowsVirtualKeyCode: number) => {
      for (const type of ['rawKeyDown', 'keyUp'] as const) {
        await browser.send('Input.dispatchKeyEvent', { type, key, windowsVirtualKeyCode });
      }
    };
    for (const field of ['[data-say]', '.comp-text']) {
      await page.locator(field).click();
      await browser.send('Input.imeSetComposition', { text: 'nihao', selectionStart: 5, selectionEnd: 5 });
      // One digit picks, Enter takes, with the code of an input method and with its own.
      for (const key of ['1', 'Enter', 'Escape', 't']) await press(key, 229);
      await press('Enter', 13);
      expect(await page.locator(field).inputValue()).toBe('nihao');
      await browser.send('Input.insertText', { text: '你好1' });
      expect(await page.locator(field).inputValue()).toBe('你好1');
      expect(await page.locator('.quiet, .chip, [aria-checked="true"]').count()).toBe(0);
    }
    await page.locator('[data-say]').press('Enter');
    await page.locator('.quiet .a').getByText('“你好1”').waitFor();
  });

  it('tells of a question once, and only when no window shows it', async () => {
    // Where nobody looks: it has not the keyboard, and keeps what it would show.
    const away = async () => {
      const page = await program.open();
      await page.context().grantPermissions(['notifications']);
      await page.addInitScript(() => {
        Object.assign(window, { told: [] });
        document.hasFocus = () => false;
        window.Notification = class {
          static permission = 'granted';
          constructor(title: string, options: NotificationOptions) {
            (window as unknown as { told: string[] }).told.push(`${title}: ${options.body}`);
          }
          close() {}
        } as unknown as typeof Notification;
      });
      await page.reload();
      await page.locator('.rail').waitFor();
      return page;
    };
    const told = (page: Page) => page.evaluate(() => (window as unknown as { told: string[] }).told);
    const one = await away();
    const two = await away();
    const front = await program.open();
    const { id } = await demo(front, 'say ready');
    await front.goto(`${program.url}/#/session/${id}`);
    await front.getByText('ready').last().waitFor();

    const claims: unknown[] = [];
    // The one in front may be slow: the others ask who tells only when it has shown
    // the card and said so.
    const shown = front.waitForResponse((r) => {
      const said = r.url().endsWith('/api/presence') ? (r.request().postDataJSON() as Presence) : null;
      return said?.front === true && (said.visible?.length ?? 0) > 0;
    });
    for (const page of [one, two]) {
      await page.route('**/api/interactions/noticed', async (route) => {
        await shown;
        const reply = await route.fetch();
        claims.push(await reply.json());
        await route.fulfill({ response: reply });
      });
    }
    // Before the eyes of the one in front: nobody is told.
    await front.locator('.comp-text').fill('Make a page');
    await front.keyboard.press('Enter');
    await card(front).waitFor();
    await expect
      .poll(() => claims, { timeout: 60_000 })
      .toEqual([{ interactions: [] }, { interactions: [] }]);
    expect([...(await told(one)), ...(await told(two))]).toEqual([]);

    // Behind a page that shows something else: one of the two tells, once.
    await front.goto(`${program.url}/#/settings`);
    await demo(front);
    await expect.poll(() => claims.length, { timeout: 60_000 }).toBe(4);
    await expect
      .poll(async () => [...(await told(one)), ...(await told(two))])
      .toEqual([expect.stringMatching(/^Demo agent waits for you: Which greeting should the page use\?/)]);
  });
});
