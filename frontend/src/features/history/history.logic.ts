// What the history shows: filters as the back end takes them, and days. Pure.

import type { HistoryEnd, Interaction, Kind } from '../../backend/types.gen.ts';

export type Period = '' | 'day' | 'week' | 'month';

export interface Filter {
  words: string;
  session: string;
  agent: string;
  kind: Kind | '';
  end: HistoryEnd | '';
  period: Period;
}

export const everything: Filter = { words: '', session: '', agent: '', kind: '', end: '', period: '' };

export function isFiltered(f: Filter): boolean {
  return Object.values(f).some((v) => v.trim() !== '');
}

const dayMS = 24 * 3600 * 1000;
const spans: Record<Exclude<Period, ''>, number> = { day: 1, week: 7, month: 30 };

/** The query of a filter; periods are whole days that end with today. */
export function queryOf(f: Filter, now: number): Record<string, string> {
  const q: Record<string, string> = {};
  if (f.words.trim()) q.q = f.words.trim();
  if (f.session) q.session = f.session;
  if (f.agent) q.agent = f.agent;
  if (f.kind) q.kind = f.kind;
  if (f.end) q.end = f.end;
  if (f.period) q.since = String(startOfDay(now) - (spans[f.period] - 1) * dayMS);
  return q;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

export interface Day {
  /** Any moment of it. */
  at: number;
  list: readonly Interaction[];
}

/** Groups by the day on which they were asked, in the order they come. */
export function byDay(list: readonly Interaction[]): Day[] {
  const days: { at: number; list: Interaction[] }[] = [];
  for (const i of list) {
    const last = days.at(-1);
    if (last && startOfDay(last.at) === startOfDay(i.requested_at)) last.list.push(i);
    else days.push({ at: i.requested_at, list: [i] });
  }
  return days;
}
