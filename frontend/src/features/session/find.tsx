import { useEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../lib/i18n/i18n.ts';
import { onAskToFind } from '../../state/view.ts';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { type Row, rowText } from './rows.logic.ts';

export interface Finding {
  shown: boolean;
  query: string;
  setQuery: (query: string) => void;
  /** Row index of the match in front, -1 when there is none. */
  index: number;
  at: number;
  count: number;
  step: (by: number) => void;
  close: () => void;
}

/** Search in a timeline. The browser's own can't see rows that are not drawn. */
export function useFind(rows: readonly Row[]): Finding {
  const [shown, setShown] = useState(false);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const matches = useMemo(() => {
    const words = query.trim().toLowerCase();
    if (!shown || !words) return [];
    return rows.flatMap((r, n) => (rowText(r).toLowerCase().includes(words) ? [n] : []));
  }, [rows, query, shown]);

  useEffect(() => onAskToFind(() => setShown(true)), []);

  const place = matches.length === 0 ? -1 : ((at % matches.length) + matches.length) % matches.length;
  return {
    shown,
    query,
    setQuery: (q) => {
      setQuery(q);
      setAt(0);
    },
    index: place < 0 ? -1 : matches[place]!,
    at: place,
    count: matches.length,
    step: (by) => setAt(place + by),
    close: () => setShown(false),
  };
}

export function Find({ query, setQuery, at, count, step, close }: Finding) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  return (
    <search className="find">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        value={query}
        placeholder={t('find.placeholder')}
        aria-label={t('find.placeholder')}
        onChange={(e) => setQuery(e.target.value)}
        onKeyDown={(e) => {
          if (composing(e)) return;
          if (e.key === 'Enter') step(e.shiftKey ? -1 : 1);
          else if (e.key === 'Escape') close();
          else return;
          e.preventDefault();
          e.stopPropagation();
        }}
      />
      <span className="mut" role="status">
        {query.trim() ? t('find.count', { at: at + 1, n: count }) : ''}
      </span>
      <button type="button" className="btn icon sm" title={t('find.previous')} onClick={() => step(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" className="btn icon sm" title={t('find.next')} onClick={() => step(1)}>
        <Icon name="down" />
      </button>
      <button type="button" className="btn icon sm" title={t('common.close')} onClick={close}>
        <Icon name="x" />
      </button>
    </search>
  );
}
