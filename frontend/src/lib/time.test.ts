import { expect, it } from 'vitest';
import { now } from './i18n/i18n.ts';
import {
  age,
  amount,
  clockTime,
  countdown,
  dayName,
  duration,
  localInput,
  momentOf,
  quietFor,
  running,
} from './time.ts';

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

it('says an amount of time in one unit', () => {
  const t = now();
  expect([300_000, 120_000, 40_000, 0].map((ms) => amount(t, ms))).toEqual(['5 min', '2 min', '40 s', '0 s']);
});

it.each([
  ['22:30', '07:00', '23:00', 8 * 60],
  ['22:30', '07:00', '06:59', 1],
  ['22:30', '07:00', '07:00', 0],
  ['22:30', '07:00', '12:00', 0],
  ['09:00', '17:00', '09:00', 8 * 60],
  ['09:00', '17:00', '17:00', 0],
  ['', '', '12:00', 0],
  ['12:00', '12:00', '12:00', 0],
])('quiet from %s until %s goes on at %s for %s minutes', (from, until, at, want) => {
  const [h, m] = at.split(':').map(Number);
  expect(quietFor(from, until, new Date(2030, 4, 7, h, m)) / 60_000).toBe(want);
});

it('turns a local field into an exact moment and back', () => {
  const moment = momentOf('2030-05-07T14:05');
  expect(moment).toMatch(/^2030-05-07T14:05:00[+-]\d\d:\d\d$/);
  expect(new Date(moment).getTime()).toBe(new Date(2030, 4, 7, 14, 5).getTime());
  expect(localInput(moment)).toBe('2030-05-07T14:05');
  expect([momentOf(''), localInput(''), localInput('no moment')]).toEqual(['', '', '']);
});

it('names a day', () => {
  const noon = new Date(2030, 4, 7, 12).getTime();
  const day = 24 * 3_600_000;
  const name = (at: number) => dayName(now(), at, noon, 'en');
  expect(name(noon - 11 * 3_600_000)).toBe('Today');
  expect(name(noon - day)).toBe('Yesterday');
  expect(name(noon - 3 * day)).toBe('Sat, May 4');
  expect(name(noon - 400 * day)).toContain('2029');
});
