import type { Interaction } from '../backend/types.gen.ts';

/** What an interaction asks, as one text. */
export function askedOf(i: Interaction): string {
  return i.approval ? i.approval.title || i.question : i.question || i.questions?.[0]?.question || '';
}

/** When a person first saw a question. Its end tells, and a late answer: the look itself is no event. */
export function seenIn(d: { seen_at?: number }): { seen_at?: number } {
  return d.seen_at ? { seen_at: d.seen_at } : {};
}
