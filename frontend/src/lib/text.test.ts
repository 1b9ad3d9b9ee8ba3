import { describe, expect, it } from 'vitest';
import {
  countChars,
  fewLines,
  neutral,
  oneLine,
  pieces,
  shorten,
  shortPath,
  spans,
  splitPath,
  tailPath,
} from './text.ts';

describe('neutral', () => {
  it.each([
    ['right-to-left override', 'a\u202egnp.exe', 'a⟨U+202E⟩gnp.exe'],
    ['isolates', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['marks', 'a\u200fb\u061cc', 'a⟨U+200F⟩b⟨U+061C⟩c'],
    ['zero width space', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['byte order mark', '\ufeffx', '⟨U+FEFF⟩x'],
    ['tag characters', 'x\u{e0041}', 'x⟨U+E0041⟩'],
    ['escape sequence', '\u001b[31mred', '⟨U+001B⟩[31mred'],
    ['null and bell', 'a\u0000b\u0007', 'a⟨U+0000⟩b⟨U+0007⟩'],
    ['Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['joiner between Latin letters', 'pay\u200dpal', 'pay⟨U+200D⟩pal'],
    ['line separators', 'a\u2028b\u2029c', 'a\nb\nc'],
    ['carriage returns', 'a\r\nb\rc', 'a\nb\nc'],
  ])('shows or replaces: %s', (_, text, want) => {
    expect(neutral(text)).toBe(want);
  });

  it.each([
    ['Chinese', '问题：用哪种格式？'],
    ['emoji family with joiners', '👩‍👩‍👧‍👦'],
    ['flag with variation selector and joiner', '🏳️‍🌈'],
    ['Persian with a non-joiner', 'می‌خواهم'],
    ['Hindi with a joiner', 'क्‍ष'],
    ['accents', 'e\u0301 ñ'],
    ['tabs and line breaks', 'a\tb\nc\n\nd'],
    ['Arabic', 'مرحبا'],
  ])('leaves as it is: %s', (_, text) => {
    expect(neutral(text)).toBe(text);
  });

  it('bounds empty lines, so that text can push nothing away', () => {
    expect(neutral(`a${'\n'.repeat(4000)}b`)).toBe('a\n\nb');
    expect(neutral(`a${'\n \t'.repeat(50)}\nb`)).toBe('a\n\nb');
  });

  it('bounds marks stacked on one letter', () => {
    const zalgo = `z${'\u0301'.repeat(60)}x`;
    expect(countChars(neutral(zalgo))).toBe(6);
  });
});

it('keeps one line on one line', () => {
  expect(oneLine('  a\n\n b\u2028c\t d ')).toBe('a b c d');
});

it('leaves the fences of code out of one line, and nothing else', () => {
  expect(oneLine('Run\n```sh\ngo test\n```\nnow?')).toBe('Run go test now?');
  expect(oneLine('```rm -rf everything\nx')).toBe('```rm -rf everything x');
});

it('cuts a text at empty lines and at fences, and keeps the indents', () => {
  const text = 'How?\n\n- one\n  - two\n```go\nif x {\n\n\ty()\n}\n```\nSo.\n\n~~~\nopen';
  expect(pieces(text)).toEqual([
    { text: 'How?', code: false },
    { text: '- one\n  - two', code: false },
    { text: 'if x {\n\n\ty()\n}', code: true },
    { text: 'So.', code: false },
    { text: 'open', code: true },
  ]);
  // What stands behind a fence and is no language is said, not hidden.
  expect(pieces('```rm -rf everything\nx')).toEqual([{ text: '```rm -rf everything\nx', code: false }]);
});

it('bounds the lines of a text and loses none of its words', () => {
  expect(fewLines('a\nb\nc', 3)).toBe('a\nb\nc');
  expect(fewLines('a\nb\n- c\n- d', 3)).toBe('a\nb\n- c - d');
});

it('shortens by characters, not by halves of them', () => {
  expect(shorten('🤔🤔🤔🤔', 3)).toBe('🤔🤔…');
  expect(shorten('abc', 3)).toBe('abc');
});

it('tells code in backticks from the rest', () => {
  expect(spans('run `go test` now')).toEqual([
    { text: 'run ', code: false },
    { text: 'go test', code: true },
    { text: ' now', code: false },
  ]);
  expect(spans('one ` alone')).toEqual([{ text: 'one ` alone', code: false }]);
});

it('shortens the home folder and nothing that only begins like it', () => {
  expect(shortPath('/home/mara/src', '/home/mara')).toBe('~/src');
  expect(shortPath('/home/mara', '/home/mara')).toBe('~');
  expect(shortPath('/home/maran/src', '/home/mara')).toBe('/home/maran/src');
  expect(shortPath('/x', '')).toBe('/x');
});

it('keeps the end of a long path, in whole segments', () => {
  expect(tailPath('~/src/ledger', 30)).toBe('~/src/ledger');
  expect(tailPath('/var/lib/parley/data/scratch/one', 20)).toBe('…/data/scratch/one');
  expect(tailPath('/a/very-long-name-of-a-folder', 10)).toBe('…/very-long-name-of-a-folder');
});

it('splits a path at its name', () => {
  expect(splitPath('a/b/c.go')).toEqual({ folder: 'a/b/', name: 'c.go' });
  expect(splitPath('c.go')).toEqual({ folder: '', name: 'c.go' });
});
