// Many at once, in a real browser in front of the real program: who asks is seen,
// each answer reaches the one who asked, and nothing takes a key from somebody who
// writes. PARLEY_LONG=1 takes as many as a long day brings; else fewer.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {
  Interaction,
  InteractionList,
  Session,
  SessionList,
  Timeline,
} from '../src/backend/types.gen.ts';
import { armed, missing, Program, troubles, until } from './program.ts';

const long = process.env.PARLEY_LONG === '1';
const asking = long ? 20 : 6;
const streaming = long ? 10 : 3;
const switches = long ? 100 : 30;

const program = new Program();

/** A call of the API, made by the page. */
function call<R>(page: Page, method: string, path: string, body?: unknown): Promise<R> {
  return page.evaluate(
    async ({ method, path, body }) => {
      const r = await fetch(path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: body ? JSON.stringify(body) : null,
      });
      if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${await r.text()}`);
      return (await r.json()) as R;
    },
    { method, path, body },
  );
}

const sessions = async (page: Page) => (await call<SessionList>(page, 'GET', '/api/sessions')).sessions;
const waiting = async (page: Page) =>
  (await call<InteractionList>(page, 'GET', '/api/interactions?state=waiting')).interactions;
const send = (page: Page, id: string, text: string) =>
  call(page, 'POST', `/api/sessions/${id}/messages`, { text });

/** When the back end heard from the agent that it calls the asking tool. */
async function calledAt(page: Page, i: Interaction): Promise<number> {
  const { events } = await call<Timeline>(page, 'GET', `/api/sessions/${i.session_id}/events?limit=1000`);
  return events.find((e) => e.type === 'tool.started' && e.turn_id === i.run_id && e.data.kind === 'ask')!.at;
}

/** Sessions whose agents are up and have nothing to do. */
async function ready(page: Page, n: number, fast = true): Promise<Session[]> {
  const made: string[] = [];
  for (let i = 0; i < n; i++) {
    const body = { agent: 'demo', cwd: '', prompt: 'say ready', title: `Session ${i}`, fast };
    made.push((await call<Session>(page, 'POST', '/api/sessions', body)).id);
  }
  await expect
    .poll(
      async () => (await sessions(page)).filter((s) => made.includes(s.id) && s.state === 'idle').length,
      {
        timeout: 120_000,
      },
    )
    .toBe(n);
  const all = await sessions(page);
  return made.map((id) => all.find((s) => s.id === id)!);
}

const at = (sorted: number[], q: number) =>
  sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)]!;

describe.skipIf(missing !== '')(`many at once${missing && ` (${missing})`}`, () => {
  beforeAll(() => program.start());
  afterEach(async () => {
    await program.closePages();
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(() => program.stop());

  it(`has ${asking} who ask within a moment answered by keys, each with its own answer`, async () => {
    const page = await program.open();
    const all = await ready(page, asking);
    await page.keyboard.press('Control+i');
    await page.locator('.inbox-empty').waitFor();
    // When each was painted in the list, by the clock that the back end uses too.
    await page.evaluate(() => {
      const seen: Record<string, number> = {};
      Object.assign(window, { seen });
      new MutationObserver(() => {
        for (const a of document.querySelectorAll<HTMLAnchorElement>('.ilist .item')) {
          const id = a.hash.split('/').at(-1)!;
          if (id in seen) continue;
          seen[id] = 0;
          // The first task after the next frame has been drawn.
          requestAnimationFrame(() => setTimeout(() => (seen[id] = Date.now())));
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.evaluate(
      async (ids) => {
        const say = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
        await Promise.all(
          ids.map((id) =>
            fetch(`/api/sessions/${id}/messages`, { ...say, body: JSON.stringify({ text: 'Make a page' }) }),
          ),
        );
      },
      all.map((s) => s.id),
    );
    await expect.poll(() => page.locator('.ilist .item').count(), { timeout: 60_000 }).toBe(asking);
    const asked = await waiting(page);
    expect(new Set(asked.map((i) => i.session_id)).size).toBe(asking);
    const drawn = () => page.evaluate(() => (window as unknown as { seen: Record<string, number> }).seen);
    await expect.poll(async () => Object.values(await drawn()).filter(Boolean).length).toBe(asking);
    const seen = await drawn();
    const called = await Promise.all(asked.map((i) => calledAt(page, i)));
    const times = asked.map((i, n) => seen[i.interaction_id]! - called[n]!).sort((a, b) => a - b);
    const first = Math.min(...asked.map((i) => i.requested_at));
    const spread = Math.max(...asked.map((i) => i.requested_at)) - first;

    const answers = new Map<string, string>();
    let keys = 0;
    const press = async (key: string) => {
      keys++;
      await page.keyboard.press(key);
    };
    for (let n = 0; n < asking; n++) {
      await press('Control+j');
      const card = page.locator('.card.live');
      await card.waitFor();
      const id = (await card.getAttribute('data-card'))!;
      const { session_id } = asked.find((i) => i.interaction_id === id)!;
      const digit = n % 3;
      const checked = () => card.locator(`[data-option="${digit}"]`).getAttribute('aria-checked');
      await armed(page); // a person reads meanwhile
      await press(String(digit + 1));
      await expect.poll(checked).toBe('true');
      // Each in words of its own, beside a choice that others made too.
      const answer = `Greeting number ${n}`;
      await press('Tab');
      keys += answer.length;
      await page.keyboard.type(answer);
      await press('Enter');
      answers.set(session_id, answer);
      await page.locator(`.card[data-card="${id}"]`).waitFor({ state: 'detached' });
    }
    await page.locator('.inbox-empty').waitFor();
    for (const s of all) {
      const file = join(s.cwd, 'hello.html');
      const page = () => {
        try {
          return readFileSync(file, 'utf8');
        } catch {
          return '';
        }
      };
      await expect.poll(page, { timeout: 30_000 }).toContain(answers.get(s.id)!);
      for (const other of new Set(answers.values())) {
        if (other !== answers.get(s.id)) expect(page()).not.toContain(`>${other}<`);
      }
    }
    process.stderr.write(
      `\n${asking} asked within ${spread} ms; tool call to the painted inbox p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms; ${keys} keystrokes for ${asking} answers, all of them different\n`,
    );
  }, 300_000);

  it('takes nothing from somebody who types without pause while three ask', async () => {
    const page = await program.open();
    const [a, b, c] = (await ready(page, 3)) as [Session, Session, Session];
    await page.goto(`${program.url}/#/session/${a.id}`);
    const field = page.locator('.comp-text');
    await field.click();
    const foot = () =>
      field.evaluate((el) => Math.round(el.closest('.comp')!.getBoundingClientRect().bottom));
    const bottom = await foot();
    const piece = 'yes 1 2 3 t ';
    let all = '';
    const type = async () => {
      await page.keyboard.type(piece, { delay: 15 });
      all += piece;
    };
    await type();
    for (const s of [b, c, a]) {
      const asks = send(page, s.id, 'Make a page');
      await type();
      await asks;
    }
    while (!(await page.locator('.card').isVisible()) || (await waiting(page)).length < 3) await type();
    for (let n = 0; n < 3; n++) await type();
    const now = await field.evaluate((el: HTMLTextAreaElement) => ({
      text: el.value,
      caret: [el.selectionStart, el.selectionEnd],
      focused: document.activeElement === el,
    }));
    expect(now).toEqual({ text: all, caret: [all.length, all.length], focused: true });
    expect(await foot()).toBe(bottom);
    expect(await page.locator('[aria-checked="true"]').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('.chip').getByText(piece.trim()).waitFor();
    expect((await waiting(page)).map((i: Interaction) => i.session_id).sort()).toEqual(
      [a.id, b.id, c.id].sort(),
    );
    for (const s of [a, b, c]) await call(page, 'POST', `/api/sessions/${s.id}/close`);
  }, 180_000);

  it(`keeps ${streaming} texts that stream apart over ${switches} changes of session`, async () => {
    const page = await program.open();
    const all = await ready(page, streaming, false);
    const words = all.map((_, n) =>
      Array.from({ length: long ? 240 : 120 }, (_, w) => `s${n}w${w}`).join(' '),
    );
    for (const [n, s] of all.entries()) await send(page, s.id, `say ${words[n]}`);
    for (let i = 0; i < switches; i++) {
      const n = (i * 7) % streaming;
      await page.evaluate((id) => {
        location.hash = `#/session/${id}`;
      }, all[n]!.id);
      await page.locator('.head h1', { hasText: `Session ${n}` }).waitFor();
      const text = await page.locator('.tl').innerText();
      const foreign = [...text.matchAll(/\bs(\d+)w\d+/g)].find((m) => Number(m[1]) !== n);
      expect(foreign?.[0], `in session ${n} after ${i} changes`).toBeUndefined();
    }
    for (const [n, s] of all.entries()) {
      await page.goto(`${program.url}/#/session/${s.id}`);
      await page.locator('.head h1', { hasText: `Session ${n}` }).waitFor();
      await expect
        .poll(() => page.locator('.tl .prose').last().innerText(), { timeout: 120_000 })
        .toBe(words[n]);
    }
  }, 300_000);

  it('shows each plan whole and in its own session while two make 50 a second', async () => {
    const page = await program.open();
    const names = ['plum', 'pear'];
    const all = await ready(page, names.length);
    const plans = long ? 300 : 60;
    // All that the side panel ever showed, each with the title above it.
    await page.evaluate(() => {
      const shown: string[][] = [];
      Object.assign(window, { shown });
      new MutationObserver(() => {
        const steps = [...document.querySelectorAll('.side .step > div')].map(
          (e) => e.lastChild!.textContent!,
        );
        const title = document.querySelector('.head h1')?.textContent ?? '';
        if (steps.length > 0) shown.push([title, ...steps]);
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    for (const [n, s] of all.entries()) await send(page, s.id, `plans ${plans} ${names[n]}`);
    const done = async () =>
      (await sessions(page)).filter((s) => all.some((a) => a.id === s.id) && s.state === 'idle').length;
    let i = 0;
    while ((await done()) < all.length || i < switches) {
      const n = i++ % all.length;
      await page.evaluate((id) => {
        location.hash = `#/session/${id}`;
      }, all[n]!.id);
      await page.locator('.head h1', { hasText: all[n]!.title }).waitFor();
    }
    const shown = await page.evaluate(() => (window as unknown as { shown: string[][] }).shown);
    const newest = new Map<string, number>();
    for (const [title, ...steps] of shown) {
      const name = names[all.findIndex((s) => s.title === title)];
      const plan = Number(steps[0]!.split(' ')[2]);
      const size = plan % 2 ? 20 : 3;
      expect(steps).toEqual(Array.from({ length: size }, (_, k) => `${name} plan ${plan} step ${k + 1}`));
      expect(plan).toBeGreaterThanOrEqual(newest.get(title!) ?? 0);
      newest.set(title!, plan);
    }
    const seen = new Set(shown.map(([, first]) => first)).size;
    for (const [n, s] of all.entries()) {
      await page.goto(`${program.url}/#/session/${s.id}`);
      await page.locator('.side .step', { hasText: `${names[n]} plan ${plans} step 1` }).waitFor();
      const { events } = await call<Timeline>(page, 'GET', `/api/sessions/${s.id}/events?limit=1000`);
      const revisions = events.flatMap((e) => (e.type === 'plan.updated' ? [e.data] : []));
      const first = revisions.filter((p) => p.state === 'active').map((p) => p.revision);
      expect(first).toEqual(Array.from({ length: plans }, (_, k) => k + 1));
    }
    expect(seen).toBeGreaterThan(10); // else nothing was tried
    process.stderr.write(
      `\n${all.length} × ${plans} plans, ${seen} of them seen over ${i} changes of session\n`,
    );
  }, 300_000);

  it('shows after a crash of the back end what became of a question, and takes the kept words late', async () => {
    const page = await program.open();
    const [s] = (await ready(page, 1)) as [Session];
    await send(page, s.id, 'Make a page');
    await page.goto(`${program.url}/#/session/${s.id}`);
    const say = page.locator('[data-say]');
    const text = 'half of a thought, '.repeat(16); // 300 characters
    await say.fill(text);
    await program.crash();
    await page.getByText('Connection lost').waitFor();
    expect(await say.inputValue()).toBe(text);
    await program.again();
    await program.enter(page);
    troubles.splice(0); // until then calls met nobody, or a back end that didn't know this browser
    await page.goto(`${program.url}/#/inbox`);
    await page.locator('.ilist .item').first().click();
    await page.locator('.card.calm').waitFor();
    expect(await say.inputValue()).toBe(text);
    expect((await waiting(page)).length).toBe(0);
    const left = page.locator('.ilist .item'); // an empty inbox shows a sample of a card
    await until(page, '.card.calm [data-primary]', async () => (await left.count()) === 0);
    await page.goto(`${program.url}/#/session/${s.id}`);
    await page.locator('.mine').getByText('half of a thought').first().waitFor();
    await call(page, 'POST', `/api/sessions/${s.id}/close`);
  }, 180_000);
});
