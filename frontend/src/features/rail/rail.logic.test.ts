import { describe, expect, it } from 'vitest';
import { question, session } from '../../../dev/make.ts';
import type { Session } from '../../backend/types.gen.ts';
import { arrange, entries, entryOf, matches, sameArrangement } from './rail.logic.ts';

const s = (id: string, change: Partial<Session> = {}) =>
  session({ id, title: id, agent: 'claude', ...change });
const waits = (id: string, at: number) => ({
  ...question({ interaction_id: `q${id}${at}`, session_id: id, agent: 'claude' }, 1000),
  requested_at: at,
});
const queued = [{ turn_id: 'q', text: 'x', held: false }];

describe('a session stands', () => {
  it.each([
    ['idle', s('a'), 'earlier', 'idle'],
    ['running', s('a', { state: 'running' }), 'running', 'run'],
    ['starting', s('a', { state: 'starting' }), 'running', 'run'],
    ['queued', s('a', { queued }), 'queued', 'queue'],
    ['failed', s('a', { last_status: 'failed' }), 'earlier', 'bad'],
    ['stopped', s('a', { last_status: 'interrupted' }), 'earlier', 'halt'],
  ] as const)('%s', (_, session, group, state) => {
    expect(entryOf(session, [])).toMatchObject({ group, state });
  });

  it('waiting, whatever else it does, since its oldest question', () => {
    const e = entryOf(s('a', { state: 'running', queued }), [waits('a', 50), waits('a', 20), waits('b', 1)]);
    expect(e).toMatchObject({ group: 'needs', state: 'wait', since: 20 });
  });

  it('not waiting for what is settled', () => {
    const done = { ...waits('a', 5), outcome: { reason: 'dismissed' } as never };
    expect(entryOf(s('a'), [done]).group).toBe('earlier');
  });
});

it('puts the newest wait first', () => {
  const sessions = Object.fromEntries([s('a'), s('b'), s('c', { state: 'running' })].map((x) => [x.id, x]));
  const interactions = Object.fromEntries([waits('a', 10), waits('b', 20)].map((i) => [i.interaction_id, i]));
  const a = arrange(entries({ known: true, version: '', plans: {}, sessions, interactions }));
  expect(a).toEqual({ needs: ['b', 'a'], running: ['c'], queued: [], earlier: [] });
  expect(sameArrangement(a, { ...a, needs: ['a', 'b'] })).toBe(false);
  expect(sameArrangement(a, structuredClone(a))).toBe(true);
});

it('filters by every word in title, folder, branch or agent', () => {
  const one = s('Idempotent transfers', { cwd: '/src/ledger', branch: 'feat/x' });
  expect(matches(one, 'Claude Code', 'ledger IDEM')).toBe(true);
  expect(matches(one, 'Claude Code', 'claude feat')).toBe(true);
  expect(matches(one, 'Claude Code', 'codex')).toBe(false);
});
