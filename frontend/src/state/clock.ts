// The back end's clock. Countdowns run on it, not on this computer's, since a
// browser may sit on another machine.

import { useEffect, useState } from 'react';

let offsetMS = 0;

/** Takes over the back end's time as told in a message that has just arrived. */
export function setServerClock(serverNow: number): void {
  offsetMS = serverNow - Date.now();
}

/** Now, in Unix milliseconds of the back end. */
export function serverNow(): number {
  return Date.now() + offsetMS;
}

const ticking = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(tick: () => void): () => void {
  ticking.add(tick);
  timer ??= setInterval(() => {
    for (const t of ticking) t();
  }, 500);
  return () => {
    ticking.delete(tick);
    if (ticking.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The back end's time, renewed twice a second while active. One timer serves the whole page. */
export function useServerNow(active = true): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!active) return;
    setNow(serverNow());
    return subscribe(() => setNow(serverNow()));
  }, [active]);
  return now;
}
