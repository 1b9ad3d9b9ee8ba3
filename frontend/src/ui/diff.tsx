import { memo } from 'react';
import { neutral } from '../lib/text.ts';

interface Line {
  kind: 'add' | 'del' | 'hunk' | 'same';
  text: string;
  /** Line number in the new file, or in the old one for what was removed; 0 when unknown. */
  number: number;
}

/** Lines of a unified diff; file headers are left out, since the path stands above. Pure. */
export function diffLines(diff: string): Line[] {
  const out: Line[] = [];
  let oldAt = 0;
  let newAt = 0;
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(text);
    if (hunk) {
      oldAt = Number(hunk[1]);
      newAt = Number(hunk[2]);
      if (out.length > 0 || hunk[3]) out.push({ kind: 'hunk', text: hunk[3]!.trim(), number: 0 });
    } else if (
      /^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename|\\ No newline)/.test(text)
    ) {
    } else if (text.startsWith('+')) {
      out.push({ kind: 'add', text: text.slice(1), number: newAt++ });
    } else if (text.startsWith('-')) {
      out.push({ kind: 'del', text: text.slice(1), number: oldAt++ });
    } else {
      out.push({ kind: 'same', text: text.slice(1), number: newAt++ });
      oldAt++;
    }
  }
  return out;
}

const signs = { add: '+', del: '−', hunk: '', same: '' };

/** A unified diff. Long ones scroll inside. */
export const Diff = memo(function Diff({ text, label }: { text: string; label: string }) {
  return (
    <section className="diff" aria-label={label} tabIndex={0}>
      {diffLines(text).map((l, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <div key={n} className={`dl ${l.kind}`}>
          <span className="dn">{l.number || ''}</span>
          <span className="ds">{signs[l.kind]}</span>
          <span className="dt">{neutral(l.text) || ' '}</span>
        </div>
      ))}
    </section>
  );
});
