// Store of the histories that were opened, by session. Fed by the stream; pages
// are fetched by the session view. A number that is missing marks a history as
// stale, and what came after it waits until the missing ones were fetched.

import { create } from 'zustand';
import type { Event, Timeline } from '../backend/types.gen.ts';
import { applyEvent, emptyHistory, type History, withLive } from './timeline.reducer.ts';

export interface Opened extends History {
  /** Oldest number held; 0 while nothing was fetched. */
  from: number;
  /** There is an older page. */
  more: boolean;
  /** Something was missed: fetch what came after through. */
  stale: boolean;
  failed: boolean;
  loaded: boolean;
  /** All durable events held, so that an older page can be put before them. */
  events: readonly Event[];
  /** Events that arrived ahead of the missing ones. */
  ahead: readonly Event[];
}

const unopened: Opened = {
  ...emptyHistory,
  from: 0,
  more: false,
  stale: false,
  failed: false,
  loaded: false,
  events: [],
  ahead: [],
};

interface Store {
  opened: Readonly<Record<string, Opened>>;
}

export const useTimelines = create<Store>()(() => ({ opened: {} }));

function update(id: string, change: (o: Opened) => Opened): void {
  useTimelines.setState(({ opened }) => {
    const old = opened[id];
    if (!old) return { opened };
    const now = change(old);
    return now === old ? { opened } : { opened: { ...opened, [id]: now } };
  });
}

/** Begins to follow a session; its first page still has to be fetched. */
export function open(id: string): void {
  useTimelines.setState(({ opened }) =>
    opened[id] ? { opened } : { opened: { ...opened, [id]: unopened } },
  );
}

/** Forgets sessions that are gone. */
export function forget(keep: (id: string) => boolean): void {
  useTimelines.setState(({ opened }) => ({
    opened: Object.fromEntries(Object.entries(opened).filter(([id]) => keep(id))),
  }));
}

/** Events from the stream, of any session. */
export function receive(events: readonly Event[]): void {
  useTimelines.setState(({ opened }) => {
    let now = opened;
    for (const e of events) {
      const old = now[e.session_id];
      if (!old) continue;
      const next = take(old, e);
      if (next !== old) now = { ...now, [e.session_id]: next };
    }
    return { opened: now };
  });
}

/** One event: applied when it is the next one, kept for later when numbers are missing. */
export function take(o: Opened, e: Event): Opened {
  if (!e.seq) {
    if (!o.loaded) return o;
    const next = applyEvent(o, e);
    if (next === o) return o;
    // One fetch for each gap: a text that stays broken is repaired by its completed message.
    const torn = (h: History) => h.live.filter((l) => l.later.length > 0).length;
    return { ...o, ...next, stale: o.stale || torn(next) > torn(o) };
  }
  if (e.seq <= o.through) return o;
  if (!o.loaded || e.seq > o.through + 1) return { ...o, stale: true, ahead: [...o.ahead, e] };
  return drain({ ...o, ...applyEvent(o, e), events: [...o.events, e] });
}

function drain(o: Opened): Opened {
  let now = o;
  const rest = [...o.ahead].sort((a, b) => a.seq! - b.seq!);
  while (rest.length > 0 && rest[0]!.seq! <= now.through + 1) {
    const e = rest.shift()!;
    if (e.seq! > now.through) now = { ...now, ...applyEvent(now, e), events: [...now.events, e] };
  }
  return { ...now, ahead: rest, stale: rest.length > 0 };
}

/** The newest page, or what came after the last number held. */
export function takeNewer(id: string, page: Timeline): void {
  update(id, (o) => newer(o, page));
}

export function newer(o: Opened, page: Timeline): Opened {
  // Going up from a number, "more" means newer ones; in the newest page, older ones.
  const up = o.loaded && o.through > 0;
  let now: Opened = { ...o, loaded: true, failed: false };
  if (!up) now = { ...now, more: page.more, from: page.events[0]?.seq ?? 0 };
  for (const e of page.events) {
    if (e.seq && e.seq > now.through) now = { ...now, ...applyEvent(now, e), events: [...now.events, e] };
  }
  now = { ...now, through: Math.max(now.through, page.through) };
  now = drain({ ...now, ...withLive(now, page.live) });
  return { ...now, stale: now.stale || (up && page.more) };
}

/** The page before the oldest event held. */
export function takeOlder(id: string, page: Timeline): void {
  update(id, (o) => older(o, page));
}

export function older(o: Opened, page: Timeline): Opened {
  const before = page.events.filter((e) => e.seq && (o.from === 0 || e.seq < o.from));
  const events = [...before, ...o.events];
  const { turns } = events.reduce(applyEvent, emptyHistory);
  return { ...o, events, turns, from: events[0]?.seq ?? 0, more: page.more, failed: false };
}

export function markFailed(id: string): void {
  update(id, (o) => ({ ...o, failed: true }));
}

/** After a snapshot: histories that are behind the present must be fetched anew. */
export function markBehind(newest: (id: string) => number): void {
  useTimelines.setState(({ opened }) => ({
    opened: Object.fromEntries(
      Object.entries(opened).map(([id, o]) => [
        id,
        o.loaded && (newest(id) > o.through || o.live.length > 0) ? { ...o, stale: true } : o,
      ]),
    ),
  }));
}
