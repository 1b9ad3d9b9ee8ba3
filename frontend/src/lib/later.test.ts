import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { later } from './later.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('goes on trying, slower and slower, until a part is there', async () => {
  const tries: number[] = [];
  const began = Date.now();
  const part = later(async () => {
    tries.push(Date.now() - began);
    if (tries.length < 8) throw new TypeError('Failed to fetch dynamically imported module');
    return 'a part';
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await part).toBe('a part');
  expect(tries).toEqual([0, 500, 1500, 3500, 7500, 15_500, 23_500, 31_500]);
});
