// Short makers for invented data.

import type { Interaction, Option, Session } from '../src/backend/types.gen.ts';

export const second = 1000;
export const minute = 60 * second;

export function session(s: Partial<Session> & Pick<Session, 'id' | 'title' | 'agent'>): Session {
  const now = Date.now();
  return {
    kind: 'direct',
    profile: 'default',
    cwd: '/home/mara/src/ledger',
    branch: 'main',
    model: '',
    effort: '',
    mode: 'ask',
    state: 'idle',
    native_id: 'n1',
    forked_from: '',
    fork_native: '',
    live: true,
    closed: false,
    created_at: now - 60 * minute,
    updated_at: now - 10 * minute,
    last_seq: 0,
    waiting_for: 0,
    waiting_since: 0,
    last_status: 'completed',
    queued: [],
    ...s,
  };
}

/** A waiting question; left is what remains of given, both in milliseconds. */
export function question(
  i: Partial<Interaction> & Pick<Interaction, 'interaction_id' | 'session_id' | 'agent'>,
  left: number,
  given = 5 * minute,
): Interaction {
  const now = Date.now();
  const asked = now + left - given;
  return {
    run_id: 't1',
    kind: 'clarify',
    session_title: '',
    cwd: '/home/mara/src/ledger',
    branch: 'main',
    plan_step: '',
    said_before: '',
    question: '',
    choices: null,
    options: [],
    multi_select: false,
    requested_at: asked,
    timeout_ms: given,
    remaining_timeout_ms: left,
    deadline_at: now + left,
    max_deadline_at: asked + 60 * minute,
    ...i,
  };
}

export function options(...list: (string | Option)[]): Option[] {
  return list.map((o) => (typeof o === 'string' ? { label: o } : o));
}
