import type { KeyboardEvent } from 'react';

/**
 * Whether an input method is composing, so that a key is its own. The Enter that
 * takes a candidate comes without the mark in WebKit, but with the code 229.
 */
export function composing(e: KeyboardEvent): boolean {
  return e.nativeEvent.isComposing || e.keyCode === 229;
}
