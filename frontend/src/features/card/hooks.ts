import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import { draftOf, useDrafts } from '../../state/drafts.ts';
import { setInView } from '../../state/inview.ts';
import { guardMS } from './card.logic.ts';

/** The draft of a card, renewed as it changes. */
export function useDraft(i: Interaction): Draft {
  useDrafts((s) => s.drafts[i.interaction_id]);
  return draftOf(i);
}

/**
 * Whether things at this place may act: false for a moment after the place has
 * got new content, so that a click or key meant for the old one does nothing.
 */
export function useArmed(content: string): () => boolean {
  const since = useRef(Number.POSITIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content is the trigger
  useLayoutEffect(() => {
    since.current = performance.now();
  }, [content]);
  return () => performance.now() - since.current >= guardMS;
}

/** Notes whether the card of what waits stands in view; in front of the person it then counts as seen. */
export function useInViewOf(id: string, ref: RefObject<HTMLElement | null>, waiting: boolean): void {
  useEffect(() => {
    const el = ref.current;
    if (!el || !waiting || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver(
      (entries) => setInView(id, entries[entries.length - 1]!.isIntersecting),
      { threshold: 0.3 },
    );
    observer.observe(el);
    return () => {
      observer.disconnect();
      setInView(id, false);
    };
  }, [id, ref, waiting]);
}

/** Whether the person is in the card, and the way back to where they were. */
export function useLiveness(root: RefObject<HTMLElement | null>) {
  const [live, setLive] = useState(false);
  const from = useRef<HTMLElement | null>(null);
  const inside = useRef(false);
  const back = () => {
    const target = from.current?.isConnected
      ? from.current
      : document.querySelector<HTMLElement>('[data-home-focus]');
    target?.focus();
  };
  useLayoutEffect(() => {
    // What had the focus was replaced: the card itself keeps it, and the keys stay live.
    if (inside.current && document.activeElement === document.body)
      root.current?.focus({ preventScroll: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the card goes, and only then
  useEffect(
    () => () => {
      // The card goes while the focus is in it: give it back, never leave it nowhere.
      if (inside.current) queueMicrotask(back);
    },
    [],
  );
  return {
    live,
    leave: back,
    onFocus: (e: FocusEvent) => {
      if (!inside.current && e.relatedTarget instanceof HTMLElement) from.current = e.relatedTarget;
      inside.current = true;
      setLive(true);
    },
    onBlur: (e: FocusEvent) => {
      if (e.relatedTarget instanceof Node && root.current?.contains(e.relatedTarget)) return;
      // The window losing the focus is not the person leaving the card.
      if (!e.relatedTarget && !document.hasFocus()) return;
      inside.current = false;
      setLive(false);
    },
  };
}
