import { expect, it } from 'vitest';
import { en } from './en.ts';
import { chooseLanguage, type Forms, type Key, now } from './i18n.ts';
import { zh } from './zh-CN.ts';

const keys = Object.keys(en) as Key[];

function texts(m: string | Forms): string[] {
  return typeof m === 'string' ? [m] : [m.other, ...(m.one ? [m.one] : [])];
}

function params(m: string | Forms): string[] {
  return [...new Set(texts(m).flatMap((s) => [...s.matchAll(/\{(\w+)\}/g)].map((f) => f[1]!)))].sort();
}

it('has every text in Chinese with the same parameters', () => {
  expect(Object.keys(zh).sort()).toEqual([...keys].sort());
  const differ = keys.filter((k) => params(zh[k]).join() !== params(en[k]).join());
  expect(differ).toEqual([]);
});

it('writes Chinese with Chinese punctuation', () => {
  const half = keys.filter((k) =>
    texts(zh[k]).some((s) => /[\u4e00-\u9fff][,;:?!]|[,;?!]\s*[\u4e00-\u9fff]/.test(s)),
  );
  expect(half).toEqual([]);
});

it('leaves no text empty and none with stray braces', () => {
  for (const k of keys) {
    for (const s of [...texts(en[k]), ...texts(zh[k])]) {
      expect(s.trim(), k).not.toBe('');
      expect(s.replace(/\{\w+\}/g, ''), k).not.toMatch(/[{}]/);
    }
  }
});

it('chooses the form by the count and groups digits', () => {
  const t = now();
  expect(t('tool.searchesOnly', { n: 1 })).toBe('Searched once');
  expect(t('tool.searchesOnly', { n: 3 })).toBe('Searched 3 times');
  expect(t('card.length', { n: 3964 })).toBe('3,964 characters');
});

it('takes the first wish that it can speak', () => {
  expect(chooseLanguage(['fr', 'zh-TW', 'en'])).toBe('zh-CN');
  expect(chooseLanguage(['de', 'en-GB'])).toBe('en');
  expect(chooseLanguage([])).toBe('en');
});
