// Store of messages in the making, one for each session; kept in this browser.

import { create } from 'zustand';
import { readStored, store } from '../lib/storage.ts';

interface Composer {
  texts: Readonly<Record<string, string>>;
}

export const useComposer = create<Composer>()(() => ({ texts: {} }));

const key = (session: string) => `message.${session}`;

export function composerText(texts: Composer['texts'], session: string): string {
  return texts[session] ?? readStored(key(session));
}

export function setComposerText(session: string, text: string): void {
  useComposer.setState(({ texts }) => ({ texts: { ...texts, [session]: text } }));
  store(key(session), text);
}

/** Puts a text that could not go out back in front of what was typed meanwhile. */
export function giveBack(session: string, text: string): void {
  const typed = composerText(useComposer.getState().texts, session);
  setComposerText(session, typed.trim() ? `${text}\n${typed}` : text);
}
