import { describe, expect, it } from 'vitest';
import { helpOf } from './help.logic.ts';
import { lines, offsetOf, pathAt, pieces, repairAt } from './jsonc.logic.ts';

const text = `{
  // "not": a key
  "servers": {
    "docs": { "command": "uvx", /* two
    lines */ "args": ["a // b"] }
  },
  "overrides": { "codex": { "*": { "docs": { "timeout": 10 m } } } }
}`;

/** The text with its caret taken out, and where that was. */
function caret(marked: string): [string, number] {
  const at = marked.indexOf('|');
  return [marked.slice(0, at) + marked.slice(at + 1), at];
}

describe('the pieces', () => {
  it.each([
    text,
    '',
    '"open',
    '/* open',
    '{"a\\"b": 1}',
    '"a"\n:1',
    '\u{1F600} "\u{1F600}": "x"',
    '\r\n{}\r\n',
  ])('of %j are the whole text', (t) => {
    expect(
      pieces(t)
        .map((p) => p.text)
        .join(''),
    ).toBe(t);
    for (const p of pieces(t)) expect(t.slice(p.at, p.at + p.text.length)).toBe(p.text);
  });

  it('tell keys, texts, values and comments apart', () => {
    const of = (kind: string) =>
      pieces(text)
        .filter((p) => p.kind === kind)
        .map((p) => p.text);
    expect(of('key')).toEqual([
      '"servers"',
      '"docs"',
      '"command"',
      '"args"',
      '"overrides"',
      '"codex"',
      '"*"',
      '"docs"',
      '"timeout"',
    ]);
    expect(of('text')).toEqual(['"uvx"', '"a // b"']);
    expect(of('note')).toEqual(['// "not": a key', '/* two\n    lines */']);
    expect(of('word')).toEqual(['10', 'm']);
  });

  it('stand in as many lines as the text has', () => {
    expect(lines(text).map((l) => l.map((p) => p.text).join(''))).toEqual(text.split('\n'));
    expect(lines('a\r\nb\n')).toHaveLength(3);
  });
});

describe('the path', () => {
  it.each([
    ['{"servers": {"docs": {"timeout": "1|0m"}}}', ['servers', 'docs', 'timeout']],
    ['{"servers": {"docs": {"time|out": "10m"}}}', ['servers', 'docs', 'timeout']],
    ['{"servers": {"docs": {"a": 1, |}}}', ['servers', 'docs']],
    ['{"servers": {"docs": {"a": 1}, |}}', ['servers']],
    ['{"servers": {|}}', ['servers']],
    ['{"servers": {"docs": {"args": ["a", "|b"]}}}', ['servers', 'docs', 'args']],
    ['{"servers": {}, |"disabled": {}}', ['disabled']],
    ['|{}', []],
    ['{"servers": {}}|', []],
  ])('at %s is %j', (marked, want) => {
    expect(pathAt(...caret(marked))).toEqual(want);
  });

  it('has a help for every place', () => {
    expect(helpOf(['servers', 'docs', 'timeout'])).toBe('mcp.help.timeout');
    expect(helpOf(['servers', 'docs', 'env', 'KEY'])).toBe('mcp.help.env');
    expect(helpOf(['servers', 'docs', 'constructor'])).toBe('mcp.help.server');
    expect(helpOf(['overrides', 'codex', '*', 'docs', 'cwd'])).toBe('mcp.help.cwd');
    expect(helpOf(['overrides', 'codex'])).toBe('mcp.help.overrides');
    expect(helpOf(['disabled', 'pi'])).toBe('mcp.help.disabled');
    expect(helpOf(['elsewhere'])).toBe('mcp.help.file');
  });
});

describe('a place', () => {
  it('counts characters, as the back end does', () => {
    const t = 'ab\n\u{1F600}x"y"\n';
    expect(t.slice(offsetOf(t, 2, 3))).toBe('"y"\n');
    expect(offsetOf(t, 9, 1)).toBe(t.length);
  });
});

describe('a repair', () => {
  it.each([
    ['"timeout": 10 m }', '"timeout": "10m" }'],
    ['"timeout": 90s,', '"timeout": "90s",'],
    ['"timeout" : 1.5h', '"timeout" : "1.5h"'],
  ])('quotes the duration in %s', (line, want) => {
    const t = `{\n  ${line}\n}`;
    const r = repairAt(t, t.indexOf('"timeout"') + 14)!;
    expect(t.slice(0, r.from) + r.put + t.slice(r.to)).toBe(`{\n  ${want}\n}`);
  });

  it.each(['"timeout": 10', '"timeout": "10m"', '"args": 10 m'])('is not guessed for %s', (line) => {
    expect(repairAt(line, 3)).toBeNull();
  });
});
