import { expect, it } from 'vitest';
import { question } from '../../../dev/make.ts';
import type { Interaction, Outcome } from '../../backend/types.gen.ts';
import type { Sending } from '../../state/answers.ts';
import { inFront, neighbour, steady } from './inbox.logic.ts';

const ask = (id: string, outcome?: Partial<Outcome>, more: Partial<Interaction> = {}): Interaction => ({
  ...question({ interaction_id: id, session_id: 's', agent: 'claude', ...more }, 60_000),
  ...(outcome && {
    outcome: {
      reason: 'response',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      resolved_at: 1,
      ...outcome,
    },
  }),
});
const all = (...list: Interaction[]) => Object.fromEntries(list.map((i) => [i.interaction_id, i]));
const place = (wanted: string, before = '', beforeAt = 0, wantedCleared = false) => ({
  wanted,
  before,
  beforeAt,
  wantedCleared,
});
const mine = (lost = false): Sending => ({
  phase: 'accepted',
  action: 'answer',
  error: '',
  offline: false,
  lost,
});

it('shows what the address asks for, as long as it can be answered', () => {
  expect(inFront(place('b'), ['a', 'b'], all(ask('a'), ask('b')), {})).toBe('b');
  const late = ask('late', { reason: 'timeout', cause: 'deadline' });
  expect(inFront(place('late'), ['a'], all(ask('a'), late), {})).toBe('late');
});

it('brings up what took the place of one that was answered here', () => {
  const b = ask('b', {});
  expect(inFront(place('b', 'b', 1), ['a', 'c'], all(ask('a'), b, ask('c')), { b: mine() })).toBe('c');
  expect(inFront(place('b', 'b', 2), ['a', 'c'], all(ask('a'), b, ask('c')), { b: mine() })).toBe('c');
  expect(inFront(place(''), ['a'], all(ask('a')), {})).toBe('a');
  expect(inFront(place('x'), [], {}, {})).toBe('');
});

it('stays at one that somebody else has settled, until the person goes on', () => {
  const b = ask('b', {});
  expect(inFront(place('b', 'b', 1), ['a'], all(ask('a'), b), {})).toBe('b');
  expect(inFront(place('b', 'b', 1), ['a'], all(ask('a'), b), { b: mine(true) })).toBe('b');
  expect(inFront(place('', 'b', 1), ['a'], all(ask('a'), b), {})).toBe('b');
});

it('does not give way to a new question with less time left', () => {
  expect(inFront(place('', 'a', 0), ['new', 'a'], all(ask('new'), ask('a')), {})).toBe('a');
});

it('goes on after clearing, but opens one that was cleared before', () => {
  const gone = ask('m', { reason: 'timeout', cause: 'deadline' }, { cleared_at: 5 });
  expect(inFront(place('m', 'm', 0), ['n'], all(gone, ask('n')), {})).toBe('n');
  expect(inFront(place('m', '', 0, true), ['n'], all(gone, ask('n')), {})).toBe('m');
});

it('goes round and round', () => {
  expect(neighbour(['a', 'b', 'c'], 'c', 1)).toBe('a');
  expect(neighbour(['a', 'b', 'c'], 'a', -1)).toBe('c');
  expect(neighbour(['a', 'b'], 'gone', 1)).toBe('a');
  expect(neighbour([], 'a', 1)).toBe('');
});

it('moves nothing that is shown: what is new comes last', () => {
  expect(steady(['a', 'b'], ['new', 'b', 'a'])).toEqual(['a', 'b', 'new']);
  const shown = ['a', 'b'];
  expect(steady(shown, ['b'])).toBe(shown);
});
