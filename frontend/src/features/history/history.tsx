import { type ReactNode, useState } from 'react';
import type { HistoryEnd, Interaction, Kind } from '../../backend/types.gen.ts';
import { type PlainKey, type T, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { dayName } from '../../lib/time.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { serverNow } from '../../state/clock.ts';
import { useLive } from '../../state/live.ts';
import { href } from '../../state/route.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Export } from './export.tsx';
import { byDay, everything, type Filter, isFiltered, type Period } from './history.logic.ts';
import { useHistoryPages } from './load.ts';

const kinds: Record<Kind, PlainKey> = {
  clarify: 'history.clarify',
  approval: 'history.approval',
  form: 'history.form',
  elicitation: 'history.elicitation',
  native: 'history.native',
};
const ends: Record<HistoryEnd, PlainKey> = {
  response: 'history.response',
  dismissed: 'history.dismissed',
  timeout: 'history.timeout',
  late: 'history.late',
  cancelled: 'history.cancelled',
  waiting: 'history.waiting',
};
const periods: Record<Exclude<Period, ''>, PlainKey> = {
  day: 'history.day',
  week: 'history.week',
  month: 'history.month',
};

/** Every decision that was asked for, newest first: found, filtered, taken along. */
export function History({ renderQuiet }: { renderQuiet: (i: Interaction) => ReactNode }) {
  const t = useT();
  const [filter, setFilter] = useState<Filter>(everything);
  const { list, known, more, busy, error, loadMore } = useHistoryPages(filter);
  const change = (part: Partial<Filter>) => setFilter((f) => ({ ...f, ...part }));
  return (
    <section className="page history" tabIndex={0} aria-label={t('inbox.history')}>
      <Filters filter={filter} change={change} clear={() => setFilter(everything)} />
      {error && (
        <p className="notice error" role="alert">
          <Icon name="warn" />
          {error}
        </p>
      )}
      {known && list.length === 0 && (
        <p className="sec history-none">{isFiltered(filter) ? t('history.noMatch') : t('inbox.noHistory')}</p>
      )}
      {byDay(list).map((day) => (
        <DayGroup key={day.at} at={day.at} list={day.list} renderQuiet={renderQuiet} />
      ))}
      {more && (
        <button type="button" className="btn history-more" disabled={busy} onClick={loadMore}>
          {t('history.more')}
        </button>
      )}
    </section>
  );
}

interface DayProps {
  at: number;
  list: readonly Interaction[];
  renderQuiet: (i: Interaction) => ReactNode;
}

function DayGroup({ at, list, renderQuiet }: DayProps) {
  const t = useT();
  const language = useLanguage();
  const agents = useAgents((s) => s.list);
  const sessions = useLive((s) => s.sessions);
  return (
    <section className="history-day">
      <h2 className="grp">
        <b>{dayName(t, at, serverNow(), language)}</b>
      </h2>
      {list.map((i) => (
        <div key={i.interaction_id} className="history-row">
          <div className="history-from note mut">
            {nameOf(agents, i.agent).name} ·{' '}
            {sessions[i.session_id] ? (
              <a href={href({ page: 'session', id: i.session_id })}>
                <Line text={i.session_title} />
              </a>
            ) : (
              <Line text={i.session_title} />
            )}
          </div>
          {i.outcome ? (
            renderQuiet(i)
          ) : (
            <a className="history-open" href={href({ page: 'inbox', id: i.interaction_id })}>
              {t('history.stillWaits')}
            </a>
          )}
        </div>
      ))}
    </section>
  );
}

interface FilterProps {
  filter: Filter;
  change: (part: Partial<Filter>) => void;
  clear: () => void;
}

function Filters({ filter, change, clear }: FilterProps) {
  const t = useT();
  const agents = useAgents((s) => s.list);
  const sessions = useLive((s) => s.sessions);
  const families = [...new Set(Object.values(sessions).map((s) => s.agent))].sort();
  const recent = Object.values(sessions)
    .sort((a, b) => b.updated_at - a.updated_at)
    .slice(0, 40);
  return (
    <search className="history-filter">
      <div className="history-find">
        <Icon name="search" small />
        <input
          className="field"
          type="search"
          value={filter.words}
          placeholder={t('history.find')}
          aria-label={t('history.find')}
          onChange={(e) => change({ words: e.target.value })}
          onKeyDown={(e) => e.key === 'Escape' && change({ words: '' })}
        />
      </div>
      <div className="history-picks">
        <Pick
          title={t('history.bySession')}
          value={filter.session}
          items={recent.map((s) => [s.id, s.title])}
          choose={(session) => change({ session })}
        />
        <Pick
          title={t('history.byAgent')}
          value={filter.agent}
          items={families.map((f) => [f, nameOf(agents, f).name])}
          choose={(agent) => change({ agent })}
        />
        <Pick
          title={t('history.byKind')}
          value={filter.kind}
          items={entries(t, kinds)}
          choose={(kind) => change({ kind: kind as Kind | '' })}
        />
        <Pick
          title={t('history.byEnd')}
          value={filter.end}
          items={entries(t, ends)}
          choose={(end) => change({ end: end as HistoryEnd | '' })}
        />
        <Pick
          title={t('history.byTime')}
          value={filter.period}
          items={entries(t, periods)}
          choose={(period) => change({ period: period as Period })}
        />
        {isFiltered(filter) && (
          <button type="button" className="link history-clear" onClick={clear}>
            {t('history.clear')}
          </button>
        )}
        <span className="grow" />
        <Export filter={filter} />
      </div>
    </search>
  );
}

function entries(t: T, table: Record<string, PlainKey>): [string, string][] {
  return Object.entries(table).map(([id, key]) => [id, t(key)]);
}

interface PickProps {
  title: string;
  /** The chosen one, "" for all. */
  value: string;
  items: readonly (readonly [id: string, label: string])[];
  choose: (id: string) => void;
}

/** One thing to filter by: its name while it filters nothing, else what it lets through. */
function Pick({ title, value, items, choose }: PickProps) {
  const t = useT();
  const shown = items.find(([id]) => id === value)?.[1];
  return (
    <Menu
      className={value ? 'pick pick-on' : 'pick'}
      title={title}
      items={[
        { id: '', label: t('history.all'), checked: value === '' },
        ...items.map(([id, label]) => ({
          id,
          label: <Line text={label} />,
          text: label,
          checked: id === value,
        })),
      ]}
      choose={choose}
    >
      <span className="trunc">{shown ? <Line text={shown} /> : title}</span>
      <Icon name="down" />
    </Menu>
  );
}
