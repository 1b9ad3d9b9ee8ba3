// Which question is in front in the inbox. Pure.

import type { Interaction } from '../../backend/types.gen.ts';

/**
 * The question in front: the asked for one while it can be answered, else the
 * one that took its place in the list, else the first.
 */
export function inFront(
  wanted: string,
  order: readonly string[],
  answerable: ReadonlyMap<string, Interaction>,
  lastIndex: number,
): string {
  if (answerable.has(wanted)) return wanted;
  if (order.length === 0) return '';
  return order[Math.min(Math.max(lastIndex, 0), order.length - 1)]!;
}

/** The waiting question after or before one, round and round. */
export function neighbour(order: readonly string[], current: string, by: number): string {
  if (order.length === 0) return '';
  const at = order.indexOf(current);
  if (at < 0) return by > 0 ? order[0]! : order.at(-1)!;
  return order[(at + by + order.length) % order.length]!;
}
