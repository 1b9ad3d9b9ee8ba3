// Fetches what a session's history lacks: its first page, what was missed, and
// older pages on demand.

import { useEffect } from 'react';
import { api } from '../../backend/client.ts';
import { markFailed, type Opened, open, takeNewer, takeOlder, useTimelines } from '../../state/timelines.ts';

const pageSize = 400;
const retryMS = 2000;

const fetching = new Set<string>();

/** The history of a session, loaded and kept whole while it is shown. */
export function useHistory(session: string): Opened | undefined {
  const o = useTimelines((s) => s.opened[session]);
  const wants = !o?.loaded || o.stale;
  const failed = o?.failed ?? false;
  useEffect(() => {
    if (!wants) return;
    open(session);
    if (!failed) {
      void fetchNewer(session);
      return;
    }
    const timer = setTimeout(() => void fetchNewer(session), retryMS);
    return () => clearTimeout(timer);
  }, [session, wants, failed]);
  return o;
}

async function fetchNewer(session: string): Promise<void> {
  if (fetching.has(session)) return;
  fetching.add(session);
  try {
    for (;;) {
      const o = useTimelines.getState().opened[session];
      if (!o || (o.loaded && !o.stale)) return;
      const page = await api.timeline(session, o.loaded ? { after: o.through } : {}, pageSize);
      takeNewer(session, page);
    }
  } catch {
    markFailed(session);
  } finally {
    fetching.delete(session);
  }
}

/** Fetches the page before the oldest event held. */
export async function fetchOlder(session: string): Promise<void> {
  const o = useTimelines.getState().opened[session];
  if (!o?.more || !o.from || fetching.has(session)) return;
  fetching.add(session);
  try {
    takeOlder(session, await api.timeline(session, { before: o.from }, pageSize));
  } catch {
    markFailed(session);
  } finally {
    fetching.delete(session);
  }
}
