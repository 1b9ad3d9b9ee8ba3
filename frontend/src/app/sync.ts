// Feeds the stores from the back end: the stream, and what is asked for once
// when a connection comes up.

import { ApiError, api } from '../backend/client.ts';
import { openStream } from '../backend/stream.ts';
import type { Event, Frame, Interaction } from '../backend/types.gen.ts';
import { errorWords, now as texts } from '../lib/i18n/i18n.ts';
import { oneLine, shorten } from '../lib/text.ts';
import { nameOf, setLookFailed, setLooking, takeAgents, useAgents } from '../state/agents.ts';
import { carriesWords, useAnswers } from '../state/answers.ts';
import { askedOf } from '../state/asked.ts';
import { setServerClock } from '../state/clock.ts';
import { followMessages } from '../state/composer.ts';
import { confirmDraft, dropDraft, dropOldDrafts, followDrafts, unconfirmed } from '../state/drafts.ts';
import { setSignedOut, setStream, takeEvents, takeSnapshot, useLive } from '../state/live.ts';
import { noteMCPChange } from '../state/mcp.ts';
import { currentRoute, go } from '../state/route.ts';
import { takeAbout, takeSettings } from '../state/settings.ts';
import { forget, markBehind, receive } from '../state/timelines.ts';
import { announce, readyToAnnounce } from '../ui/announce.ts';
import { stopTelling, tellLeft, tellSoon, withdraw } from './notices.ts';

const draftsKeptMS = 30 * 24 * 3600 * 1000;

/** Connects the page; the returned function disconnects it. */
export function startSync(): () => void {
  readyToAnnounce();
  window.addEventListener('blur', tellLeft);
  const follows = [followDrafts(), followMessages()];
  const end = openStream({
    frame,
    state: (state) => {
      setStream(state);
      if (state === 'open') void greet();
      // The stream can't say why it was refused; a call can.
      if (state === 'lost') api.about().catch(noteSignedOut);
    },
  });
  return () => {
    window.removeEventListener('blur', tellLeft);
    stopCounting();
    stopTelling();
    for (const unfollow of follows) unfollow();
    end();
  };
}

function noteSignedOut(error: unknown): void {
  if (error instanceof ApiError && error.code === 'unauthenticated') setSignedOut();
}

async function greet(): Promise<void> {
  try {
    const [about, settings] = await Promise.all([api.about(), api.settings()]);
    takeAbout(about);
    takeSettings(settings);
  } catch (error) {
    noteSignedOut(error);
  }
  if (!useAgents.getState().list) await loadAgents(api.agents);
}

async function loadAgents(call: typeof api.agents): Promise<void> {
  setLooking();
  try {
    takeAgents(await call());
  } catch (error) {
    setLookFailed(errorWords(error, texts()('common.offline')));
  }
}

/** Looks for agents anew. */
export function lookForAgents(): void {
  void loadAgents(api.lookForAgents);
}

function frame(f: Frame): void {
  if (f.snapshot) {
    const before = useLive.getState();
    setServerClock(f.snapshot.at);
    takeSnapshot(f.snapshot);
    const { sessions } = useLive.getState();
    forget((id) => sessions[id] !== undefined);
    markBehind((id) => sessions[id]?.last_seq ?? 0);
    if (before.known) {
      for (const i of f.snapshot.interactions)
        if (!i.outcome && !before.interactions[i.interaction_id]) comeUp(i);
    } else if (currentRoute().page === 'start' && f.snapshot.interactions.some((i) => !i.outcome)) {
      // Whoever opens Parley while somebody waits is here for that.
      go({ page: 'inbox', id: '' }, true);
    }
    void saveLeftDrafts();
    noteMCPChange(); // what it said is of no session, so no number tells that it was missed
  }
  if (f.events?.length) {
    takeEvents(f.events);
    receive(f.events);
    for (const e of f.events) follow(e);
  }
}

function follow(e: Event): void {
  if (e.type === 'mcp.changed') noteMCPChange();
  if (e.type.endsWith('.updated') && 'cause' in e.data && e.data.cause === 'clock') {
    // The back end's clock was set: what is left stays the same, and ours follows.
    setServerClock(e.data.deadline_at - e.data.remaining_timeout_ms);
  }
  if (e.type.endsWith('.requested')) {
    // What a permission given before has answered asks nobody.
    const i = e.data as Interaction;
    if (!i.outcome) comeUp(i);
  }
  if (e.type.endsWith('.resolved') || e.type.endsWith('.late_answered')) {
    const { interaction_id: id } = e.data as { interaction_id: string };
    withdraw(id);
    const mine = useAnswers.getState().sending[id];
    if (mine?.phase === 'accepted' && !mine.lost && carriesWords(mine.action)) dropDraft(id);
  }
}

/** How long after a question others are only counted: nobody listens to twenty in a row. */
const countedForMS = 1000;
let counting: ReturnType<typeof setTimeout> | undefined;
let counted = 0;

/** A question has come up: said to screen readers, and in a notice when nobody sees it. */
function comeUp(i: Interaction): void {
  tellSoon(i.interaction_id);
  if (counting !== undefined) {
    counted++;
    return;
  }
  const t = texts();
  const { name } = nameOf(useAgents.getState().list, i.agent);
  const asked = shorten(oneLine(askedOf(i)), 200);
  announce(t('card.announce', { name, question: asked }));
  counting = setTimeout(() => {
    if (counted > 0) announce(texts()('notice.more', { n: counted }));
    stopCounting();
  }, countedForMS);
}

function stopCounting(): void {
  clearTimeout(counting);
  counting = undefined;
  counted = 0;
}

/** Drafts that this browser has kept and the back end does not hold are saved now. */
async function saveLeftDrafts(): Promise<void> {
  dropOldDrafts(Date.now(), draftsKeptMS);
  const { interactions } = useLive.getState();
  for (const [id, draft] of Object.entries(unconfirmed())) {
    if (!interactions[id]) continue;
    try {
      await api.saveDraft(id, draft);
      confirmDraft(id, draft.revision);
    } catch {
      return; // kept here, tried again at the next connection
    }
  }
}
