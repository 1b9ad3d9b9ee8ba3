import { useSyncExternalStore } from 'react';

/** The page is as narrow as a phone: it shows one region at a time. The same width as in the style sheets. */
const narrow = '(max-width: 640px)';

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(narrow);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(narrow).matches,
  );
}
