import type { Interaction } from '../backend/types.gen.ts';

/** What an interaction asks, as one text. */
export function askedOf(i: Interaction): string {
  return i.approval ? i.approval.title || i.question : i.question || i.questions?.[0]?.question || '';
}
