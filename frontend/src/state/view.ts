// Store of what is folded, filtered and scrolled: how things are shown, never
// what is true.

import { create } from 'zustand';
import { readStored, store } from '../lib/storage.ts';

interface View {
  /** The panel beside a session. */
  side: boolean;
  /** Folded cards, by interaction. */
  folded: Readonly<Record<string, boolean>>;
  /** Rows of timelines that a person unfolded or folded, by row key. */
  open: Readonly<Record<string, boolean>>;
  filter: string;
  earlierOpen: boolean;
  /** Place of a timeline that was left, by session; absent when its end was in view. */
  scroll: Readonly<Record<string, number>>;
}

export const useView = create<View>()(() => ({
  side: readStored('side') !== 'closed',
  folded: {},
  open: {},
  filter: '',
  earlierOpen: false,
  scroll: {},
}));

export function toggleSide(): void {
  useView.setState(({ side }) => {
    store('side', side ? 'closed' : '');
    return { side: !side };
  });
}

export function setFolded(id: string, folded: boolean): void {
  useView.setState((v) => ({ folded: { ...v.folded, [id]: folded } }));
}

export function setOpen(key: string, open: boolean): void {
  useView.setState((v) => ({ open: { ...v.open, [key]: open } }));
}

export function setFilter(filter: string): void {
  useView.setState({ filter });
}

export function toggleEarlier(): void {
  useView.setState((v) => ({ earlierOpen: !v.earlierOpen }));
}

export function keepScroll(session: string, top: number | undefined): void {
  useView.setState((v) => {
    const { [session]: _, ...rest } = v.scroll;
    return { scroll: top === undefined ? rest : { ...rest, [session]: top } };
  });
}

const findEvent = 'parley-find';

/** Asks the timeline in front to open its search. */
export function askToFind(): void {
  window.dispatchEvent(new Event(findEvent));
}

/** Hears that; the returned function stops hearing. */
export function onAskToFind(hear: () => void): () => void {
  window.addEventListener(findEvent, hear);
  return () => window.removeEventListener(findEvent, hear);
}
