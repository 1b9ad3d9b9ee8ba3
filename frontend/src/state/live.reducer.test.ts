import { describe, expect, it } from 'vitest';
import { question, session } from '../../dev/make.ts';
import type { Event, Interaction, Outcome, Session, Snapshot } from '../backend/types.gen.ts';
import {
  apply,
  fromSnapshot,
  isMovedOn,
  movedOnList,
  type Present,
  settle,
  takesLate,
  waitingIn,
  waitingList,
} from './live.reducer.ts';

const q = (id: string, left: number, change: Partial<Interaction> = {}) =>
  question({ interaction_id: id, session_id: 's', agent: 'claude', ...change }, left);
const end = (o: Partial<Outcome> = {}): Outcome => ({
  reason: 'response',
  cause: 'person',
  response: '',
  selected: [],
  text: '',
  resolved_at: 5,
  ...o,
});

function present(interactions: Interaction[] = [], s: Partial<Session> = {}): Present {
  const snap: Snapshot = {
    sessions: [session({ id: 's', title: 'S', agent: 'claude', last_seq: 10, ...s })],
    interactions,
    plans: [],
    version: 'x',
    at: 0,
  };
  return fromSnapshot(snap);
}
function event(seq: number, type: Event['type'], data: unknown): Event {
  return { seq, at: 99, session_id: 's', turn_id: 't', type, data } as Event;
}

describe('questions', () => {
  it('come up by an event and are settled once', () => {
    let p = apply(present(), event(11, 'clarify.requested', q('a', 60_000)));
    expect(waitingList(p).map((i) => i.interaction_id)).toEqual(['a']);
    p = settle(p, 'a', end({ response: 'one' })); // as the reply to an answer from here
    const told = { interaction_id: 'a', seen_at: 4, ...end({ response: 'two' }) };
    p = apply(p, event(12, 'clarify.resolved', told));
    expect(waitingList(p)).toEqual([]);
    expect(p.interactions.a!.outcome!.response).toBe('one');
    expect(p.interactions.a!.seen_at).toBe(4);
  });

  it('do not come back by a replay', () => {
    let p = apply(present(), event(11, 'clarify.requested', q('a', 60_000)));
    p = apply(p, event(12, 'clarify.resolved', { interaction_id: 'a', ...end() }));
    expect(apply(p, event(11, 'clarify.requested', q('a', 60_000)))).toBe(p);
    expect(waitingList(p)).toEqual([]);
  });

  it('with equal texts in two sessions stay two', () => {
    const p = present([q('a', 1000), q('b', 1000, { session_id: 'other' })]);
    const after = settle(p, 'a', end({ response: 'x' }));
    expect(after.interactions.b!.outcome).toBeUndefined();
  });

  it('stand by time left, those without a limit last', () => {
    const p = present([q('form', 0, { deadline_at: 0 }), q('late', 9000), q('soon', 100)]);
    expect(waitingList(p).map((i) => i.interaction_id)).toEqual(['soon', 'late', 'form']);
    expect(waitingIn(p, 's')).toHaveLength(3);
  });

  it('take a moved deadline, but none once they have ended', () => {
    const move = {
      interaction_id: 'a',
      deadline_at: 777,
      max_deadline_at: 888,
      remaining_timeout_ms: 1,
      cause: 'typing',
    };
    let p = apply(present([q('a', 1)]), event(11, 'clarify.updated', move));
    expect(p.interactions.a).toMatchObject({ deadline_at: 777, max_deadline_at: 888 });
    p = settle(p, 'a', end());
    p = apply(p, event(12, 'clarify.updated', { ...move, deadline_at: 999 }));
    expect(p.interactions.a!.deadline_at).toBe(777);
  });
});

describe('late answers', () => {
  it.each([
    ['timeout', {}, { reason: 'timeout', cause: 'deadline' }, true],
    ['a lost connection', {}, { reason: 'cancelled', cause: 'connection_closed' }, true],
    ['a restart', {}, { reason: 'cancelled', cause: 'app_restarted' }, true],
    ['a deliberate stop', {}, { reason: 'cancelled', cause: 'turn_stopped' }, false],
    ['dismissed', {}, { reason: 'dismissed' }, false],
    ['answered', {}, {}, false],
    ['answered but never delivered', { undelivered_at: 5 }, {}, true],
    ['an approval that timed out', { kind: 'approval' }, { reason: 'timeout', cause: 'deadline' }, false],
    ['a request of a server', { kind: 'elicitation' }, { reason: 'timeout', cause: 'deadline' }, false],
  ] as const)('%s', (_, change, outcome, want) => {
    const i = { ...q('a', 1, change as Partial<Interaction>), outcome: end(outcome as Partial<Outcome>) };
    expect(takesLate(i)).toBe(want);
    expect(isMovedOn(i)).toBe(want);
    expect(isMovedOn({ ...i, cleared_at: 9 })).toBe(false);
  });

  it('leave the inbox when cleared elsewhere or answered late', () => {
    let p = present([{ ...q('a', 1), outcome: end({ reason: 'timeout', cause: 'deadline' }) }]);
    expect(movedOnList(p)).toHaveLength(1);
    p = apply(p, event(11, 'clarify.updated', { interaction_id: 'a', cause: 'cleared' }));
    expect(movedOnList(p)).toEqual([]);
  });
});

it('keeps the number of a session when a late copy of it comes in', () => {
  const s = present().sessions.s!;
  const p = apply(present(), event(8, 'session.updated', { ...s, title: 'Old', last_seq: 8 }));
  expect(p.sessions.s!.title).toBe('S');
  const now = apply(present(), event(11, 'session.updated', { ...s, title: 'New', last_seq: 10 }));
  expect(now.sessions.s).toMatchObject({ title: 'New', last_seq: 11 });
});

it('forgets everything of a deleted session', () => {
  const p = apply(present([q('a', 1)]), event(0, 'session.deleted', {}));
  expect(p.sessions).toEqual({});
  expect(p.interactions).toEqual({});
});

it('never lets an older plan beat a newer one', () => {
  const plan = (revision: number) => ({ plan_id: 'p', session_id: 's', revision, plan: [] });
  let p = apply(present(), event(12, 'plan.updated', plan(5)));
  p = apply(p, { ...event(0, 'plan.updated', plan(4)) });
  expect(p.plans.s!.revision).toBe(5);
});

it('leaves the plan of a turn behind when the next one begins', () => {
  const plan = { plan_id: 'p', session_id: 's', revision: 1, plan: [] };
  let p = apply(present(), event(11, 'plan.updated', plan));
  p = apply(p, event(12, 'turn.completed', { status: 'completed' }));
  expect(p.plans.s!.plan_id).toBe('p');
  p = apply(p, event(13, 'turn.started', { text: 'another task' }));
  expect(p.plans.s).toBeUndefined();
  expect(apply(p, event(11, 'plan.updated', plan)).plans.s).toBeUndefined(); // a replay brings none back
});
