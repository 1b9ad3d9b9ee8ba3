// @vitest-environment happy-dom
// Nothing is answered by accident: not by someone who types while questions come
// up, not by keys and clicks meant for what stood there before.
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { question, session } from '../../dev/make.ts';
import { agents } from '../../dev/scenes.ts';
import { type BackEnd, begin, eventually, show } from '../../test/page.tsx';
import type { Event, Interaction } from '../backend/types.gen.ts';
import { takeAgents } from '../state/agents.ts';
import { takeEvents } from '../state/live.ts';
import { go } from '../state/route.ts';
import { open as follow, takeNewer } from '../state/timelines.ts';
import { App } from './app.tsx';
import InboxPage from './inbox-page.tsx';
import SessionPage from './session-page.tsx';

let back: BackEnd;
let seq = 0;

const ask = (id: string, sessionID: string): Interaction => ({
  ...question(
    { interaction_id: id, session_id: sessionID, agent: 'claude', question: `Question ${id}?` },
    300_000,
  ),
  options: ['yes', 'no', 'later'].map((label) => ({ label })),
});

function comesUp(i: Interaction) {
  const e = {
    seq: ++seq,
    at: Date.now(),
    session_id: i.session_id,
    turn_id: 't',
    type: 'clarify.requested',
    data: i,
  };
  act(() => takeEvents([e as Event]));
}
const options = () => [...document.querySelectorAll('[data-option]')];
const chosen = () => document.querySelectorAll('[aria-checked="true"]').length;

beforeEach(() => {
  seq = 0;
  back = begin(
    [
      session({ id: 'a', title: 'A', agent: 'claude', state: 'running' }),
      session({ id: 'b', title: 'B', agent: 'codex', state: 'running' }),
    ],
    [],
  );
  for (const id of ['a', 'b']) {
    follow(id);
    takeNewer(id, { events: [], through: 0, more: false, live: [] });
  }
});
afterEach(async () => {
  // Pages that are still loading would draw after the end.
  await act(() => vi.dynamicImportSettled());
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('typing while questions come up', () => {
  it('chooses nothing, loses no character and moves no caret', async () => {
    show(<SessionPage id="b" />);
    const user = userEvent.setup();
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Message/ });
    await user.click(field);
    await user.keyboard('yes 1');
    comesUp(ask('q1', 'a'));
    await user.keyboard(' 2 ');
    comesUp(ask('q2', 'b'));
    expect(options()).toHaveLength(3);
    await user.keyboard('3 t');
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe('yes 1 2 3 t');
    expect(field.selectionStart).toBe(field.value.length);
    await user.keyboard('{Enter}');
    expect(chosen()).toBe(0);
    expect(back.answers).toEqual([]);
    expect(back.told('/messages')).toEqual([{ text: 'yes 1 2 3 t', how: 'queue' }]);
    expect(document.activeElement).toBe(field);
  });

  it('tells before sending that a message is no answer', async () => {
    show(<SessionPage id="b" />);
    comesUp(ask('q2', 'b'));
    const field = screen.getByRole('textbox', { name: /Message/ });
    expect(field.getAttribute('placeholder')).toContain('It waits for the card above');
    fireEvent.change(field, { target: { value: 'yes' } });
    expect(screen.getByText('No answer to the card.')).toBeTruthy();
    expect(screen.getByText('Goes out after this turn.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Send' })).toBeNull();
  });

  it('names Queue and Steer apart, and says of both what they do', async () => {
    takeAgents({
      agents: [{ ...agents.agents[1]!, family: 'codex', can_steer: true }],
      path_source: '',
      at: 0,
    });
    show(<SessionPage id="b" />);
    const field = screen.getByRole('textbox', { name: /Message/ });
    fireEvent.change(field, { target: { value: 'mind the tests' } });
    expect(screen.getByText('Queue: goes out after this turn. Steer: goes into it, now.')).toBeTruthy();
    comesUp(ask('q2', 'b'));
    expect(screen.getByText('No answer to the card.')).toBeTruthy();
    expect(
      screen.getByText('Queue: after this turn. Steer: into it, once the card is settled.'),
    ).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Steer' }));
    await act(async () => {});
    expect(back.told('/messages')).toMatchObject([{ text: 'mind the tests', how: 'steer' }]);
    expect(back.answers).toEqual([]);
    expect(options()).toHaveLength(3);
  });

  it('puts words into the card when the person says so, behind those that are there, and sends nothing', async () => {
    show(<SessionPage id="b" />);
    comesUp(ask('q2', 'b'));
    const say = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Or say it yourself' });
    fireEvent.change(say, { target: { value: 'first' } });
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Message/ });
    fireEvent.change(field, { target: { value: 'and second' } });
    fireEvent.click(screen.getByRole('button', { name: 'Use as answer' }));
    expect(say.value).toBe('first\nand second');
    expect(field.value).toBe('');
    expect(back.answers).toEqual([]);
    expect(back.told('/messages')).toEqual([]);
    await eventually(() => expect(document.activeElement).toBe(say));
  });

  it('goes from the message field into the card by Tab, and on from there', async () => {
    show(<SessionPage id="b" />);
    const user = userEvent.setup();
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Message/ });
    await user.click(field);
    await user.keyboard('half of a ');
    comesUp(ask('q2', 'b'));
    expect(document.activeElement).toBe(field);
    await user.tab();
    await eventually(() => expect(document.activeElement).toBe(options()[0]));
    expect(chosen()).toBe(0);
    expect(field.value).toBe('half of a ');
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(field);
    // Out of the card again, and so on to the buttons: it holds nobody.
    await user.tab();
    expect(document.activeElement).not.toBe(field);
    expect(document.activeElement?.closest('.comp')).not.toBeNull();
  });

  it('reaches the card by keys alone, and the message field stays in reach', () => {
    show(<SessionPage id="b" />);
    comesUp(ask('q2', 'b'));
    const stops = [...document.querySelectorAll<HTMLElement>('button, textarea, a[href], [tabindex]')].filter(
      (e) => e.tabIndex >= 0 && !(e as HTMLButtonElement).disabled,
    );
    const at = (s: string) => stops.findIndex((e) => e.matches(s));
    expect(at('[data-option]')).toBeGreaterThan(-1);
    expect(at('[data-option]')).toBeLessThan(at('[data-say]'));
    expect(at('[data-say]')).toBeLessThan(at('.comp-text'));
  });
});

describe('the next question at the same place', () => {
  it('is not hit by a double click or Enter meant for the one before', async () => {
    vi.useFakeTimers({
      toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date', 'setInterval', 'clearInterval'],
    });
    const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    comesUp(ask('q1', 'a'));
    comesUp({ ...ask('q2', 'b'), deadline_at: Date.now() + 900_000 });
    show(<InboxPage id="" />);
    await wait(400);
    const card = () => document.querySelector<HTMLElement>('[data-card]')!;
    expect(card().dataset.card).toBe('q1');
    fireEvent.click(options()[0]!);
    const send = () => screen.getByRole('button', { name: /Send answer/ });
    fireEvent.click(send());
    await wait(0);
    expect(card().dataset.card).toBe('q2');
    // The rest of the double click, and an impatient Enter.
    fireEvent.click(options()[0]!);
    fireEvent.click(send());
    fireEvent.click(screen.getByRole('button', { name: 'Close without answering' }));
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: '1' });
    fireEvent.keyDown(card(), { key: 'Enter' });
    expect(chosen()).toBe(0);
    expect(back.answers).toHaveLength(1);
    await wait(400);
    fireEvent.click(options()[1]!);
    fireEvent.click(send());
    await wait(0);
    expect(back.answers.map((a) => [a.interaction_id, a.selected])).toEqual([
      ['q1', ['yes']],
      ['q2', ['no']],
    ]);
  });
});

describe('two questions at once', () => {
  it('are answered each by its own answer, also while the other is on its way', async () => {
    comesUp(ask('q1', 'a'));
    comesUp(ask('q2', 'b'));
    let release = () => {};
    const gate = new Promise<void>((r) => {
      release = r;
    });
    const plain = back.onAnswer;
    back.onAnswer = async (a) => {
      await gate;
      return plain(a);
    };
    vi.useFakeTimers({
      toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date', 'setInterval', 'clearInterval'],
    });
    const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    const view = show(<SessionPage id="a" />);
    await wait(410);
    fireEvent.click(options()[0]!);
    fireEvent.click(screen.getByRole('button', { name: /Send answer/ }));
    view.rerender(<SessionPage id="b" />);
    await wait(410);
    fireEvent.click(options()[2]!);
    fireEvent.click(screen.getByRole('button', { name: /Send answer/ }));
    await act(async () => release());
    await wait(0);
    expect(back.answers.map((a) => [a.interaction_id, a.session_id, a.selected])).toEqual([
      ['q1', 'a', ['yes']],
      ['q2', 'b', ['later']],
    ]);
  });
});

it('counts what waits in title and inbox alike', async () => {
  show(<App />);
  comesUp(ask('q1', 'a'));
  comesUp(ask('q2', 'b'));
  await eventually(() => expect(document.title).toBe('(2) Parley'));
  expect(document.querySelector('.rail .count')?.textContent).toContain('2');
  act(() => go({ page: 'agents' }));
  expect(document.title).toBe('(2) Parley');
});
