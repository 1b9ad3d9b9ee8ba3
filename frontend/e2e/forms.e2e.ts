// Forms in real browsers in front of the real program: what is refused while one
// waits, and that one answer counts however many are sent.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Interaction, Session } from '../src/backend/types.gen.ts';
import { armed, missing, Program, troubles } from './program.ts';

const program = new Program();

const card = (page: Page) => page.locator('[data-card]');
const option = (page: Page, label: string) => page.locator('.card .opt', { hasText: label });
const primary = (page: Page) => page.locator('[data-primary]');
const settled = (page: Page) => page.locator('.quiet');
const message = (page: Page) => page.locator('.comp-text');

const branch = {
  questions: [{ id: 'branch', question: 'Which branch?', options: ['main', 'stable'] }],
};

function call<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async ({ method, path, body }) => {
      const headers = { 'Content-Type': 'application/json' };
      const r = await fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      return (await r.json()) as never;
    },
    { method, path, body },
  );
}

/** Shows a form and the session that waits for it. */
async function form(page: Page, asked: object = branch): Promise<Session> {
  const s = await call<Session>(page, 'POST', '/api/sessions', {
    agent: 'demo',
    cwd: '',
    prompt: `form ${JSON.stringify(asked)}`,
    fast: true,
  });
  await page.goto(`${program.url}/#/session/${s.id}`);
  await card(page).waitFor();
  // Its run has ended for it.
  await expect
    .poll(async () => (await call<Session>(page, 'GET', `/api/sessions/${s.id}`)).last_status)
    .toBe('deferred');
  return s;
}

/** The one form of a session, as it is recorded. */
async function recorded(page: Page, s: Session): Promise<Interaction> {
  const { interactions } = await call<{ interactions: Interaction[] }>(
    page,
    'GET',
    `/api/interactions?state=all&session=${s.id}`,
  );
  expect(interactions).toHaveLength(1);
  return interactions[0]!;
}

/** How often the agent was told of an answer. */
const told = (page: Page) => page.locator('.tl .prose', { hasText: 'You answered the form' }).count();

describe.skipIf(missing !== '')(`forms${missing && ` (${missing})`}`, () => {
  beforeAll(() => program.start());
  afterEach(async () => {
    await program.closePages();
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(() => program.stop());

  it('refuses a message and every answer that is none, and loses nothing', async () => {
    const page = await program.open();
    const s = await form(page);
    await message(page).fill('hurry up');
    await message(page).press('Enter');
    await page.locator('.composer-error', { hasText: 'A form waits for an answer' }).waitFor();
    expect(troubles.splice(0)).toEqual([expect.stringMatching(/^409 POST .*\/messages$/)]);
    expect(await message(page).inputValue()).toBe('hurry up');

    await armed(page);
    await option(page, 'main').click();
    const other = '01900000-0000-7000-8000-000000000000';
    const spoilt: [string, (a: Answer) => void][] = [
      ['invalid_interactive_form_answer', (a) => delete a.type],
      ['interactive_form_tool_required', (a) => delete a.tool_use_id],
      ['interactive_form_tool_mismatch', (a) => Object.assign(a, { tool_use_id: 'call-0' })],
      ['invalid_interactive_form_answer', (a) => Object.assign(a, { answers: { branch: ['dev'] } })],
      ['interactive_form_not_pending', (a) => Object.assign(a, { interaction_id: other })],
    ];
    for (const [code, spoil] of spoilt) {
      // What the page sends is changed on its way; the refusal is the real one.
      await page.route('**/answer', async (route) => {
        const a = route.request().postDataJSON() as Answer;
        spoil(a);
        const url = route
          .request()
          .url()
          .replace(/[^/]+\/answer$/, `${a.interaction_id}/answer`);
        await route.continue({ url, postData: JSON.stringify(a) });
      });
      const refused = page.waitForResponse((r) => r.url().endsWith('/answer'));
      await armed(page);
      await primary(page).click();
      const { error } = (await (await refused).json()) as { error: { code: string; message: string } };
      expect(error.code).toBe(code);
      await page.locator('.card .strip.bad', { hasText: error.message }).waitFor();
      expect(troubles.splice(0)).toEqual([expect.stringMatching(/^4\d\d POST .*\/answer$/)]);
      expect(await option(page, 'main').getAttribute('aria-checked')).toBe('true');
      expect((await recorded(page, s)).outcome).toBeUndefined();
      await page.unroute('**/answer');
    }
    await page.reload();
    await armed(page);
    expect(await message(page).inputValue()).toBe('hurry up');
    expect(await option(page, 'main').getAttribute('aria-checked')).toBe('true');
    await primary(page).click();
    await settled(page).getByText('main').first().waitFor();
    await page.getByText('{"answer":["main"]}').waitFor();
    // Now it may go out.
    await message(page).fill('say hurried');
    await message(page).press('Enter');
    await page.locator('.tl .prose', { hasText: 'hurried' }).waitFor();
    expect(await told(page)).toBe(1);
  });

  it('takes one answer of a double click in two windows, and shows it in both', async () => {
    const one = await program.open();
    const s = await form(one);
    const two = await program.open();
    await two.goto(`${program.url}/#/session/${s.id}`);
    await Promise.all([armed(one), armed(two)]);
    await option(one, 'main').click();
    await option(two, 'stable').click();
    const twice = (p: Page) =>
      p.evaluate(() => {
        // None is there where the other's answer was heard of first.
        const b = document.querySelector<HTMLElement>('[data-primary]');
        b?.click();
        b?.click();
      });
    await Promise.all([twice(one), twice(two)]);
    await Promise.all([settled(one).waitFor(), settled(two).waitFor()]);
    const { outcome } = await recorded(one, s);
    const [chosen] = outcome!.answers!.branch!;
    for (const page of [one, two]) {
      expect(await settled(page).locator('.a').first().innerText()).toBe(chosen);
      await page.getByText(`{"answer":["${chosen}"]}`).waitFor();
      expect(await told(page)).toBe(1);
    }
    // Who came second keeps what they had chosen.
    const second = chosen === 'main' ? two : one;
    await second.getByText('Your draft here was not sent.').waitFor();
    // One of the two may have heard of the other's answer before it could send.
    for (const t of troubles.splice(0)) expect(t).toMatch(/^409 POST .*\/answer$/);
  });

  it('keeps a form over the end of the back end, and sends a message in its place', async () => {
    const page = await program.open();
    const s = await form(page);
    await armed(page);
    await page.locator('.instead button').click();
    await page.locator('.instead textarea').fill('say only rename it');
    await expect.poll(async () => (await recorded(page, s)).draft?.text).toBe('say only rename it');
    await program.crash();
    await page.getByText('Connection lost').waitFor();
    await program.again();
    await program.enter(page);
    troubles.splice(0); // until then calls met nobody, or a back end that didn't know this browser
    await page.goto(`${program.url}/#/session/${s.id}`);
    await armed(page);
    expect(await page.locator('.instead textarea').inputValue()).toBe('say only rename it');
    await page.locator('[data-act="replace"]').click();
    await settled(page).getByText('Closed without an answer').waitFor();
    await page.locator('.tl .prose', { hasText: 'without an answer (dismissed)' }).waitFor();
    await page.locator('.tl .prose', { hasText: 'only rename it' }).waitFor();
  });

  it('sends a command byte for byte after a form that was closed, and the closing with the next message', async () => {
    const page = await program.open();
    const s = await form(page);
    await armed(page);
    await page.getByRole('button', { name: 'Close without answering' }).click();
    await settled(page).getByText('Closed without an answer').waitFor();
    expect(await page.locator('.tl .mine').count()).toBe(1); // nothing runs by itself
    await message(page).fill('/compact');
    await message(page).press('Enter');
    await page.locator('.tl .mine', { hasText: /^\/compact$/ }).waitFor();
    // Whatever the demo agent, which has no such command, makes of it.
    const last = async () => (await call<Session>(page, 'GET', `/api/sessions/${s.id}`)).last_status;
    await expect.poll(last, { timeout: 60_000 }).not.toBe('deferred');
    expect(await page.getByText('without an answer (dismissed)').count()).toBe(0);
    await message(page).fill('say next');
    await message(page).press('Enter');
    await page.locator('.tl .prose', { hasText: 'without an answer (dismissed)' }).waitFor();
    await page.locator('.tl .prose', { hasText: 'next' }).first().waitFor();
  });
});
