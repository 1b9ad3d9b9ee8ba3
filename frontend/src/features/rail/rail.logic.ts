// Which sessions stand where in the rail. Pure.

import type { Interaction, Session } from '../../backend/types.gen.ts';
import type { Present } from '../../state/live.reducer.ts';
import type { StateName } from '../../ui/icon.tsx';

export type GroupName = 'needs' | 'running' | 'queued' | 'earlier';

export const groupNames: readonly GroupName[] = ['needs', 'running', 'queued', 'earlier'];

/** A session as the rail shows it. */
export interface Entry {
  session: Session;
  group: GroupName;
  state: StateName;
  /** When the present state began. */
  since: number;
}

/** Where each session stands, in order. */
export type Arrangement = Readonly<Record<GroupName, readonly string[]>>;

/** More earlier sessions than this are folded away. */
export const foldAbove = 6;

function oldestWait(interactions: readonly Interaction[], session: string): number {
  let oldest = 0;
  for (const i of interactions) {
    if (i.session_id !== session || i.outcome) continue;
    if (!oldest || i.requested_at < oldest) oldest = i.requested_at;
  }
  return oldest;
}

export function entryOf(session: Session, interactions: readonly Interaction[]): Entry {
  const waits = oldestWait(interactions, session.id);
  if (waits) return { session, group: 'needs', state: 'wait', since: waits };
  if (session.state !== 'idle') return { session, group: 'running', state: 'run', since: session.updated_at };
  if (session.queued.length > 0) return { session, group: 'queued', state: 'queue', since: 0 };
  const state =
    session.last_status === 'failed' ? 'bad' : session.last_status === 'interrupted' ? 'halt' : 'idle';
  return { session, group: 'earlier', state, since: session.updated_at };
}

export function entries(p: Present): Record<string, Entry> {
  const interactions = Object.values(p.interactions);
  return Object.fromEntries(Object.values(p.sessions).map((s) => [s.id, entryOf(s, interactions)]));
}

/** Groups by what is needed from the person; inside a group the newest comes first. */
export function arrange(all: Readonly<Record<string, Entry>>): Arrangement {
  const out: Record<GroupName, string[]> = { needs: [], running: [], queued: [], earlier: [] };
  const newest = (e: Entry) => e.since || e.session.updated_at;
  const sorted = Object.values(all).sort(
    (a, b) => newest(b) - newest(a) || (a.session.id < b.session.id ? 1 : -1),
  );
  for (const e of sorted) out[e.group].push(e.session.id);
  return out;
}

export function sameArrangement(a: Arrangement, b: Arrangement): boolean {
  return groupNames.every((g) => a[g].length === b[g].length && a[g].every((id, i) => id === b[g][i]));
}

/** Whether every word of the filter occurs in the session's title, folder or agent. */
export function matches(s: Session, agentName: string, filter: string): boolean {
  const text = `${s.title} ${s.cwd} ${s.branch} ${agentName}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
