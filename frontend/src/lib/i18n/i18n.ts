// Texts of the page in the person's language. Every text has a key of the
// English catalogue; a missing key or parameter is a type error, so no text can
// go out half filled in. The current language is the only state here.

import { useSyncExternalStore } from 'react';
import { en } from './en.ts';

/** Forms of a text for counts, chosen by Intl.PluralRules from the parameter n. */
export interface Forms {
  one?: string;
  other: string;
}

export type Key = keyof typeof en;
export type Catalogue = { [K in Key]: string | Forms };
export type Language = 'en' | 'zh-CN';

type Text<M> = M extends string ? M : M[keyof M];
type Names<S> = S extends `${string}{${infer P}}${infer Rest}` ? P | Names<Rest> : never;
type Params<K extends Key> = { [P in Names<Text<(typeof en)[K]>>]: string | number };
/** Keys of texts without parameters, for tables of texts. */
export type PlainKey = { [K in Key]: [Names<Text<(typeof en)[K]>>] extends [never] ? K : never }[Key];
type Args<K extends Key> = [Names<Text<(typeof en)[K]>>] extends [never] ? [] : [Params<K>];

/** Looks a text up and fills in its parameters. */
export type T = <K extends Key>(key: K, ...args: Args<K>) => string;

const catalogues: { en: Catalogue; 'zh-CN'?: Catalogue } = { en };
let current: Language = 'en';
const listeners = new Set<() => void>();

function make(language: Language): T {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const texts = catalogues[language] ?? catalogues.en;
  return (key, ...args) => {
    const params: Record<string, string | number> = args[0] ?? {};
    const message = texts[key];
    const text =
      typeof message === 'string'
        ? message
        : (message[rules.select(Number(params.n)) === 'one' ? 'one' : 'other'] ?? message.other);
    return text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = params[name];
      return typeof value === 'number' ? numbers.format(value) : String(value);
    });
  };
}

let translate: T = make('en');

/** What the back end says, by its codes; empty in the language that it writes. */
interface Told {
  errors: Readonly<Record<string, string>>;
  problems: Readonly<Record<string, { title: string; advice: string }>>;
  findings: Readonly<Record<string, { text: string; advice: string }>>;
}

const plain: Told = { errors: {}, problems: {}, findings: {} };
let told: Told = plain;

/** A refusal in the person's language; the back end's own sentence when there is no other. */
export function errorWords(error: unknown, offline: string): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'offline') return offline;
  return (code && told.errors[code]) || message || offline;
}

/** A problem in the person's language. Original holds the back end's sentence when that was another. */
export function problemWords(p: { code: string; title: string; advice: string }): {
  title: string;
  advice: string;
  original: string;
} {
  const known = told.problems[p.code];
  if (!known) return { title: p.title, advice: p.advice, original: '' };
  return { title: known.title, advice: known.advice || p.advice, original: p.title };
}

/**
 * What the doctor found, in the person's language. name, time and limit are what its sentence names; it
 * may also be a problem of an install or a turn.
 */
export function findingWords(
  f: { code: string; text: string; advice: string },
  names: { name: string; time: string; limit: string },
): string {
  const known = told.findings[f.code];
  if (known)
    return `${known.text}${known.advice}`.replace(/\{(\w+)\}/g, (_, n: keyof typeof names) => names[n]);
  const p = problemWords({ code: f.code, title: f.text, advice: f.advice });
  return [p.title, p.original, p.advice].filter(Boolean).join(' ');
}

/** The language a list of wishes comes down to; the first wish that we have wins. */
export function chooseLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    if (/^zh/i.test(wish)) return 'zh-CN';
    if (/^en/i.test(wish)) return 'en';
  }
  return 'en';
}

/** Switches the language once its texts are there. */
export async function setLanguage(language: Language): Promise<void> {
  if (language === 'zh-CN') {
    const [texts, words] = await Promise.all([import('./zh-CN.ts'), import('./told.zh-CN.ts')]);
    catalogues['zh-CN'] = texts.zh;
    told = words;
  } else told = plain;
  current = language;
  translate = make(language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Texts of the current language; the component renders again when it changes. */
export function useT(): T {
  return useSyncExternalStore(subscribe, () => translate);
}

/** The current language, for dates and the lang of a part of the page. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => current);
}

/** Texts outside of components: titles, notices. */
export function now(): T {
  return translate;
}
