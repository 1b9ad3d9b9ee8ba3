import { expect, it } from 'vitest';
import { now } from './i18n/i18n.ts';
import { age, clockTime, countdown, duration, running } from './time.ts';

it('counts down in started seconds and never below zero', () => {
  expect([0, 1, 24_000, 24_001, 252_000, 3_725_000, -5].map(countdown)).toEqual([
    '0:00',
    '0:01',
    '0:24',
    '0:25',
    '4:12',
    '1:02:05',
    '0:00',
  ]);
});

it('says durations in at most two units', () => {
  const t = now();
  expect([20, 3100, 8400, 6000, 48_400, 60_000, 380_000, 7_500_000].map((ms) => duration(t, ms))).toEqual([
    '0.1 s',
    '3.1 s',
    '8.4 s',
    '6 s',
    '48 s',
    '1 m',
    '6 m 20 s',
    '2 h 5 m',
  ]);
  expect(running(t, 48_999)).toBe('48 s');
});

it('says an age in one unit', () => {
  const t = now();
  expect([900, 48_000, 61_000, 7_300_000, 200_000_000].map((ms) => age(t, ms))).toEqual([
    '0s',
    '48s',
    '1m',
    '2h',
    '2d',
  ]);
});

it('gives the date only of another day', () => {
  const noon = new Date(2030, 4, 7, 12, 0).getTime();
  expect(clockTime(noon + 37 * 60_000, noon, 'en')).toBe('12:37');
  expect(clockTime(noon + 24 * 3_600_000, noon, 'en')).toBe('May 8 12:00');
});
