// Pictures for a session that does not exist yet: kept by this page, since the
// back end keeps pictures with their session, and lost with the page.

import { create } from 'zustand';
import type { Attachment, NewPicture } from '../backend/types.gen.ts';
import type { Shown } from './pictures.ts';

interface Held {
  key: string;
  picture: NewPicture;
}

export const useHeld = create<{ list: readonly Held[] }>()(() => ({ list: [] }));

let last = 0;

/** Holds one more. What it returns stands for it until there is a session. */
export function hold(picture: NewPicture): Attachment {
  const key = `held ${++last}`;
  useHeld.setState(({ list }) => ({ list: [...list, { key, picture }] }));
  return { name: picture.name, mime: 'image/*', path: key };
}

export function letGo(key: string): void {
  useHeld.setState(({ list }) => ({ list: list.filter((h) => h.key !== key) }));
}

/** What is held, as it is shown. Browsers tell pictures by their bytes, whatever type is named. */
export function shownHeld(list: readonly Held[]): Shown[] {
  return list.map(({ key, picture }) => ({
    key,
    name: picture.name,
    src: `data:image/png;base64,${picture.data}`,
  }));
}

/** Gives what is held to a session, in its order. */
export async function handOver(save: (p: NewPicture) => Promise<Attachment>): Promise<Attachment[]> {
  const files: Attachment[] = [];
  for (const { picture } of useHeld.getState().list) files.push(await save(picture));
  return files;
}
