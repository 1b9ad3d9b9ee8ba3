// The present: sessions, open questions, plans. Starts from a snapshot and goes
// on with events. Pure; a state that does not change is returned as it is.

import type {
  Event,
  Interaction,
  InteractionLateAnswered,
  InteractionResolved,
  InteractionUpdated,
  Outcome,
  Plan,
  Session,
  Snapshot,
} from '../backend/types.gen.ts';
import { seenIn } from './asked.ts';

export interface Present {
  /** False until the first snapshot. */
  known: boolean;
  version: string;
  sessions: Readonly<Record<string, Session>>;
  /** Waiting and moved on, and those that ended since the snapshot. */
  interactions: Readonly<Record<string, Interaction>>;
  /** The plan that the newest turn of a session has, by session id. */
  plans: Readonly<Record<string, Plan>>;
}

export const nothing: Present = { known: false, version: '', sessions: {}, interactions: {}, plans: {} };

function byID<V>(list: readonly V[], key: (v: V) => string): Record<string, V> {
  const out: Record<string, V> = {};
  for (const v of list) out[key(v)] = v;
  return out;
}

/** Takes a snapshot over whole: what it does not hold is not there any more. */
export function fromSnapshot(s: Snapshot): Present {
  return {
    known: true,
    version: s.version,
    sessions: byID(s.sessions, (v) => v.id),
    interactions: byID(s.interactions, (v) => v.interaction_id),
    plans: byID(s.plans, (v) => v.session_id),
  };
}

/** Applies one event. Numbers already seen are ignored, so replays do no harm. */
export function apply(p: Present, e: Event): Present {
  if (e.type === 'session.deleted') return withoutSession(p, e.session_id);
  if (e.type === 'session.created' || e.type === 'session.updated') return withSession(p, e.data, e.seq);
  const numbered = withNumber(p, e);
  if (e.seq && numbered === p && p.sessions[e.session_id]) return p; // a replay
  if (e.type === 'plan.updated') return withPlan(numbered, e.data);
  if (e.type === 'turn.started') return withoutPlan(numbered, e.session_id);
  const dot = e.type.lastIndexOf('.');
  switch (e.type.slice(dot + 1)) {
    case 'requested':
      return withInteraction(numbered, e.data as Interaction);
    case 'updated':
      return update(numbered, e.data as InteractionUpdated, e.at);
    case 'resolved': {
      const d = e.data as InteractionResolved;
      return patch(settle(numbered, d.interaction_id, d), d.interaction_id, seenIn(d));
    }
    case 'late_answered': {
      const d = e.data as InteractionLateAnswered;
      return patch(numbered, d.interaction_id, { late: d, ...seenIn(d) });
    }
    case 'delivered': {
      const d = e.data as { interaction_id: string; delivered_at: number };
      return patch(numbered, d.interaction_id, { delivered_at: d.delivered_at });
    }
    default:
      return numbered;
  }
}

function withSession(p: Present, s: Session, seq = 0): Present {
  const old = p.sessions[s.id];
  if (old && seq && seq < old.last_seq) return p;
  return { ...p, sessions: { ...p.sessions, [s.id]: { ...s, last_seq: Math.max(s.last_seq, seq) } } };
}

function withoutSession(p: Present, id: string): Present {
  if (!p.sessions[id]) return p;
  const { [id]: _, ...sessions } = p.sessions;
  const { [id]: __, ...plans } = p.plans;
  const interactions = byID(
    Object.values(p.interactions).filter((i) => i.session_id !== id),
    (i) => i.interaction_id,
  );
  return { ...p, sessions, plans, interactions };
}

function withNumber(p: Present, e: Event): Present {
  const s = p.sessions[e.session_id];
  if (!s || !e.seq || e.seq <= s.last_seq) return p;
  return { ...p, sessions: { ...p.sessions, [s.id]: { ...s, last_seq: e.seq } } };
}

function withPlan(p: Present, plan: Plan): Present {
  const old = p.plans[plan.session_id];
  if (old && old.plan_id === plan.plan_id && old.revision > plan.revision) return p;
  return { ...p, plans: { ...p.plans, [plan.session_id]: plan } };
}

/** A turn has begun: what the one before planned is no plan of what is done now. */
function withoutPlan(p: Present, session: string): Present {
  if (!p.plans[session]) return p;
  const { [session]: _, ...plans } = p.plans;
  return { ...p, plans };
}

/** Puts an interaction in; an end that is known already is never taken back. */
export function withInteraction(p: Present, i: Interaction): Present {
  const old = p.interactions[i.interaction_id];
  const merged = old?.outcome && !i.outcome ? { ...i, outcome: old.outcome } : i;
  return { ...p, interactions: { ...p.interactions, [i.interaction_id]: merged } };
}

function patch(p: Present, id: string, change: Partial<Interaction>): Present {
  const old = p.interactions[id];
  if (!old) return p;
  return { ...p, interactions: { ...p.interactions, [id]: { ...old, ...change } } };
}

function update(p: Present, u: InteractionUpdated, at: number): Present {
  if (u.cause === 'cleared') return patch(p, u.interaction_id, { cleared_at: at });
  if (u.cause === 'undelivered') return patch(p, u.interaction_id, { undelivered_at: at, delivered_at: 0 });
  if (p.interactions[u.interaction_id]?.outcome) return p;
  return patch(p, u.interaction_id, {
    deadline_at: u.deadline_at,
    max_deadline_at: u.max_deadline_at,
    remaining_timeout_ms: u.remaining_timeout_ms,
  });
}

/** Ends an interaction. The first end stands; a later one changes nothing. */
export function settle(p: Present, id: string, outcome: Outcome): Present {
  if (p.interactions[id]?.outcome) return p;
  return patch(p, id, { outcome });
}

/** Whether nobody has settled it yet. */
export function isWaiting(i: Interaction): boolean {
  return i.outcome === undefined;
}

function endsLate(o: Outcome): boolean {
  return (
    o.reason === 'timeout' ||
    (o.reason === 'cancelled' && (o.cause === 'connection_closed' || o.cause === 'app_restarted'))
  );
}

/** Whether a late answer is accepted, as the next message. A permission that has ended can never act. */
export function takesLate(i: Interaction): boolean {
  if (!i.outcome || i.late || i.kind === 'approval' || i.kind === 'elicitation') return false;
  return (!!i.undelivered_at && !i.delivered_at) || endsLate(i.outcome);
}

/** Whether the inbox still keeps it in its part for what was moved on from. */
export function isMovedOn(i: Interaction): boolean {
  return !i.cleared_at && takesLate(i);
}

/** Waiting interactions, least time left first; those without a limit last, oldest first. */
export function waitingList(p: Present): Interaction[] {
  return Object.values(p.interactions).filter(isWaiting).sort(byTimeLeft);
}

function byTimeLeft(a: Interaction, b: Interaction): number {
  const left = (i: Interaction) => i.deadline_at || Number.POSITIVE_INFINITY;
  if (left(a) !== left(b)) return left(a) - left(b);
  return a.requested_at - b.requested_at || (a.interaction_id < b.interaction_id ? -1 : 1);
}

/** Interactions that ended unanswered and can still be answered, newest end first. */
export function movedOnList(p: Present): Interaction[] {
  return Object.values(p.interactions)
    .filter(isMovedOn)
    .sort((a, b) => b.outcome!.resolved_at - a.outcome!.resolved_at);
}

/** What waits in one session, oldest first: the order in which it was asked. */
export function waitingIn(p: Present, session: string): Interaction[] {
  return Object.values(p.interactions)
    .filter((i) => i.session_id === session && isWaiting(i))
    .sort((a, b) => a.requested_at - b.requested_at);
}
