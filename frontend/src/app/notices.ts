// Notices of the browser, for a page that nobody looks at. The desktop window has
// the system's own.

import { api } from '../backend/client.ts';
import { inWindow, notify } from '../backend/shell.ts';
import type { Interaction } from '../backend/types.gen.ts';
import { now as texts } from '../lib/i18n/i18n.ts';
import { oneLine, shorten } from '../lib/text.ts';
import { quietFor } from '../lib/time.ts';
import { nameOf, useAgents } from '../state/agents.ts';
import { askedOf } from '../state/asked.ts';
import { waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { go } from '../state/route.ts';
import { useSettings } from '../state/settings.ts';
import { inFront } from './presence.ts';

/**
 * How long a question is left to the windows that may show it: one that the
 * person sees there needs no notice. What comes meanwhile goes into the same one.
 */
export const noticeWaitMS = 1500;

let pending = new Set<string>();
let quietOver: ReturnType<typeof setTimeout> | undefined;
let soon: ReturnType<typeof setTimeout> | undefined;
let up: { id: string; close: () => void } | undefined;

/** Has the person told of a question unless somebody sees it first. */
export function tellSoon(id: string): void {
  if (inWindow()) return;
  if (pending.size === 0) soon = setTimeout(() => void tell(), noticeWaitMS);
  pending.add(id);
}

/** Has a person who leaves told of what waits here and was not seen. */
export function tellLeft(): void {
  for (const i of waitingList(useLive.getState())) tellSoon(i.interaction_id);
}

/** Forgets what was to be told. */
export function stopTelling(): void {
  clearTimeout(soon);
  clearTimeout(quietOver);
  quietOver = undefined;
  pending = new Set();
}

/** Takes the notice of a question down that is settled. */
export function withdraw(id: string): void {
  if (up?.id !== id) return;
  up.close();
  up = undefined;
}

async function tell(): Promise<void> {
  const ids = pending;
  pending = new Set();
  const {
    notify: wanted,
    notify_sound,
    hide_content,
    quiet_from,
    quiet_until,
  } = useSettings.getState().settings;
  if (!wanted || inFront()) return;
  const quiet = quietFor(quiet_from, quiet_until, new Date());
  if (quiet > 0) {
    // What still waits then, and was not seen, is told of.
    clearTimeout(quietOver);
    quietOver = setTimeout(tellLeft, quiet);
    return;
  }
  const waiting = waitingList(useLive.getState());
  const asked = waiting.filter((i) => ids.has(i.interaction_id));
  const ours = await claim(asked.map((i) => i.interaction_id));
  const fresh = asked.filter((i) => ours.includes(i.interaction_id));
  const newest = fresh.reduce<Interaction | undefined>(
    (a, b) => (a && a.requested_at > b.requested_at ? a : b),
    undefined,
  );
  if (!newest) return;
  const t = texts();
  const { name } = nameOf(useAgents.getState().list, newest.agent);
  const lines = [hide_content ? t('notice.hidden') : shorten(oneLine(askedOf(newest)), 200)];
  if (waiting.length > 1) lines.push(t('notice.more', { n: waiting.length - 1 }));
  up?.close();
  up = {
    id: newest.interaction_id,
    close: notify({
      title: t('notice.title', { name }),
      body: lines.join('\n'),
      tag: newest.interaction_id,
      silent: !notify_sound,
      open: () => go({ page: 'inbox', id: newest.interaction_id }),
    }),
  };
}

/**
 * Those that nobody has seen and nobody was told of: the back end gives each out
 * once. When it does not answer, a notice too many is better than none.
 */
async function claim(ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  try {
    return (await api.noticed({ interactions: ids })).interactions;
  } catch {
    return ids;
  }
}
