// Small things kept in this browser. Storage can be refused or full; the page
// works without it.

export function readStored(key: string): string {
  try {
    return localStorage.getItem(`parley.${key}`) ?? '';
  } catch {
    return '';
  }
}

export function readStoredJSON<V>(key: string, fallback: V): V {
  const text = readStored(key);
  if (!text) return fallback;
  try {
    return JSON.parse(text) as V;
  } catch {
    return fallback;
  }
}

/** Keeps a text; an empty one is removed. */
export function store(key: string, text: string): void {
  try {
    if (text) localStorage.setItem(`parley.${key}`, text);
    else localStorage.removeItem(`parley.${key}`);
  } catch {
    // Full or refused: what is in memory still holds.
  }
}

/** All keys with a prefix, without it. */
export function storedKeys(prefix: string): string[] {
  const out: string[] = [];
  try {
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i) ?? '';
      if (key.startsWith(`parley.${prefix}`)) out.push(key.slice(`parley.${prefix}`.length));
    }
  } catch {
    return [];
  }
  return out;
}

/**
 * Hears of what another window of this browser keeps under a prefix, and of what
 * it removes as "", until the returned function is called.
 */
export function hearStored(prefix: string, hear: (key: string, text: string) => void): () => void {
  const on = (e: StorageEvent) => {
    if (e.key?.startsWith(`parley.${prefix}`)) hear(e.key.slice(`parley.${prefix}`.length), e.newValue ?? '');
  };
  window.addEventListener('storage', on);
  return () => window.removeEventListener('storage', on);
}
