import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Interaction } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { serverNow } from '../../state/clock.ts';
import { type Filter, queryOf } from './history.logic.ts';

const typingMS = 250;
const pageSize = 50;

export interface Loaded {
  list: readonly Interaction[];
  /** The first page has come. */
  known: boolean;
  more: boolean;
  busy: boolean;
  error: string;
  loadMore: () => void;
}

/** The pages of the history that fit a filter. A page of an older filter that comes late is dropped. */
export function useHistoryPages(filter: Filter): Loaded {
  const t = useT();
  const [pages, setPages] = useState({ list: [] as readonly Interaction[], next: '', known: false });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const run = useRef(0);

  const load = useCallback(
    async (cursor: string) => {
      const mine = ++run.current;
      setBusy(true);
      try {
        const query = { ...queryOf(filter, serverNow()), limit: String(pageSize) };
        const page = await api.history(cursor ? { ...query, cursor } : query);
        if (mine !== run.current) return;
        setPages((p) => ({
          list: cursor ? [...p.list, ...page.interactions] : page.interactions,
          next: page.next,
          known: true,
        }));
        setError('');
      } catch (e) {
        if (mine === run.current) setError(errorWords(e, t('common.offline')));
      }
      if (mine === run.current) setBusy(false);
    },
    [filter, t],
  );

  useEffect(() => {
    const timer = setTimeout(() => void load(''), filter.words ? typingMS : 0);
    return () => {
      clearTimeout(timer);
      run.current++;
    };
  }, [filter, load]);

  return {
    list: pages.list,
    known: pages.known,
    more: pages.next !== '',
    busy,
    error,
    loadMore: () => void (busy || load(pages.next)),
  };
}
