// Store of answers on their way, by interaction: one at a time for each, so that
// a double click or a held key sends once.

import { create } from 'zustand';
import type { Action } from '../backend/types.gen.ts';

export interface Sending {
  phase: 'sending' | 'failed' | 'accepted';
  /** What the person pressed, to try the same again. */
  action: Action | 'answer' | 'dismiss' | 'replace';
  /** A sentence, set when it failed. */
  error: string;
  /** The connection was the reason, so the back end never saw it. */
  offline: boolean;
  /** Somebody else's answer was first; the one from here counts for nothing. */
  lost: boolean;
}

/** Whether the person's words go out with an action. An agent that is allowed something hears no more than that. */
export function carriesWords(action: Sending['action']): boolean {
  return action === 'answer' || action === 'deny' || action === 'decline' || action === 'replace';
}

/** What came of asking for something about a question that is no answer. */
interface Aside {
  /** Typing has earned all the time it can. */
  spent?: boolean;
  /** Another window has a draft of it too. */
  shared?: boolean;
  /** A sentence: more time was not given, or it could not be cleared. */
  error?: string;
}

interface Answers {
  sending: Readonly<Record<string, Sending>>;
  asides: Readonly<Record<string, Aside>>;
}

export const useAnswers = create<Answers>()(() => ({ sending: {}, asides: {} }));

export function noteAside(id: string, aside: Aside): void {
  useAnswers.setState(({ asides }) => ({ asides: { ...asides, [id]: { ...asides[id], ...aside } } }));
}

/** Takes the right to send; false when an answer is on its way or was accepted. */
export function beginSending(id: string, action: Sending['action']): boolean {
  const old = useAnswers.getState().sending[id];
  if (old && old.phase !== 'failed') return false;
  set(id, { phase: 'sending', action, error: '', offline: false, lost: false });
  return true;
}

/** The question is settled: by this answer, or by another that was first. */
export function markSettled(id: string, lost: boolean): void {
  const old = useAnswers.getState().sending[id];
  if (old) set(id, { ...old, phase: 'accepted', lost });
}

export function markFailed(id: string, error: string, offline: boolean): void {
  const old = useAnswers.getState().sending[id];
  if (old) set(id, { ...old, phase: 'failed', error, offline });
}

/** Forgets a failure, since the person goes on with the card. */
export function forgetFailure(id: string): void {
  useAnswers.setState(({ sending }) => {
    if (sending[id]?.phase !== 'failed') return { sending };
    const { [id]: _, ...rest } = sending;
    return { sending: rest };
  });
}

function set(id: string, s: Sending): void {
  useAnswers.setState(({ sending }) => ({ sending: { ...sending, [id]: s } }));
}
