import { useEffect, useState } from 'react';
import { megabytes } from '../lib/bytes.ts';
import { type PlainKey, useT } from '../lib/i18n/i18n.ts';
import { oneLine } from '../lib/text.ts';
import { age } from '../lib/time.ts';

const lookEveryMS = 3000;

type Wait = PlainKey extends infer K ? (K extends `waits.${infer W}` ? W : never) : never;

/** A process as its row shows it. */
interface Shown {
  pid: number;
  name: string;
  depth: number;
  rss_bytes: number;
  age_ms: number;
  waits: Wait | '';
  waits_on: string;
  waits_because: string;
}

/** What look finds, looked for again and again while on and the page is seen; nothing when it fails. */
export function useProcesses<R>(on: boolean, nothing: R, look: () => Promise<R>, key: string): R {
  const [found, setFound] = useState(nothing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: look and nothing are made anew with each render; key says when they differ
  useEffect(() => {
    if (!on) {
      setFound(nothing);
      return;
    }
    let gone = false;
    const again = () =>
      look().then(
        (f) => !gone && setFound(f),
        () => !gone && setFound(nothing),
      );
    void again();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void again();
    }, lookEveryMS);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [on, key]);
  return found;
}

/** Processes with memory, age and what each waits for; why we think so stands in the tip. */
export function ProcessRows({ list }: { list: readonly Shown[] }) {
  const t = useT();
  return list.map((p) => (
    <div className="proc" key={p.pid}>
      <span className="n" style={{ paddingInlineStart: p.depth * 14 }}>
        {oneLine(p.name)}
      </span>
      <span>{p.pid}</span>
      <span>{megabytes(p.rss_bytes)}</span>
      <span>{age(t, p.age_ms)}</span>
      <span className="w" style={{ paddingInlineStart: p.depth * 14 }} title={oneLine(p.waits_because)}>
        {t(`waits.${p.waits || 'nothing'}`)}
        {p.waits_on && `: ${oneLine(p.waits_on)}`}
      </span>
    </div>
  ));
}
