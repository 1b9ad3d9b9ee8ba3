// Where the person is, as the address says it. The part behind # works in the
// window and in a browser alike, and survives a reload.

import { useSyncExternalStore } from 'react';

export type Route =
  | { page: 'start' }
  | { page: 'sessions' }
  | { page: 'session'; id: string }
  | { page: 'inbox'; id: string }
  | { page: 'history' }
  | { page: 'agents' }
  | { page: 'mcp'; id: string }
  | { page: 'settings' };

/** Reads an address; what is not understood is the start page. */
export function parseRoute(hash: string): Route {
  const [page, id] = hash.replace(/^#\/?/, '').split('/').map(safeDecode);
  switch (page) {
    case 'session':
      return id ? { page, id } : { page: 'start' };
    case 'inbox':
    case 'mcp':
      return { page, id: id ?? '' };
    case 'sessions':
    case 'history':
    case 'agents':
    case 'settings':
      return { page };
    default:
      return { page: 'start' };
  }
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The address of a place. */
export function href(r: Route): string {
  if (r.page === 'start') return '#/';
  if (r.page === 'session') return `#/session/${encodeURIComponent(r.id)}`;
  if (r.page === 'inbox' || r.page === 'mcp')
    return r.id ? `#/${r.page}/${encodeURIComponent(r.id)}` : `#/${r.page}`;
  return `#/${r.page}`;
}

/** Goes to a place; with replace the place left is not in the history. */
export function go(r: Route, replace = false): void {
  if (replace) {
    history.replaceState(null, '', href(r));
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = href(r).slice(1);
  }
}

let lastHash: string | undefined;
let last: Route = { page: 'start' };

export function currentRoute(): Route {
  if (location.hash !== lastHash) {
    lastHash = location.hash;
    last = parseRoute(lastHash);
  }
  return last;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute);
}
