import type { T } from './i18n/i18n.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Time left as a clock: 0:24, 4:12, 1:02:05. Never negative; a started second counts whole. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / second));
  const two = (n: number) => String(n).padStart(2, '0');
  const h = Math.floor(s / 3600);
  const rest = `${h ? two(Math.floor((s % 3600) / 60)) : Math.floor((s % 3600) / 60)}:${two(s % 60)}`;
  return h ? `${h}:${rest}` : rest;
}

/** How long something has waited or run, in one unit: 48s, 3m, 2h, 4d. */
export function age(t: T, ms: number): string {
  const m = Math.max(0, ms);
  if (m < minute) return t('age.seconds', { n: Math.floor(m / second) });
  if (m < hour) return t('age.minutes', { n: Math.floor(m / minute) });
  if (m < day) return t('age.hours', { n: Math.floor(m / hour) });
  return t('age.days', { n: Math.floor(m / day) });
}

/** A duration in words: 0.1 s, 8.4 s, 48 s, 6 m 20 s, 2 h 5 m. */
export function duration(t: T, ms: number): string {
  const m = Math.max(0, ms);
  if (m < 10 * second)
    return t('dur.seconds', { s: (Math.max(m, m > 0 ? 50 : 0) / second).toFixed(1).replace('.0', '') });
  if (m < minute) return t('dur.seconds', { s: String(Math.round(m / second)) });
  if (m < hour) {
    const s = Math.round(m / second);
    if (s % 60 === 0) return t('dur.minutesOnly', { m: s / 60 });
    return t('dur.minutes', { m: Math.floor(s / 60), s: s % 60 });
  }
  const min = Math.round(m / minute);
  if (min % 60 === 0) return t('dur.hoursOnly', { h: min / 60 });
  return t('dur.hours', { h: Math.floor(min / 60), m: min % 60 });
}

/** An amount of time to give or get, in one unit: 40 s, 5 min. */
export function amount(t: T, ms: number): string {
  if (ms < minute) return t('dur.seconds', { s: String(Math.max(0, Math.round(ms / second))) });
  return t('dur.min', { n: Math.round(ms / minute) });
}

/** Whole seconds or a longer duration, for counters that run on the screen. */
export function running(t: T, ms: number): string {
  const m = Math.max(0, ms);
  if (m < minute) return t('dur.seconds', { s: String(Math.floor(m / second)) });
  return duration(t, Math.floor(m / second) * second);
}

/**
 * How long the quiet hours, such as 22:30 to 07:00, go on from a local time, in
 * milliseconds: 0 outside of them; "" for both is never.
 */
export function quietFor(from: string, until: string, at: Date): number {
  if (!from || !until || from === until) return 0;
  const now = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  const quiet = from < until ? from <= now && now < until : now >= from || now < until;
  if (!quiet) return 0;
  const end = new Date(at);
  const [h, m] = until.split(':').map(Number);
  end.setHours(h!, m!, 0, 0);
  if (end <= at) end.setDate(end.getDate() + 1);
  return end.getTime() - at.getTime();
}

/** A day as one calls it: Today, Yesterday, else its date, with the year when it is another. */
export function dayName(t: T, at: number, now: number, language: string): string {
  const start = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  const days = Math.round((start(now) - start(at)) / day);
  if (days === 0) return t('day.today');
  if (days === 1) return t('day.yesterday');
  const year = new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const };
  return new Intl.DateTimeFormat(language, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    ...year,
  }).format(at);
}

/** A moment for a field that holds local time, 2026-11-30T14:05; "" when the text is no moment. */
export function localInput(moment: string): string {
  const at = new Date(moment);
  if (moment === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * minute).toISOString().slice(0, 16);
}

/** What such a field holds as an exact moment with its zone, 2026-11-30T14:05:00+01:00; "" for "". */
export function momentOf(local: string): string {
  const at = new Date(local);
  if (local === '' || Number.isNaN(at.getTime())) return '';
  const east = -at.getTimezoneOffset();
  const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, '0');
  return `${local.slice(0, 16)}:00${east < 0 ? '-' : '+'}${two(east / 60)}:${two(east % 60)}`;
}

/** A moment as the person's clock shows it: 14:37, with the date when it is another day. */
export function clockTime(at: number, now: number, language: string): string {
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time.format(at);
  const date = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
  return `${date.format(at)} ${time.format(at)}`;
}
