// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStream } from './stream.ts';
import type { Frame } from './types.gen.ts';

class FakeSource {
  static all: FakeSource[] = [];
  onmessage: ((m: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
    FakeSource.all.push(this);
  }
  close() {
    this.closed = true;
  }
  says(f: Frame) {
    this.onmessage?.({ data: JSON.stringify(f) });
  }
}

const present = { sessions: [], interactions: [], plans: [], version: 'x', at: 1 };
let frames: Frame[];
let states: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
  FakeSource.all = [];
  frames = [];
  states = [];
  stop = openStream({ frame: (f) => frames.push(f), state: (s) => states.push(s) });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('is open with the first present', () => {
  FakeSource.all[0]!.says({ snapshot: present });
  FakeSource.all[0]!.says({ events: [] });
  expect(states).toEqual(['connecting', 'open']);
  expect(frames).toHaveLength(2);
});

it('comes back ever more slowly, and at once fast again after it was open', () => {
  const waits: number[] = [];
  for (let n = 0; n < 6; n++) {
    const at = Date.now();
    FakeSource.all.at(-1)!.onerror!();
    const before = FakeSource.all.length;
    while (FakeSource.all.length === before) vi.advanceTimersByTime(100);
    waits.push(Date.now() - at);
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
  FakeSource.all.at(-1)!.says({ snapshot: present });
  const count = FakeSource.all.length;
  FakeSource.all.at(-1)!.onerror!();
  vi.advanceTimersByTime(500);
  expect(FakeSource.all).toHaveLength(count + 1);
});

it('hears nothing of a connection that it has given up', () => {
  const old = FakeSource.all[0]!;
  window.dispatchEvent(new Event('online'));
  expect(old.closed).toBe(true);
  old.says({ snapshot: present });
  old.onerror!();
  expect(frames).toEqual([]);
  expect(states).toEqual(['connecting']);
});

it('connects anew after a long sleep', () => {
  const visible = vi.spyOn(document, 'visibilityState', 'get');
  visible.mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  vi.advanceTimersByTime(10_000);
  visible.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(FakeSource.all).toHaveLength(1);
  visible.mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  vi.advanceTimersByTime(31_000);
  visible.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(FakeSource.all).toHaveLength(2);
});

it('stays closed once it was closed', () => {
  stop();
  FakeSource.all[0]!.onerror?.();
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.all).toHaveLength(1);
});
