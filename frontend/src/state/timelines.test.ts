import { beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../backend/types.gen.ts';
import { markBehind, newer, older, open, receive, take, takeNewer, useTimelines } from './timelines.ts';

function message(seq: number): Event {
  return {
    seq,
    at: seq,
    session_id: 's',
    turn_id: 't',
    type: 'message.completed',
    data: { message_id: `m${seq}`, text: `text ${seq}` },
  };
}
const page = (from: number, to: number, more = false, through = to) => ({
  events: Array.from({ length: to - from + 1 }, (_, n) => message(from + n)),
  through,
  more,
  live: [],
});
const state = () => useTimelines.getState().opened.s!;
const texts = () => state().turns.flatMap((t) => t.parts.map((p) => (p as { text: string }).text));
const upTo = (n: number) => Array.from({ length: n }, (_, i) => `text ${i + 1}`);

beforeEach(() => {
  useTimelines.setState({ opened: {} });
  open('s');
});

describe('numbers', () => {
  it('ignores sessions that are not open, and replays', () => {
    receive([{ ...message(1), session_id: 'other' }]);
    expect(Object.keys(useTimelines.getState().opened)).toEqual(['s']);
    takeNewer('s', page(1, 3));
    receive([message(2), message(3)]);
    expect(texts()).toEqual(upTo(3));
  });

  it('holds events back over a gap, asks for the missing ones, and loses none', () => {
    takeNewer('s', page(1, 2));
    receive([message(5), message(4)]);
    expect(state().stale).toBe(true);
    expect(texts()).toEqual(upTo(2));
    takeNewer('s', page(3, 3));
    expect(texts()).toEqual(upTo(5));
    expect(state()).toMatchObject({ stale: false, through: 5, ahead: [] });
  });

  it('keeps what the stream brings while the first page is on its way', () => {
    receive([message(4), message(3)]);
    takeNewer('s', page(1, 3));
    expect(texts()).toEqual(upTo(4));
  });

  it('asks on while a page of missed events is not the last', () => {
    takeNewer('s', page(1, 1));
    receive([message(9)]);
    takeNewer('s', page(2, 5, true, 5));
    expect(state().stale).toBe(true);
    takeNewer('s', page(6, 8));
    expect(texts()).toEqual(upTo(9));
    expect(state().stale).toBe(false);
  });

  it('comes out the same in any order of arrival', () => {
    for (const order of [
      [3, 4, 5],
      [5, 4, 3],
      [4, 3, 5],
      [5, 3, 4],
    ]) {
      let o = newer({ ...state() }, page(1, 2));
      for (const n of order) o = take(o, message(n));
      expect(o.through, String(order)).toBe(5);
      expect(o.ahead).toEqual([]);
    }
  });
});

it('puts an older page before what is there, calls and results joined', () => {
  const started: Event = {
    ...message(1),
    type: 'tool.started',
    data: { tool_id: 'x', name: 'Bash', kind: 'run', title: 'ls', input: '' },
  };
  const ended: Event = {
    ...message(2),
    type: 'tool.completed',
    data: { tool_id: 'x', status: 'ok', output: 'out', truncated: false, duration_ms: 1 },
  };
  takeNewer('s', { events: [ended], through: 2, more: true, live: [] });
  const o = older(state(), { events: [started], through: 2, more: false, live: [] });
  expect(o.turns[0]!.parts).toMatchObject([{ title: 'ls', end: { output: 'out' } }]);
  expect(o).toMatchObject({ from: 1, more: false, through: 2 });
});

it('asks for one fetch at each gap of a streaming text, and for no more', () => {
  takeNewer('s', page(1, 1));
  const delta = (offset: number, text: string): Event => ({
    at: 1,
    session_id: 's',
    turn_id: 't',
    type: 'message.delta',
    data: { message_id: 'live', offset, text },
  });
  receive([delta(0, 'a'), delta(5, 'f')]);
  expect(state().stale).toBe(true);
  takeNewer('s', { events: [], through: 1, more: false, live: [] });
  receive([delta(6, 'g')]);
  expect(state().stale).toBe(false);
  expect(state().live[0]!.text).toBe('a');
});

it('marks histories as behind after a new present', () => {
  takeNewer('s', page(1, 3));
  markBehind(() => 3);
  expect(state().stale).toBe(false);
  markBehind(() => 4);
  expect(state().stale).toBe(true);
});
