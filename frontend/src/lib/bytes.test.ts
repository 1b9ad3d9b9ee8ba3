import { expect, it } from 'vitest';
import { byteLength, dropBytes, megabytes, tokens } from './bytes.ts';

const samples = ['', 'plain', '问题🤔e\u0301', '\u{10ffff}a', 'añb'];

it.each(samples)('counts the bytes of UTF-8 of %j', (text) => {
  expect(byteLength(text)).toBe(new TextEncoder().encode(text).length);
});

it.each(samples)('drops bytes from %j without ever splitting a character', (text) => {
  const bytes = new TextEncoder().encode(text);
  for (let n = 0; n <= bytes.length + 2; n++) {
    const rest = dropBytes(text, n);
    expect(text.endsWith(rest)).toBe(true);
    expect(rest).not.toContain('\ufffd');
    expect(byteLength(rest)).toBeLessThanOrEqual(Math.max(0, bytes.length - n));
  }
});

it('writes sizes and counts short', () => {
  expect([0, 4e5, 9e6, 388e6, 1.24e9].map(megabytes)).toEqual(['0 MB', '<1 MB', '9 MB', '388 MB', '1.2 GB']);
  expect([999, 1000, 1250, 61_000, 412_345, 2_000_000].map(tokens)).toEqual([
    '999',
    '1k',
    '1.3k',
    '61k',
    '412k',
    '2M',
  ]);
});
