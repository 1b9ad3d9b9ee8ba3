import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Interaction, Session } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { running } from '../../lib/time.ts';
import { useAgentName } from '../../state/agents.ts';
import { useServerNow } from '../../state/clock.ts';
import { Icon, State } from '../../ui/icon.tsx';
import { Find, useFind } from './find.tsx';
import { fetchOlder, useHistory } from './load.ts';
import { gapBefore, type Row, rowsOf } from './rows.logic.ts';
import { RowView } from './rows.tsx';

interface Props {
  session: Session;
  renderQuestion: (i: Interaction) => ReactNode;
  /** Shown where there is nothing yet. */
  empty: ReactNode;
  /** Shown under the last turn. */
  after?: ReactNode;
}

/** Where a timeline was left, for coming back: the place and the heights that were measured. */
const left = new Map<string, { top: number; sizes: VirtualItem[] }>();

const endZone = 48;
const olderZone = 600;
const nothing: never[] = [];
const noProgress = {};

/** A session's history. It follows the end only while the reader is at the end. */
export function Timeline({ session, renderQuestion, empty, after }: Props) {
  const t = useT();
  const history = useHistory(session.id);
  const turns = history?.turns ?? nothing;
  const live = history?.live ?? nothing;
  const rows = useMemo(() => rowsOf(turns, live), [turns, live]);
  const box = useRef<HTMLDivElement>(null);
  const before = useRef(left.get(session.id));
  const atEnd = useRef(!before.current);
  const [fresh, setFresh] = useState(0);
  const counted = useRef(0);
  const find = useFind(rows);

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (n) => rows[n]!.key,
    estimateSize: (n) => guess(rows[n]!),
    overscan: 12,
    initialOffset: before.current?.top ?? 0,
    initialMeasurementsCache: before.current?.sizes ?? [],
  });
  const size = virtual.getTotalSize();

  const toEnd = useCallback(() => {
    const el = box.current;
    if (el) el.scrollTop = el.scrollHeight;
    atEnd.current = true;
    setFresh(0);
  }, []);

  // The rows that came while the reader was elsewhere, for the pill.
  useLayoutEffect(() => {
    const more = rows.length - counted.current;
    counted.current = rows.length;
    if (!atEnd.current && more > 0) setFresh((n) => n + more);
  }, [rows.length]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes the height at the end is followed
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [size, rows, after]);

  const waits = history !== undefined && !history.loaded;
  useFollowOnResize(box, atEnd, !waits);
  useKeepPlace(box, rows, virtual);

  useEffect(() => {
    return () => {
      const el = box.current;
      if (atEnd.current || !el) left.delete(session.id);
      else left.set(session.id, { top: el.scrollTop, sizes: [...virtual.measurementsCache] });
    };
  }, [session.id, virtual]);

  useEffect(() => {
    if (find.index >= 0) {
      atEnd.current = false;
      virtual.scrollToIndex(find.index, { align: 'center' });
    }
  }, [find.index, virtual]);

  const onScroll = () => {
    const el = box.current;
    if (!el) return;
    atEnd.current = el.scrollHeight - el.scrollTop - el.clientHeight < endZone;
    if (atEnd.current) setFresh(0);
    if (el.scrollTop < olderZone && history?.more) void fetchOlder(session.id);
  };

  if (waits) {
    return (
      <div className="tl tl-wait">
        {history.failed && (
          <p className="notice warning">
            <Icon name="warn" />
            {t('session.loadFailed')}
          </p>
        )}
      </div>
    );
  }
  return (
    <div className="tl-frame">
      {find.shown && <Find {...find} />}
      <section className="tl" ref={box} onScroll={onScroll} tabIndex={0} aria-label={t('session.timeline')}>
        <div className="tl-in">
          {rows.length === 0 && session.state === 'idle' && empty}
          <div className="tl-rows" style={{ height: size }}>
            {virtual.getVirtualItems().map((item) => {
              const row = rows[item.index]!;
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className={item.index === find.index ? 'tl-row found' : 'tl-row'}
                  style={{
                    transform: `translateY(${item.start}px)`,
                    paddingTop: gapBefore(rows[item.index - 1], row),
                  }}
                >
                  <RowView
                    row={row}
                    session={session.id}
                    progress={history?.progress ?? noProgress}
                    renderQuestion={renderQuestion}
                  />
                </div>
              );
            })}
          </div>
          {session.state === 'starting' && <Starting session={session} />}
          {after}
        </div>
      </section>
      {fresh > 0 && (
        <button type="button" className="pill" onClick={toEnd}>
          <Icon name="down" small />
          {t('session.fresh', { n: fresh })}
        </button>
      )}
    </div>
  );
}

/** A first idea of a row's height, until it was measured. */
function guess(row: Row): number {
  switch (row.kind) {
    case 'prose':
    case 'mine':
      return 40 + Math.ceil(row.text.length / 80) * 24;
    case 'question':
      return 70;
    default:
      return 28;
  }
}

/** Keeps the end in view when the card above the composer comes or goes, or the composer grows. */
function useFollowOnResize(
  box: React.RefObject<HTMLDivElement | null>,
  atEnd: React.RefObject<boolean>,
  /** The timeline is on the page; before its history has come it is not. */
  there: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is when the box comes
  useEffect(() => {
    const el = box.current;
    if (!el || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) el.scrollTop = el.scrollHeight;
    });
    observer.observe(el);
    return () => observer.disconnect();
  }, [box, atEnd, there]);
}

/** Keeps the rows before the reader's eyes where they are when an older page comes in above. */
function useKeepPlace(
  box: React.RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>,
): void {
  const first = useRef('');
  useLayoutEffect(() => {
    const was = first.current;
    first.current = rows[0]?.key ?? '';
    if (!was || was === first.current || !box.current) return;
    const at = rows.findIndex((r) => r.key === was);
    if (at <= 0) return;
    const added = virtual.measurementsCache[at]?.start ?? 0;
    box.current.scrollTop += added;
  }, [rows, box, virtual]);
}

/** Progress in words, once it takes long enough to be worth a word. */
function Starting({ session }: { session: Session }) {
  const t = useT();
  const { name } = useAgentName(session.agent);
  const now = useServerNow();
  const ms = now - session.updated_at;
  if (ms < 1000) return null;
  return (
    <div className="starting">
      <State name="run" />
      {t('session.starting', { name, time: running(t, ms) })}
    </div>
  );
}
