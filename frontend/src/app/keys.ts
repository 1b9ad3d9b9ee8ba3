import { useEffect } from 'react';
import { api } from '../backend/client.ts';
import { neighbour } from '../features/inbox/inbox.logic.ts';
import { waitingIn, waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { currentRoute, go } from '../state/route.ts';
import { askToFind, setFolded, toggleSide } from '../state/view.ts';
import { type Command, commandOf } from './keys.logic.ts';

/** Listens for the page's shortcuts. */
export function useShortcuts(open: (what: 'palette' | 'help') => void): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.defaultPrevented) return;
      const el = e.target instanceof HTMLElement ? e.target : null;
      const command = commandOf({
        key: e.key,
        ctrl: e.ctrlKey || e.metaKey,
        shift: e.shiftKey,
        alt: e.altKey,
        repeat: e.repeat,
        composing: e.isComposing || e.keyCode === 229,
        inText: el?.matches('input, textarea, select, [contenteditable="true"]') ?? false,
      });
      if (!command) return;
      e.preventDefault();
      if (command === 'palette' || command === 'help') open(command);
      else run(command);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [open]);
}

/** Carries a command out. */
export function run(command: Exclude<Command, 'palette' | 'help'>): void {
  switch (command) {
    case 'new':
      go({ page: 'start' });
      return focusSoon('.start textarea');
    case 'inbox':
      return go({ page: 'inbox', id: '' });
    case 'settings':
      return go({ page: 'settings' });
    case 'side':
      return toggleSide();
    case 'next':
      return focusNext(1);
    case 'previous':
      return focusNext(-1);
    case 'stop':
      return stopCurrent();
    case 'find':
      askToFind();
  }
}

function stopCurrent(): void {
  const route = currentRoute();
  if (route.page !== 'session') return;
  const state = useLive.getState().sessions[route.id]?.state;
  if (state && state !== 'idle' && state !== 'stopping') {
    // A refusal shows in the session's own state; the button beside tells more.
    api.stop(route.id).catch(() => {});
  }
}

/**
 * Brings the person to a waiting question: the one before their eyes first, then
 * one after the other, least time left first.
 */
function focusNext(by: number): void {
  const live = useLive.getState();
  const waiting = waitingList(live);
  if (waiting.length === 0) return;
  const focused = document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card;
  const shown = document.querySelector<HTMLElement>('[data-card]')?.dataset.card;
  const here = waiting.find((i) => i.interaction_id === shown);
  if (here && !focused) return focusCard(here.interaction_id);
  const id = neighbour(
    waiting.map((i) => i.interaction_id),
    focused ?? '',
    by,
  );
  const next = waiting.find((i) => i.interaction_id === id)!;
  const route = currentRoute();
  if (route.page === 'session' && waitingIn(live, next.session_id)[0] === next) {
    go({ page: 'session', id: next.session_id });
  } else go({ page: 'inbox', id: next.interaction_id });
  focusCard(next.interaction_id);
}

/** Puts the focus into a card, because the person asked for it. */
export function focusCard(id: string): void {
  setFolded(id, false);
  focusSoon(`[data-card="${CSS.escape(id)}"]`, (card) => {
    // A permission is decided by letters, which a text field would take.
    if (card.querySelector('[data-act="deny"]')) return card;
    return card.querySelector<HTMLElement>('.c-body :is([data-option][tabindex="0"], [data-say])') ?? card;
  });
}

/** Puts the focus into the text field of a card, because the person asked for it. */
export function focusWords(id: string): void {
  setFolded(id, false);
  focusSoon(`[data-card="${CSS.escape(id)}"] [data-say]`);
}

/** Focuses an element once it is on the page; gives up after a second. */
function focusSoon(selector: string, part: (el: HTMLElement) => HTMLElement = (el) => el): void {
  const until = performance.now() + 1000;
  const look = () => {
    const el = document.querySelector<HTMLElement>(selector);
    if (el) part(el).focus();
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
