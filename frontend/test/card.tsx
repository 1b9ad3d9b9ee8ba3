// A card in its place for component tests: shown as the page shows it, with the
// clock in the test's hands.

import { act, screen } from '@testing-library/react';
import { vi } from 'vitest';
import type { Interaction } from '../src/backend/types.gen.ts';
import { Card } from '../src/features/card/card.tsx';
import { Quiet } from '../src/features/card/quiet.tsx';
import { useLive } from '../src/state/live.ts';
import { type BackEnd, begin, show } from './page.tsx';

/** A card while it waits or can be answered late, the quiet line afterwards. */
export function Place({ id }: { id: string }) {
  const i = useLive((s) => s.interactions[id])!;
  return i.outcome && i.outcome.reason !== 'timeout' ? <Quiet i={i} /> : <Card i={i} />;
}

/** Takes the clock into the test's hands, so that the guard time of a card is exact. */
export function stopClock(): void {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
}

/** Lets the clock run again. */
export function startClock(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
}

/** Shows a card beside a field of something else; returns the back end it talks to. */
export function place(i: Interaction): BackEnd {
  const back = begin([], [i]);
  show(
    <>
      <textarea aria-label="elsewhere" data-home-focus="" />
      <Place id={i.interaction_id} />
    </>,
  );
  return back;
}

export const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
/** Waits until the place of the card takes clicks and keys. */
export const armed = () => wait(400);
export const option = (n: number) => document.querySelector<HTMLElement>(`[data-option="${n}"]`)!;
export const card = () => document.querySelector<HTMLElement>('[data-card]')!;
export const button = (name: string | RegExp) => screen.getByRole('button', { name });
export const say = () => document.querySelector<HTMLTextAreaElement>('[data-say]')!;
export const checked = () =>
  [...document.querySelectorAll('[aria-checked="true"]')].map((e) => e.getAttribute('data-option'));
