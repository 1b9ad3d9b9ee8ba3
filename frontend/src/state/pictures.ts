// Pictures on their way from a paste, a drop or the file dialog to the back end.
// What has arrived belongs to the message or the draft that it goes along with.

import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import type { Attachment, NewPicture } from '../backend/types.gen.ts';
import { errorWords, useT } from '../lib/i18n/i18n.ts';
import { base64, filesOf, fit as fitted } from '../lib/picture.ts';
import { oneLine, shorten } from '../lib/text.ts';

/** The most pictures that go along at once. */
export const picturesAtOnce = 10;

/** A picture as a component shows it. */
export interface Shown {
  key: string;
  name: string;
  src: string;
}

/** What is shown of the pictures of a session; url tells where one is shown from. */
export function shownOf(
  session: string,
  files: readonly Attachment[],
  url: (session: string, file: string) => string,
): Shown[] {
  return files
    .filter((f) => f.mime.startsWith('image/'))
    .map((f) => {
      const file = f.path.slice(Math.max(f.path.lastIndexOf('/'), f.path.lastIndexOf('\\')) + 1);
      return { key: f.path, name: oneLine(f.name), src: url(session, file) };
    });
}

interface Adding {
  /** How many are on their way. */
  busy: number;
  /** Why one did not come along, "" when all did. */
  error: string;
  add: (files: readonly File[]) => void;
  /** For the element that takes a paste or a drop. */
  on: {
    onPaste: (e: ClipboardEvent) => void;
    onDragOver: (e: DragEvent) => void;
    onDrop: (e: DragEvent) => void;
  };
}

/**
 * Takes pictures for a message or an answer of a session. save keeps one at the
 * back end; put hears of each that has arrived, in the order in which they were
 * given; have is how many there are already.
 */
export function usePictures(
  session: string,
  have: number,
  save: (session: string, p: NewPicture) => Promise<Attachment>,
  put: (f: Attachment) => void,
): Adding {
  const t = useT();
  const [busy, setBusy] = useState(0);
  const [error, setError] = useState('');
  const last = useRef(Promise.resolve());

  const send = async (file: File) => {
    const name = shorten(oneLine(file.name), 40) || t('picture.one');
    const picture = await fitted(file);
    if (!picture) return setError(t('picture.wrongKind', { name }));
    try {
      put(await save(session, { name: file.name, data: await base64(picture) }));
    } catch (e) {
      setError(errorWords(e, t('picture.notKept', { name })));
    }
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    setError('');
    const room = Math.max(0, picturesAtOnce - have - busy);
    if (files.length > room) setError(t('picture.tooMany', { n: picturesAtOnce }));
    for (const file of files.slice(0, room)) {
      setBusy((n) => n + 1);
      last.current = last.current.then(() => send(file)).finally(() => setBusy((n) => n - 1));
    }
  };
  const take = (e: ClipboardEvent | DragEvent, files: readonly File[]) => {
    if (files.length === 0) return;
    e.preventDefault();
    add(files);
  };
  return {
    busy,
    error,
    add,
    on: {
      onPaste: (e) => take(e, filesOf(e.clipboardData)),
      onDragOver: (e) => e.dataTransfer.types.includes('Files') && e.preventDefault(),
      // A file is dragged as itself; what is named beside it is where it comes from.
      onDrop: (e) => take(e, Array.from(e.dataTransfer.files)),
    },
  };
}
