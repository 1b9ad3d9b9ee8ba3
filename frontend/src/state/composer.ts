// Store of messages in the making, one for each session; kept in this browser.

import { create } from 'zustand';
import type { Attachment } from '../backend/types.gen.ts';
import { hearStored, readStored, readStoredJSON, store } from '../lib/storage.ts';

interface Composer {
  texts: Readonly<Record<string, string>>;
  files: Readonly<Record<string, readonly Attachment[]>>;
}

export const useComposer = create<Composer>()(() => ({ texts: {}, files: {} }));

const key = (session: string) => `message.${session}`;
const filesKey = (session: string) => `pictures.${session}`;

export function composerText(texts: Composer['texts'], session: string): string {
  return texts[session] ?? readStored(key(session));
}

export function setComposerText(session: string, text: string): void {
  useComposer.setState(({ texts }) => ({ texts: { ...texts, [session]: text } }));
  store(key(session), text);
}

const none: readonly Attachment[] = [];

/** What goes along with the next message. */
export function composerFiles(files: Composer['files'], session: string): readonly Attachment[] {
  return files[session] ?? keptFiles(session);
}

// One list for each text that is kept, so that a selector returns the same one.
const parsed = new Map<string, readonly Attachment[]>();

function keptFiles(session: string): readonly Attachment[] {
  const text = readStored(filesKey(session));
  if (!text) return none;
  let list = parsed.get(text);
  if (!list) {
    const kept = readStoredJSON<unknown>(filesKey(session), []);
    list = Array.isArray(kept) ? (kept as Attachment[]).filter((f) => typeof f?.path === 'string') : none;
    parsed.set(text, list);
  }
  return list;
}

export function changeComposerFiles(
  session: string,
  change: (files: readonly Attachment[]) => readonly Attachment[],
): void {
  const list = change(composerFiles(useComposer.getState().files, session));
  useComposer.setState(({ files }) => ({ files: { ...files, [session]: list } }));
  store(filesKey(session), list.length > 0 ? JSON.stringify(list) : '');
}

/**
 * Follows messages in the making in other windows of this browser, so that one
 * that was sent there stands nowhere to be sent again.
 */
export function followMessages(): () => void {
  const ends = [
    hearStored('message.', (session, text) =>
      useComposer.setState(({ texts }) => ({ texts: { ...texts, [session]: text } })),
    ),
    hearStored('pictures.', (session) =>
      useComposer.setState(({ files }) => ({ files: { ...files, [session]: keptFiles(session) } })),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Puts a message that could not go out back in front of what was made meanwhile. */
export function giveBack(session: string, text: string, files: readonly Attachment[]): void {
  const typed = composerText(useComposer.getState().texts, session);
  setComposerText(session, typed.trim() ? `${text}\n${typed}` : text);
  changeComposerFiles(session, (later) => [...files, ...later]);
}
