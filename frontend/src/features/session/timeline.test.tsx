// @vitest-environment happy-dom
import { act, cleanup } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { session } from '../../../dev/make.ts';
import { begin, show } from '../../../test/page.tsx';
import { open, takeNewer, useTimelines } from '../../state/timelines.ts';
import { Timeline } from './timeline.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('keeps the end in view when the composer grows, also when its history came after it', () => {
  const resized = new Map<Element, () => void>();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly on: () => void;
      constructor(on: () => void) {
        this.on = on;
      }
      observe(el: Element) {
        resized.set(el, this.on);
      }
      unobserve() {}
      disconnect() {}
    },
  );
  const s = session({ id: 's', title: 'S', agent: 'claude' });
  begin([s], []);
  useTimelines.setState({ opened: {} });
  open('s');
  show(<Timeline session={s} renderQuestion={() => null} empty={null} />);
  expect(document.querySelector('section.tl')).toBeNull();
  act(() => takeNewer('s', { events: [], through: 0, more: false, live: [] }));
  const box = document.querySelector('section.tl')!;
  Object.defineProperty(box, 'scrollHeight', { value: 900 });
  box.scrollTop = 0;
  resized.get(box)!();
  expect(box.scrollTop).toBe(900);
});
