import { describe, expect, it } from 'vitest';
import { blocksOf } from './blocks.ts';

describe('blocksOf', () => {
  it.each([
    ['paragraphs', 'a\nb\n\nc', ['a\nb', 'c']],
    ['fenced code with empty lines', 'x\n\n```go\na\n\nb\n```\n\ny', ['x', '```go\na\n\nb\n```', 'y']],
    ['an open fence', '```\na\n\nb', ['```\na\n\nb']],
    ['a fence inside a longer fence', '````\n```\n\n```\n````\n\nz', ['````\n```\n\n```\n````', 'z']],
    ['a loose list', '- a\n\n- b\n\n  more\n\nend', ['- a\n\n- b\n\n  more', 'end']],
    ['link definitions keep all together', '[x][1]\n\n[1]: https://a.b', ['[x][1]\n\n[1]: https://a.b']],
    ['nothing', '\n\n', []],
  ])('%s', (_, text, want) => {
    expect(blocksOf(text)).toEqual(want);
  });

  it('leaves whole blocks alone while the text grows', () => {
    const text = 'First.\n\n```\ncode\n\nmore\n```\n\nSecond **bold** text.\n\n- a\n- b\n\nEnd.';
    let before: string[] = [];
    for (let n = 1; n <= text.length; n++) {
      const now = blocksOf(text.slice(0, n));
      // All but the last two are final: a list may still join the block before it.
      expect(now.slice(0, Math.max(0, before.length - 2))).toEqual(
        before.slice(0, Math.max(0, before.length - 2)),
      );
      before = now;
    }
    expect(before.join('\n\n')).toBe(text);
  });
});
