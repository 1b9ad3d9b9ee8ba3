// Store of answers in the making, by interaction. They survive switching,
// reloads and restarts: each change is kept in this browser at once and by the
// back end a moment later. The browser's copy goes when an answer is on record.

import { create } from 'zustand';
import type { Draft, Interaction } from '../backend/types.gen.ts';
import { hearStored, readStoredJSON, store, storedKeys } from '../lib/storage.ts';
import { emptyDraft, newest, nextRevision } from './drafts.logic.ts';

interface Drafts {
  drafts: Readonly<Record<string, Draft>>;
}

const key = (id: string) => `draft.${id}`;

export const useDrafts = create<Drafts>()(() => ({ drafts: {} }));

/** The draft of a card: the newest that is known, or an untouched one. */
export function draftOf(i: Interaction): Draft {
  const mine = useDrafts.getState().drafts[i.interaction_id] ?? readKept(i.interaction_id)?.draft;
  return newest(mine, i.draft) ?? emptyDraft(i);
}

/** A draft as this browser keeps it. */
interface Stored {
  draft: Draft;
  /** The back end has it too. */
  saved: boolean;
}

function readKept(id: string): Stored | undefined {
  const kept = readStoredJSON<Stored | null>(key(id), null);
  return typeof kept?.draft?.revision === 'number' && Array.isArray(kept.draft.selected) ? kept : undefined;
}

function keepHere(id: string, draft: Draft, saved: boolean): void {
  store(key(id), JSON.stringify({ draft, saved } satisfies Stored));
}

/** Changes a draft and returns it with its new revision. */
export function changeDraft(i: Interaction, change: Partial<Draft>): Draft {
  const old = draftOf(i);
  const draft: Draft = { ...old, ...change, revision: nextRevision(old.revision, Date.now()) };
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [i.interaction_id]: draft } }));
  keepHere(i.interaction_id, draft, false);
  return draft;
}

/** The back end has this revision, so it need not be saved again after a reload. */
export function confirmDraft(id: string, revision: number): void {
  const kept = readKept(id);
  if (kept?.draft.revision === revision) keepHere(id, kept.draft, true);
}

/** Numbers a draft as high as another one that was kept instead, so that its next change counts. */
export function outrank(id: string, revision: number): void {
  const mine = useDrafts.getState().drafts[id];
  if (!mine || mine.revision > revision) return;
  const draft = { ...mine, revision };
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [id]: draft } }));
  keepHere(id, draft, true);
}

/** Drops a draft, because its answer is on record. */
export function dropDraft(id: string): void {
  useDrafts.setState(({ drafts }) => {
    const { [id]: _, ...rest } = drafts;
    return { drafts: rest };
  });
  store(key(id), '');
}

/**
 * Follows what is typed and ticked in other windows of this browser: a card that
 * is open in two of them holds one draft, and one that was sent is gone from both.
 */
export function followDrafts(): () => void {
  return hearStored('draft.', (id, text) =>
    useDrafts.setState(({ drafts }) => {
      const { [id]: mine, ...rest } = drafts;
      if (!text) return { drafts: rest };
      const draft = newest(mine, readKept(id)?.draft);
      return draft ? { drafts: { ...rest, [id]: draft } } : {};
    }),
  );
}

/** Drafts in this browser that the back end has not confirmed, by interaction id. */
export function unconfirmed(): Record<string, Draft> {
  const out: Record<string, Draft> = {};
  for (const id of storedKeys('draft.')) {
    const kept = readKept(id);
    if (kept && !kept.saved) out[id] = kept.draft;
  }
  return out;
}

/** Forgets drafts that nobody has touched for so long. */
export function dropOldDrafts(now: number, olderThanMS: number): void {
  for (const id of storedKeys('draft.')) {
    if (now - (readKept(id)?.draft.revision ?? 0) > olderThanMS) store(key(id), '');
  }
}
