// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { question } from '../../../dev/make.ts';
import { type BackEnd, begin, eventually, json, show } from '../../../test/page.tsx';
import type { Interaction, Outcome } from '../../backend/types.gen.ts';
import { beginSending, markSettled } from '../../state/answers.ts';
import { takeInteraction, takeOutcome } from '../../state/live.ts';
import { go, useRoute } from '../../state/route.ts';
import { Inbox } from './inbox.tsx';

const minute = 60_000;
let back: BackEnd;
let entered: string[];

function ask(id: string, left = 3 * minute): Interaction {
  return question(
    { interaction_id: id, session_id: id, agent: 'claude', question: `What about ${id}?` },
    left,
  );
}
const outcome = (o: Partial<Outcome> = {}): Outcome => ({
  reason: 'response',
  cause: 'person',
  response: 'x',
  selected: [],
  text: 'x',
  resolved_at: Date.now(),
  ...o,
});
const timedOut = (id: string): Interaction => ({
  ...ask(id),
  outcome: outcome({ reason: 'timeout', cause: 'deadline', response: '', text: '' }),
});

function Place() {
  const route = useRoute();
  return (
    <Inbox
      id={route.page === 'inbox' ? route.id : ''}
      renderCard={(i) => <div data-open={i.interaction_id} />}
      renderSettled={(i) => <div data-settled={i.interaction_id} />}
      enter={(id) => entered.push(id)}
      clear={async (i) => takeInteraction({ ...i, cleared_at: 1 })}
      empty={<p>nothing here</p>}
    />
  );
}
function place(list: Interaction[], id = '') {
  back = begin([], list);
  entered = [];
  go({ page: 'inbox', id }, true);
  show(<Place />);
}
const open = () => document.querySelector<HTMLElement>('[data-open]')?.dataset.open ?? '';
const rows = () => [...document.querySelectorAll<HTMLElement>('a.item')].map((e) => e.dataset.item);
const answerHere = (id: string) =>
  act(() => {
    beginSending(id, 'answer');
    markSettled(id, false);
    takeOutcome(id, outcome());
  });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what is open', () => {
  it('is the one with least time left, and no newer one takes its place', () => {
    place([ask('b', 4 * minute), ask('a', 2 * minute)]);
    expect(rows()).toEqual(['a', 'b']);
    expect(open()).toBe('a');
    act(() => takeInteraction(ask('urgent', 10_000)));
    expect(rows()).toEqual(['urgent', 'a', 'b']);
    expect(open()).toBe('a');
    expect(screen.getByText('2 of 3')).toBeTruthy();
  });

  it('is the next one after an answer from here, down to nothing', () => {
    place([ask('a', minute), ask('b', 2 * minute), ask('c', 4 * minute)], 'b');
    answerHere('b');
    expect(open()).toBe('c');
    expect(document.querySelector('.just-sent [data-settled="b"]')).toBeTruthy();
    answerHere('c');
    expect(open()).toBe('a');
    answerHere('a');
    expect(screen.getByText('nothing here')).toBeTruthy();
  });

  it('stays when somebody else has answered it, and shows what was accepted', () => {
    place([ask('a', minute), ask('b', 2 * minute)], 'a');
    act(() => takeOutcome('a', outcome({ by: 'cli' })));
    expect(open()).toBe('');
    expect(document.querySelector('.idet [data-settled="a"]')).toBeTruthy();
    expect(screen.getByText('Settled meanwhile')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Next question' }));
    act(() => window.dispatchEvent(new HashChangeEvent('hashchange')));
    expect(open()).toBe('b');
  });

  it('stays the card while an answer from here is on its way, whatever else is heard', () => {
    place([ask('a', minute), ask('b', 2 * minute)], 'a');
    act(() => {
      beginSending('a', 'answer');
      takeOutcome('a', outcome());
    });
    expect(open()).toBe('a');
    expect(screen.queryByText('Settled meanwhile')).toBeNull();
    act(() => markSettled('a', false));
    expect(open()).toBe('b');
  });

  it('stays when its time ran out, and can still be answered', () => {
    place([ask('a', minute), ask('b', 2 * minute)], 'a');
    act(() => takeOutcome('a', timedOut('a').outcome!));
    expect(open()).toBe('a');
    expect(rows()).toEqual(['b', 'a']);
  });

  it('is fetched when an old notice leads to one that is not known here', async () => {
    place([ask('a')], 'old');
    back.onInteraction = () => json(200, { ...ask('old'), outcome: outcome() });
    cleanup();
    show(<Place />);
    await eventually(() => expect(document.querySelector('.idet [data-settled="old"]')).toBeTruthy());
  });
});

describe('the list', () => {
  it('moves nothing under the pointer, and keeps what is settled in its place', () => {
    place([ask('a', minute), ask('b', 2 * minute)]);
    const list = document.querySelector('.ilist')!;
    fireEvent.pointerEnter(list);
    act(() => takeInteraction(ask('urgent', 5000)));
    act(() => takeOutcome('b', outcome()));
    expect(rows()).toEqual(['a', 'b', 'urgent']);
    fireEvent.pointerLeave(list);
    expect(rows()).toEqual(['urgent', 'a']);
  });

  it('shows more than twenty, and leads through them by arrows', () => {
    place(Array.from({ length: 24 }, (_, n) => ask(`q${String(n).padStart(2, '0')}`, (n + 1) * minute)));
    expect(rows()).toHaveLength(24);
    const items = document.querySelectorAll<HTMLElement>('a.item');
    act(() => items[0]!.focus());
    fireEvent.keyDown(items[0]!, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(items[1]);
    expect(open()).toBe('q01');
    expect(location.hash).toBe('#/inbox/q01');
  });

  it('enters the card by a key, and only shows it by a click', () => {
    place([ask('a'), ask('b', 4 * minute)]);
    const item = document.querySelector<HTMLElement>('a.item')!;
    fireEvent.click(item, { detail: 1 });
    expect(entered).toEqual([]);
    fireEvent.click(item, { detail: 0 });
    expect(entered).toEqual(['a']);
  });

  it('clears what was moved on from, and counts only what waits', async () => {
    place([ask('a'), timedOut('m1'), timedOut('m2')]);
    expect(document.querySelector('.grp.wait span')!.textContent).toBe('1');
    fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
    await eventually(() => expect(rows()).toEqual(['a']));
  });
});
