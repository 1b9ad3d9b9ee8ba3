// What components need from outside of the page. The application provides it.

import { createContext, useContext } from 'react';

export interface Outside {
  /** Opens a checked link in the person's browser. */
  open(url: string): void;
  /** Copies a text; false when that is refused. */
  copy(text: string): Promise<boolean>;
}

export const OutsideContext = createContext<Outside>({ open: () => {}, copy: async () => false });

export function useOutside(): Outside {
  return useContext(OutsideContext);
}
