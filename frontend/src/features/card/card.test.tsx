// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { elicitation, form, idempotent, push } from '../../../dev/scenes.ts';
import { type BackEnd, begin, json, show } from '../../../test/page.tsx';
import type { Interaction } from '../../backend/types.gen.ts';
import { takeInteraction, takeOutcome, useLive } from '../../state/live.ts';
import { dismiss, sendAnswer } from './answer.ts';
import { Card } from './card.tsx';
import { Quiet } from './quiet.tsx';

/** A card as its place shows it: the card while it waits, the quiet line afterwards. */
function Place({ id }: { id: string }) {
  const i = useLive((s) => s.interactions[id])!;
  return i.outcome && i.outcome.reason !== 'timeout' ? <Quiet i={i} /> : <Card i={i} />;
}

let back: BackEnd;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function place(i: Interaction) {
  back = begin([], [i]);
  const view = show(
    <>
      <textarea aria-label="elsewhere" data-home-focus="" />
      <Place id={i.interaction_id} />
    </>,
  );
  return view;
}
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const armed = () => wait(400);
const option = (n: number) => document.querySelector<HTMLElement>(`[data-option="${n}"]`)!;
const card = () => document.querySelector<HTMLElement>('[data-card]')!;
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const say = () => document.querySelector<HTMLTextAreaElement>('[data-say]')!;
const checked = () =>
  [...document.querySelectorAll('[aria-checked="true"]')].map((e) => e.getAttribute('data-option'));

describe('a fresh card', () => {
  it('has nothing chosen, Send off, and takes no focus', async () => {
    const view = place(idempotent());
    const other = screen.getByLabelText<HTMLTextAreaElement>('elsewhere');
    other.focus();
    view.rerender(
      <>
        <textarea aria-label="elsewhere" data-home-focus="" />
        <Place id="q-idem" />
      </>,
    );
    await armed();
    expect(checked()).toEqual([]);
    expect(button('Send answer').getAttribute('aria-disabled')).toBe('true');
    expect(card().contains(document.activeElement)).toBe(false);
    expect(card().className).not.toContain('live');
    fireEvent.click(button('Send answer'));
    expect(back.answers).toEqual([]);
  });

  it('ignores a click and a key in its first moment', async () => {
    place(idempotent());
    fireEvent.click(option(0));
    card().focus();
    fireEvent.keyDown(card(), { key: '2' });
    fireEvent.click(button('Close without answering'));
    await wait(399);
    fireEvent.click(option(1));
    expect(checked()).toEqual([]);
    expect(back.answers).toEqual([]);
    await wait(1);
    fireEvent.click(option(1));
    expect(checked()).toEqual(['1']);
  });

  it('names its parts for a screen reader', () => {
    place(idempotent());
    const group = screen.getByRole('radiogroup', { name: /A client reuses/ });
    expect(group.querySelectorAll('[role="radio"]')).toHaveLength(3);
    expect(screen.getByRole('radio', { name: /422 with a problem document.*Recommended/s })).toBeTruthy();
    expect(screen.getByRole('region', { name: 'Question from an agent' })).toBe(card());
    expect(screen.getByRole('textbox', { name: 'Or say it yourself' })).toBeTruthy();
  });
});

describe('by keyboard', () => {
  it('chooses by digit and sends by Enter', async () => {
    place(idempotent());
    await armed();
    act(() => option(0).focus());
    expect(card().className).toContain('live');
    fireEvent.keyDown(option(0), { key: '2' });
    expect(checked()).toEqual(['1']);
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(option(0), { key: 'Enter' });
    await wait(0);
    expect(back.answers).toMatchObject([
      { interaction_id: 'q-idem', selected: ['409 Conflict'], status: 'answered' },
    ]);
  });

  it('toggles by Space, moves by arrows, and chooses nothing by moving', async () => {
    place(idempotent());
    await armed();
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 'ArrowDown' });
    expect(document.activeElement).toBe(option(1));
    expect(checked()).toEqual([]);
    fireEvent.keyDown(option(1), { key: ' ' });
    expect(checked()).toEqual(['1']);
    fireEvent.keyDown(option(1), { key: ' ' });
    expect(checked()).toEqual([]);
  });

  it('does nothing while a key is held', async () => {
    place(idempotent());
    await armed();
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: '1', repeat: true });
    fireEvent.keyDown(option(0), { key: 'Enter', repeat: true });
    expect(checked()).toEqual([]);
    expect(back.answers).toEqual([]);
  });

  it('types digits, Space and T into the text and nothing else', async () => {
    place(idempotent());
    await armed();
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Or say it yourself' });
    act(() => text.focus());
    for (const key of '1 2 3 no, use 4tT') fireEvent.keyDown(text, { key });
    expect(checked()).toEqual([]);
    expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  });

  it('goes to the text by Tab, back out by Esc, and asks for time by T', async () => {
    place(idempotent());
    await armed();
    const other = screen.getByLabelText('elsewhere');
    act(() => other.focus());
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 'Tab' });
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Or say it yourself' }));
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
    expect(document.activeElement).toBe(other);
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 't' });
    expect(back.calls.map((c) => c.path)).toContain('/api/interactions/q-idem/more-time');
  });

  it('leaves Enter to an input method', async () => {
    place(idempotent());
    await armed();
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Or say it yourself' });
    fireEvent.change(text, { target: { value: '你好' } });
    fireEvent.keyDown(text, { key: 'Enter', keyCode: 229 });
    fireEvent.keyDown(text, { key: 'Enter', isComposing: true });
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(text, { key: 'Enter' });
    await wait(0);
    expect(back.answers).toMatchObject([{ text: '你好', selected: [] }]);
  });

  it('gives the focus back when the card goes', async () => {
    place(idempotent());
    await armed();
    const other = screen.getByLabelText('elsewhere');
    act(() => other.focus());
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: '1' });
    fireEvent.keyDown(option(0), { key: 'Enter' });
    await wait(10);
    expect(document.querySelector('[data-card]')).toBeNull();
    expect(document.activeElement).toBe(other);
  });
});

describe('sending', () => {
  it('sends choice and words together, once, however often Send is pressed', async () => {
    place(idempotent());
    await armed();
    fireEvent.click(option(0));
    fireEvent.change(say(), { target: { value: 'but log it' } });
    expect(screen.getByText('1 and your text')).toBeTruthy();
    const send = button(/Send answer/);
    fireEvent.click(send);
    fireEvent.click(send);
    fireEvent.keyDown(card(), { key: 'Enter' });
    await wait(0);
    expect(back.answers).toHaveLength(1);
    expect(back.answers[0]).toMatchObject({ selected: ['422 with a problem document'], text: 'but log it' });
    expect(screen.getByText('422 with a problem document. “but log it”')).toBeTruthy();
  });

  it('sends once when two calls come before the page could draw', async () => {
    place(idempotent());
    await armed();
    fireEvent.click(option(0));
    const i = useLive.getState().interactions['q-idem']!;
    void sendAnswer(i);
    void sendAnswer(i);
    void dismiss(i);
    await wait(0);
    expect(back.answers).toHaveLength(1);
  });

  it('takes no second click of a double click as taking back', async () => {
    place(idempotent());
    await armed();
    fireEvent.click(option(0), { detail: 1 });
    fireEvent.click(option(0), { detail: 2 });
    expect(checked()).toEqual(['0']);
  });

  it('keeps the answer when it fails, says so once, and tries again', async () => {
    place(idempotent());
    await armed();
    back.offline = true;
    fireEvent.click(option(2));
    for (let n = 0; n < 20; n++) {
      fireEvent.click(button(n === 0 ? /Send answer/ : /Try again/));
      await wait(500);
      expect(screen.getAllByRole('alert')).toHaveLength(1);
    }
    expect(checked()).toEqual(['2']);
    expect(button('Copy answer')).toBeTruthy();
    back.offline = false;
    fireEvent.click(button(/Try again/));
    await wait(0);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText('Replay the first response')).toBeTruthy();
  });

  it('shows the accepted answer when somebody was first, and offers the draft', async () => {
    place(idempotent());
    await armed();
    back.onAnswer = () =>
      json(409, {
        error: { code: 'already_resolved', message: 'This was answered already.' },
        outcome: {
          reason: 'response',
          cause: 'person',
          response: '409 Conflict',
          selected: ['409 Conflict'],
          text: '',
          by: 'cli',
          resolved_at: Date.now(),
        },
      });
    fireEvent.click(option(0));
    fireEvent.click(button(/Send answer/));
    await wait(0);
    expect(screen.getByText('409 Conflict')).toBeTruthy();
    expect(screen.getByText(/You, in a terminal/)).toBeTruthy();
    fireEvent.click(button('Send as new message'));
    await wait(0);
    const [message] = back.told('/messages') as { text: string }[];
    expect(message!.text).toContain('> A client reuses');
    expect(message!.text).toContain('422 with a problem document');
  });

  it('closes without answering and without any choice in what goes out', async () => {
    place(idempotent());
    await armed();
    fireEvent.click(option(0));
    fireEvent.click(button('Close without answering'));
    await wait(0);
    expect(back.answers).toEqual([{ interaction_id: 'q-idem', session_id: 's-idem', status: 'cancelled' }]);
    expect(screen.getByText('Closed without an answer')).toBeTruthy();
  });

  it('goes when it was answered elsewhere, with the draft on offer', async () => {
    place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'half typed' } });
    act(() =>
      takeOutcome('q-idem', {
        reason: 'response',
        cause: 'person',
        response: 'x',
        selected: [],
        text: 'x',
        by: 'browser',
        resolved_at: 1,
      }),
    );
    expect(document.querySelector('[data-card]')).toBeNull();
    expect(screen.getByText('Your draft here was not sent.')).toBeTruthy();
  });
});

describe('a draft', () => {
  it('survives the card going and coming, and a reload', async () => {
    const view = place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'x'.repeat(300) } });
    fireEvent.click(option(1));
    view.unmount();
    const { useDrafts } = await import('../../state/drafts.ts');
    useDrafts.setState({ drafts: {} }); // what a reload leaves: storage alone
    show(<Place id="q-idem" />);
    expect(say().value).toBe('x'.repeat(300));
    expect(checked()).toEqual(['1']);
  });

  it('is saved a moment after the last change, with a higher number each time', async () => {
    place(idempotent());
    await armed();
    for (const value of ['a', 'ab', 'abc']) fireEvent.change(say(), { target: { value } });
    await wait(400);
    fireEvent.change(say(), { target: { value: 'abcd' } });
    await wait(400);
    const saved = back.told('/draft') as { text: string; revision: number }[];
    expect(saved.map((d) => d.text)).toEqual(['abc', 'abcd']);
    expect(saved[1]!.revision).toBeGreaterThan(saved[0]!.revision);
    expect(Object.keys(saved[0]!)).not.toContain('saved');
  });

  it('is kept in the browser and saved later when the back end can’t be reached', async () => {
    place(idempotent());
    await armed();
    back.offline = true;
    fireEvent.change(say(), { target: { value: 'kept' } });
    await wait(400);
    expect(localStorage.getItem('parley.draft.q-idem')).toContain('kept');
    back.offline = false;
    await wait(5000);
    expect(back.told('/draft').at(-1)).toMatchObject({ text: 'kept' });
  });
});

it('says when another window writes too, keeps its own words, and saves above the other', async () => {
  place(idempotent());
  await armed();
  const other = Date.now() + 1_000_000;
  back.onDraft = () => json(200, { saved: false, draft: { revision: other, selected: [], text: 'theirs' } });
  fireEvent.change(say(), { target: { value: 'mine' } });
  await wait(400);
  expect(say().value).toBe('mine');
  expect(screen.getByText(/Another window has a different draft/)).toBeTruthy();
  back.onDraft = () => json(200, { saved: true });
  fireEvent.change(say(), { target: { value: 'mine still' } });
  await wait(400);
  const last = back.told('/draft').at(-1) as { revision: number; text: string };
  expect(last.text).toBe('mine still');
  expect(last.revision).toBeGreaterThan(other);
});

it('keeps a settled question with all that was on offer, what was said, who and when', async () => {
  const at = new Date(2026, 10, 30, 14, 0).getTime();
  const i: Interaction = {
    ...idempotent(),
    requested_at: at,
    seen_at: at + 60_000,
    delivered_at: at + 240_000,
    outcome: {
      reason: 'response',
      cause: 'person',
      response: '',
      selected: ['409 Conflict'],
      text: 'and log it',
      by: 'cli',
      resolved_at: at + 180_000,
    },
  };
  place(i);
  fireEvent.click(button(/A client reuses/));
  const more = document.querySelector('.quiet-more')!.textContent!;
  expect(more).toContain('422 with a problem document');
  expect(more).toContain('Recommended');
  expect(more).toContain('The client sees a clear error.');
  expect(document.querySelector('.quiet-more .taken')!.textContent).toContain('409 Conflict');
  expect(more).toContain('In your own words: and log it');
  const life = document.querySelector('.quiet-life')!.textContent!;
  expect(life).toMatch(/Asked .*14:00 · seen .*14:01 · answered .*14:03 · reached the agent .*14:04/);
  expect(screen.getByText(/You, in a terminal/)).toBeTruthy();
});

it('does not answer a card that was put aside, and loses no count of it', async () => {
  place(idempotent());
  await armed();
  fireEvent.click(option(0));
  act(() => card().focus());
  fireEvent.keyDown(card(), { key: 'ArrowUp', ctrlKey: true });
  await armed();
  for (const key of ['Enter', '2', 't']) fireEvent.keyDown(card(), { key });
  fireEvent.keyDown(card(), { key: 'Backspace', ctrlKey: true });
  await wait(0);
  expect(back.answers).toEqual([]);
  expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  expect(useLive.getState().interactions['q-idem']!.outcome).toBeUndefined();
  fireEvent.keyDown(card(), { key: 'ArrowUp', ctrlKey: true });
  await armed();
  expect(checked()).toEqual(['0']);
});

describe('near the end', () => {
  it('earns time by typing, is louder, and says so once', async () => {
    const now = Date.now();
    place({ ...idempotent(), deadline_at: now + 20_000, max_deadline_at: now + 600_000 });
    await armed();
    expect(card().className).toContain('soon');
    const text = say();
    fireEvent.change(text, { target: { value: 'a' } });
    fireEvent.change(text, { target: { value: 'ab' } });
    expect(back.calls.filter((c) => c.path.endsWith('/typing'))).toHaveLength(1);
    expect(document.querySelector('[role="status"]')?.textContent).toMatch(/seconds left/);
  });

  it('says when typing earns no more', async () => {
    const now = Date.now();
    const i = {
      ...idempotent(),
      interaction_id: 'q-grace', // nobody has typed there a moment ago
      deadline_at: now + 20_000,
      max_deadline_at: now + 600_000,
    };
    place(i);
    await armed();
    expect(screen.getByText(/Typing adds a minute by itself/)).toBeTruthy();
    back.onTyping = () => json(200, i);
    fireEvent.change(say(), { target: { value: 'a' } });
    await wait(0);
    expect(screen.getByText(/Typing adds no more time/)).toBeTruthy();
  });

  it('sends no typing while there is time', async () => {
    place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'a' } });
    expect(back.calls.filter((c) => c.path.endsWith('/typing'))).toEqual([]);
  });

  it('stays answerable after the time ran out, as the next message', async () => {
    const i = { ...idempotent() };
    i.outcome = {
      reason: 'timeout',
      cause: 'deadline',
      response: '',
      selected: [],
      text: '',
      resolved_at: Date.now(),
    };
    place(i);
    await armed();
    expect(card().className).toContain('calm');
    fireEvent.change(say(), { target: { value: 'too late' } });
    fireEvent.click(button(/Send as next message/));
    await wait(0);
    expect(back.answers).toMatchObject([{ status: 'answered', text: 'too late' }]);
  });
});

describe('a risky approval', () => {
  it('takes two different steps to allow, and none by Enter', async () => {
    place(push());
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'Enter' });
    expect(button('Deny').className).toContain('solid');
    expect(screen.queryByRole('button', { name: 'Allow in this session' })).toBeNull();
    fireEvent.click(button('Allow once…'));
    await wait(0);
    fireEvent.click(button('Yes, allow once')); // the rest of a hasty double click
    expect(back.answers).toEqual([]);
    await armed();
    act(() => card().focus());
    for (const key of ['Enter', 'o', 'O']) fireEvent.keyDown(card(), { key });
    expect(back.answers).toEqual([]);
    await armed();
    fireEvent.click(button('Yes, allow once'));
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_once' }]);
  });

  it('goes both steps by two different keys, the second not before its moment', async () => {
    place(push());
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'y' });
    fireEvent.keyDown(card(), { key: 'o' });
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(399);
    fireEvent.keyDown(card(), { key: 'o' });
    await armed();
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_once' }]);
  });

  it('takes the second step back by N or Esc, keeps the focus, and still denies by D', async () => {
    place(push());
    await armed();
    act(() => button('Allow once…').focus());
    for (const key of ['n', 'Escape']) {
      fireEvent.click(button('Allow once…'));
      expect(document.activeElement).toBe(card());
      await armed();
      fireEvent.keyDown(card(), { key });
      expect(screen.queryByRole('button', { name: 'Yes, allow once' })).toBeNull();
      expect(document.activeElement).toBe(card());
      await armed();
    }
    fireEvent.keyDown(card(), { key: 'd' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'deny' }]);
  });

  it('says why it is risky, and marks the words in the command', () => {
    const approval = {
      ...push().approval!,
      command: 'rm -rf build && git push --force origin main',
      risks: ['force_push', 'delete', 'network'] as const,
      risk_reasons: [
        { risk: 'force_push', words: 'git push --force' },
        { risk: 'delete', words: 'rm -rf build' },
        { risk: 'network', words: 'git push' },
      ] as const,
    };
    place({ ...push(), approval: approval as never });
    const hot = [...document.querySelectorAll('.cmd mark')].map((e) => e.textContent);
    expect(hot).toEqual(['rm -rf build', 'git push --force']);
    expect(document.querySelector('.cmd')!.textContent).toBe(approval.command);
    expect(screen.getByText('This would rewrite shared history')).toBeTruthy();
    expect(screen.getByText(/Commits of others on that branch can be lost/)).toBeTruthy();
    expect(screen.getByText('This would delete something')).toBeTruthy();
    expect(screen.getByText('Uses the network')).toBeTruthy();
  });

  it('sends the words along with a deny as its reason', async () => {
    place(push());
    await armed();
    fireEvent.change(say(), { target: { value: 'push to a branch' } });
    fireEvent.click(button('Deny'));
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'deny', reason: 'push to a branch' }]);
  });
});

it('offers words that could not go along with an allow, instead of losing them', async () => {
  place({ ...push(), approval: { ...push().approval!, risks: [] } });
  await armed();
  fireEvent.change(say(), { target: { value: 'but only this branch' } });
  fireEvent.click(button('Allow once'));
  await wait(0);
  expect(back.answers).toEqual([
    { interaction_id: 'q-push', session_id: 's-tidy', status: 'answered', action: 'allow_once' },
  ]);
  expect(screen.getByText('Your draft here was not sent.')).toBeTruthy();
});

describe('a permission for good', () => {
  const always = (grants: object[]) => {
    const approval = {
      ...push().approval!,
      risks: [],
      command: 'go test ./...',
      scopes: ['allow_once', 'allow_session', 'allow_always'],
      grants,
    };
    place({ ...push(), approval: approval as never });
  };

  it('says exactly what and where before it is given, and is given by a key of its own', async () => {
    always([{ action: 'allow_always', tool: 'shell', command: 'go test ./...', folder: '/srv/ledger' }]);
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'a' });
    await wait(0);
    expect(back.answers).toEqual([]);
    expect(screen.getByText(/runs exactly this command in \/srv\/ledger without asking/)).toBeTruthy();
    expect(document.querySelector('.c-ask .cmd')!.textContent).toBe('go test ./...');
    expect(screen.getByText(/take that back in Settings/)).toBeTruthy();
    await armed();
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_always' }]);
  });

  it('says that all of a tool is meant, or that the agent keeps it itself', async () => {
    always([{ action: 'allow_always', tool: 'WebFetch', command: '', folder: '/srv/ledger' }]);
    await armed();
    fireEvent.click(button('Always allow…'));
    expect(screen.getByText(/uses WebFetch in \/srv\/ledger without asking, whatever/)).toBeTruthy();
    always([]);
    await armed();
    fireEvent.click(button('Always allow…'));
    expect(screen.getByText(/keeps that in its own settings/)).toBeTruthy();
  });
});

describe('more time', () => {
  const at = (deadline: number, max: number) => {
    const now = Date.now();
    place({ ...idempotent(), deadline_at: now + deadline, max_deadline_at: now + max });
  };

  it('says what it adds before it is asked for', async () => {
    at(200_000, 3_600_000);
    expect(button('Add 5 min')).toBeTruthy();
    at(200_000, 320_000);
    expect(button('Add 2 min')).toBeTruthy();
    at(200_000, 240_000);
    expect(button('Add 40 s')).toBeTruthy();
  });

  it('is off at the ceiling, says why, and asks nothing', async () => {
    at(200_000, 200_000);
    await armed();
    const off = button('No more time');
    expect(off.getAttribute('aria-disabled')).toBe('true');
    expect(off.getAttribute('title')).toMatch(/is the limit/);
    expect(document.querySelector('.clock .until')!.textContent).toMatch(/the limit$/);
    fireEvent.click(off);
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 't' });
    expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  });

  it('shows for a moment what was added, and not what a clock that was set has moved', async () => {
    at(200_000, 3_600_000);
    const until = () => document.querySelector('.clock .until')!.textContent;
    const i = useLive.getState().interactions['q-idem']!;
    act(() => takeInteraction({ ...i, deadline_at: i.deadline_at + 60_000 }));
    expect(until()).toBe('1 min added');
    expect(document.querySelector('[role="status"]')?.textContent).toBe('1 min added');
    await wait(4000);
    expect(until()).toMatch(/^until /);
    const moved = { deadline_at: i.deadline_at + 660_000, max_deadline_at: i.max_deadline_at + 600_000 };
    act(() => takeInteraction({ ...i, ...moved }));
    expect(until()).toMatch(/^until /);
  });

  it('says once when it could not be given, and the card goes on', async () => {
    at(200_000, 3_600_000);
    await armed();
    back.offline = true;
    fireEvent.click(button('Add 5 min'));
    await wait(0);
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    expect(screen.getByText(/No time was added/)).toBeTruthy();
    back.offline = false;
    fireEvent.click(button('Add 5 min'));
    await wait(0);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('a form with steps', () => {
  it('goes step by step, never two at one double click, and sends at the end', async () => {
    place(form());
    await armed();
    expect(screen.getByText('How should amounts be written?')).toBeTruthy();
    const next = button(/Next: Time zone/);
    fireEvent.click(next);
    fireEvent.click(button(/Next: Who reads it/)); // too soon: the place has new content
    expect(screen.getByText('Which time zone should times have?')).toBeTruthy();
    await armed();
    fireEvent.click(button(/Next: Who reads it/));
    await armed();
    expect(button(/Send answer/).getAttribute('aria-disabled')).toBe('true');
    fireEvent.change(say(), { target: { value: 'Finance' } });
    fireEvent.click(button(/Send answer/));
    await wait(0);
    expect(back.answers).toMatchObject([
      {
        type: 'interactive_form_question',
        answers: { format: ['CSV'], amounts: ['Decimal text with a currency column'] },
        typed: { reader: 'Finance' },
      },
    ]);
  });
});

it('sends the input of a server with its checks', async () => {
  place(elicitation());
  await armed();
  fireEvent.click(screen.getByRole('radio', { name: 'production' }));
  const rate = screen.getByRole('textbox', { name: /Errors per minute/ });
  fireEvent.change(rate, { target: { value: '0' } });
  expect(screen.getByText('At least 1')).toBeTruthy();
  expect(button(/Send to sentry/).getAttribute('aria-disabled')).toBe('true');
  fireEvent.change(rate, { target: { value: '25' } });
  fireEvent.click(button(/Send to sentry/));
  await wait(0);
  expect(back.answers).toMatchObject([
    {
      action: 'accept',
      answers: { env: ['production'] },
      typed: { name: 'Transfer 5xx above baseline', rate: '25' },
    },
  ]);
});

it('shows what is missing when Send is pressed too early, and leads there', async () => {
  vi.stubGlobal('requestAnimationFrame', (fn: () => void) => setTimeout(fn, 0));
  place(elicitation());
  await armed();
  expect(screen.queryByText('An answer is needed here')).toBeNull();
  fireEvent.click(button(/Send to sentry/));
  await wait(1);
  expect(back.answers).toEqual([]);
  expect(screen.getAllByText('An answer is needed here')).toHaveLength(2);
  expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'staging' }));
});

it.each([
  ['decline', 'Decline', { action: 'decline', status: 'answered' }],
  ['cancel', 'Close without answering', { status: 'cancelled' }],
])('tells a server %s by a button of its own', async (_, name, want) => {
  place(elicitation());
  await armed();
  fireEvent.click(button(name));
  await wait(0);
  expect(back.answers).toHaveLength(1);
  expect(back.answers[0]).toMatchObject(want);
  expect(back.answers[0]).not.toHaveProperty('answers');
});

it('opens a link only by its button, and says where it leads', async () => {
  const opened = vi.fn();
  vi.stubGlobal('open', opened);
  place({
    ...idempotent(),
    kind: 'elicitation',
    server: 'sentry',
    options: [],
    url: 'https://sentry.io/oauth?x=1',
  });
  await armed();
  expect(document.querySelector('.url')!.textContent).toBe('https://sentry.io/oauth?x=1');
  expect(document.querySelector('.url b')!.textContent).toBe('sentry.io');
  act(() => card().focus());
  for (const key of ['Enter', ' ', '1', 'o']) fireEvent.keyDown(card(), { key });
  expect(opened).not.toHaveBeenCalled();
  fireEvent.click(button('Open sentry.io'));
  await wait(0);
  expect(opened).toHaveBeenCalledOnce();
  expect(back.answers).toMatchObject([{ action: 'accept' }]);
});

it('shows content that imitates the frame as content', () => {
  place({
    ...idempotent(),
    question: 'ok\u202etxt.exe\n\n\n\n\n\n\nSystem: answered',
    session_title: 'A\u2028B\u200b',
    branch: '\u202emain',
  });
  const text = card().textContent!;
  expect(text).toContain('⟨U+202E⟩');
  expect(text).toContain('⟨U+200B⟩');
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
  expect(card().querySelectorAll('.q p').length).toBeLessThanOrEqual(2);
});
