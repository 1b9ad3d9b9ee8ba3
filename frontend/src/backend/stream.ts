// The stream of frames: the present first, then numbered events. It comes back
// by itself after a lost connection, and then begins with the present again.

import type { Frame } from './types.gen.ts';

export type StreamState = 'connecting' | 'open' | 'lost';

export interface StreamHandlers {
  frame(frame: Frame): void;
  state(state: StreamState): void;
}

const firstWaitMS = 500;
const longestWaitMS = 5000;

/** Opens the stream; the returned function closes it for good. */
export function openStream(handlers: StreamHandlers): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMS = firstWaitMS;
  let hiddenAt = 0;
  let closed = false;

  const connect = () => {
    clearTimeout(timer);
    source?.close();
    const mine = new EventSource('/api/stream');
    source = mine;
    mine.onmessage = (message: MessageEvent<string>) => {
      if (mine !== source) return;
      const frame = JSON.parse(message.data) as Frame;
      if (frame.snapshot) {
        waitMS = firstWaitMS;
        handlers.state('open');
      }
      handlers.frame(frame);
    };
    mine.onerror = () => {
      if (mine !== source || closed) return;
      // EventSource gives up for good after an HTTP error, so the pace is ours.
      mine.close();
      handlers.state('lost');
      timer = setTimeout(connect, waitMS);
      waitMS = Math.min(longestWaitMS, waitMS * 2);
    };
  };

  // After a sleep the connection can look open and carry nothing any more.
  const wake = () => {
    if (document.visibilityState === 'hidden') hiddenAt = Date.now();
    else if (hiddenAt && Date.now() - hiddenAt > 30_000) {
      hiddenAt = 0;
      connect();
    }
  };
  const online = () => connect();

  document.addEventListener('visibilitychange', wake);
  window.addEventListener('online', online);
  handlers.state('connecting');
  connect();
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
    document.removeEventListener('visibilitychange', wake);
    window.removeEventListener('online', online);
  };
}
