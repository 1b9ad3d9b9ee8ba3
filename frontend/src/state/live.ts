// Store of the present. Written by the stream alone, and by answers that this
// page has just been told were accepted.

import { create } from 'zustand';
import type { StreamState } from '../backend/stream.ts';
import type { Event, Interaction, Outcome, Session, Snapshot } from '../backend/types.gen.ts';
import { apply, fromSnapshot, nothing, type Present, settle, withInteraction } from './live.reducer.ts';

interface Live extends Present {
  stream: StreamState;
  /** The back end does not know this browser: a fresh link is needed. */
  signedOut: boolean;
}

export const useLive = create<Live>()(() => ({ ...nothing, stream: 'connecting', signedOut: false }));

export function takeSnapshot(s: Snapshot): void {
  useLive.setState(fromSnapshot(s));
}

export function takeEvents(events: readonly Event[]): void {
  useLive.setState((p) => events.reduce<Present>(apply, p));
}

export function setStream(stream: StreamState): void {
  useLive.setState({ stream });
}

export function setSignedOut(): void {
  useLive.setState({ signedOut: true });
}

/**
 * Takes over a session as a call returned it. Its number stays the one of the
 * stream: events up to the reply's number may still be on their way.
 */
export function takeSession(s: Session): void {
  useLive.setState((p) => {
    const old = p.sessions[s.id];
    if (old && old.updated_at > s.updated_at) return p;
    return { sessions: { ...p.sessions, [s.id]: { ...s, last_seq: old?.last_seq ?? 0 } } };
  });
}

export function takeInteraction(i: Interaction): void {
  useLive.setState((p) => withInteraction(p, i));
}

export function takeOutcome(id: string, outcome: Outcome): void {
  useLive.setState((p) => settle(p, id, outcome));
}

export function takeCleared(id: string, at: number): void {
  useLive.setState((p) => {
    const old = p.interactions[id];
    return old ? { interactions: { ...p.interactions, [id]: { ...old, cleared_at: at } } } : p;
  });
}
