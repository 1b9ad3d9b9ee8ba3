import { useEffect } from 'react';
import { api } from '../backend/client.ts';
import { useInView } from '../state/inview.ts';
import { useLive } from '../state/live.ts';
import type { Route } from '../state/route.ts';

const everyMS = 20_000;
const client = crypto.randomUUID?.() ?? String(Math.random()).slice(2);

/** Whether the person is looking at this page: it is visible and has the keyboard. */
export function inFront(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

/**
 * Tells the back end whether the person is looking, and at which cards: these
 * count as seen, so that no window and no browser tells of them in a notice.
 */
export function usePresence(route: Route): void {
  const session = route.page === 'session' ? route.id : '';
  const connected = useLive((s) => s.stream === 'open');
  const visible = useInView((s) => s.ids);
  useEffect(() => {
    if (!connected) return;
    const tell = () => {
      const where = session ? { client, session, visible: [...visible] } : { client, visible: [...visible] };
      // Missed ones cost nothing: the next one comes in a moment.
      api.presence({ ...where, front: inFront() }).catch(() => {});
    };
    tell();
    const timer = setInterval(tell, everyMS);
    window.addEventListener('focus', tell);
    window.addEventListener('blur', tell);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', tell);
      window.removeEventListener('blur', tell);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [session, connected, visible]);
}
