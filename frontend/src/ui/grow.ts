import { type RefObject, useLayoutEffect } from 'react';

/** Lets a text field grow with its text, up to a share of the window's height; then it scrolls. */
export function useGrow(ref: RefObject<HTMLTextAreaElement | null>, text: string, share: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const el = ref.current;
    if (!el) return;
    el.style.height = 'auto';
    if (!el.offsetParent) return; // not shown, so there is nothing to measure
    const border = el.offsetHeight - el.clientHeight;
    const most = Math.round(window.innerHeight * share);
    el.style.height = `${Math.min(el.scrollHeight + border, most)}px`;
    el.style.overflowY = el.scrollHeight + border > most ? 'auto' : 'hidden';
  }, [ref, text, share]);
}
