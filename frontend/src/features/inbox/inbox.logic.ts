// Which question is in front in the inbox, and what the list shows. Pure.

import type { Interaction } from '../../backend/types.gen.ts';
import type { Sending } from '../../state/answers.ts';
import { isMovedOn, isWaiting, takesLate } from '../../state/live.reducer.ts';

export interface Place {
  /** The question asked for by the address, "" for none. */
  wanted: string;
  /** The question that was in front before. */
  before: string;
  /** Where in the list that was. */
  beforeAt: number;
  /** The wanted one had been cleared already when it was asked for. */
  wantedCleared: boolean;
}

/**
 * The question in front. The wanted one stays as long as it can be answered, and
 * also when somebody else has settled it, so that what one was writing to does not
 * turn into another question under one's hands. Only an answer from here, or
 * clearing it, brings up the one that took its place in the list. New questions
 * with less time left change nothing.
 */
export function inFront(
  p: Place,
  order: readonly string[],
  all: Readonly<Record<string, Interaction>>,
  sending: Readonly<Record<string, Sending>>,
): string {
  for (const id of [p.wanted, p.wanted ? '' : p.before]) {
    const i = all[id];
    if (i && stays(i, sending[id], id === p.wanted && p.wantedCleared)) return id;
  }
  if (order.length === 0) return '';
  return order[Math.min(Math.max(p.beforeAt, 0), order.length - 1)]!;
}

function stays(i: Interaction, mine: Sending | undefined, clearedBefore: boolean): boolean {
  if (isWaiting(i) || isMovedOn(i)) return true;
  if (takesLate(i)) return clearedBefore;
  return !settledHere(mine);
}

/** Whether this page's own answer settled it. */
export function settledHere(mine: Sending | undefined): boolean {
  return mine?.phase === 'accepted' && !mine.lost;
}

/**
 * A question as it is shown. While an answer from here is on its way, the reply to
 * it says whose was taken; until then the card stays, with the focus in it.
 */
export function shownAs(i: Interaction, mine: Sending | undefined): Interaction {
  if (mine?.phase !== 'sending' || takesLate(i)) return i;
  const { outcome: _, ...waiting } = i;
  return waiting;
}

/** The waiting question after or before one, round and round. */
export function neighbour(order: readonly string[], current: string, by: number): string {
  if (order.length === 0) return '';
  const at = order.indexOf(current);
  if (at < 0) return by > 0 ? order[0]! : order.at(-1)!;
  return order[(at + by + order.length) % order.length]!;
}

/** An order that moves nothing: what was there stays where it was, what is new comes last. */
export function steady(shown: readonly string[], now: readonly string[]): readonly string[] {
  const fresh = now.filter((id) => !shown.includes(id));
  return fresh.length === 0 ? shown : [...shown, ...fresh];
}
