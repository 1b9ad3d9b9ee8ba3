// Store of the person's profiles, as the back end told them last.

import { create } from 'zustand';
import type { Profile } from '../backend/types.gen.ts';

interface Profiles {
  /** null until they were asked for. */
  list: readonly Profile[] | null;
}

export const useProfiles = create<Profiles>()(() => ({ list: null }));

export function takeProfiles(list: readonly Profile[]): void {
  useProfiles.setState({ list });
}

/** Names to choose from: those that are told, and whatever is chosen already. */
export function profileNames(list: readonly Profile[] | null, ...chosen: readonly string[]): string[] {
  return [...new Set(['default', ...(list ?? []).map((p) => p.name), ...chosen])];
}
