import { memo, useMemo, useRef, useState } from 'react';
import { useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { age } from '../../lib/time.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { useServerNow } from '../../state/clock.ts';
import { waitingList } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { href, type Route, useRoute } from '../../state/route.ts';
import { setFilter, toggleEarlier, useView } from '../../state/view.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { Mark } from '../../ui/mark.tsx';
import { useNarrow } from '../../ui/media.ts';
import {
  type Arrangement,
  arrange,
  type Entry,
  entries,
  foldAbove,
  type GroupName,
  groupNames,
  matches,
  sameArrangement,
} from './rail.logic.ts';

/** All sessions by what they need from the person, the way to the inbox, and the pages. */
export function Rail() {
  const t = useT();
  const route = useRoute();
  const waiting = useLive((s) => waitingList(s).length);
  // On a phone the list is a page of its own, with nothing else in view.
  const alone = useNarrow() && route.page === 'sessions';
  const Region = alone ? 'main' : 'nav';
  return (
    <Region className="rail" aria-label={t('rail.sessions')}>
      {alone && (
        <header className="head">
          <h1>{t('rail.sessions')}</h1>
        </header>
      )}
      <div className="rail-top">
        <Filter />
        <a
          className="nav"
          href={href({ page: 'inbox', id: '' })}
          aria-current={route.page === 'inbox' ? 'page' : undefined}
          title={t('rail.inboxKey')}
        >
          <Icon name="inbox" />
          <span className="grow">{t('inbox.title')}</span>
          {waiting > 0 && (
            <span className="count wait">
              {waiting}
              <span className="vh"> {t('inbox.waiting')}</span>
            </span>
          )}
        </a>
      </div>
      <Sessions route={route} />
      <div className="rail-foot">
        <FootLink to={{ page: 'agents' }} route={route}>
          <span className="rail-word">{t('agents.title')}</span>
          <Icon name="agent" />
        </FootLink>
        <FootLink to={{ page: 'mcp', id: '' }} route={route} title={t('mcp.nav')}>
          <span className="rail-word">MCP</span>
          <Icon name="plug" />
        </FootLink>
        <FootLink to={{ page: 'settings' }} route={route} title={t('settings.title')}>
          <Icon name="gear" />
        </FootLink>
      </div>
    </Region>
  );
}

function FootLink({
  to,
  route,
  title,
  children,
}: {
  to: Route;
  route: Route;
  title?: string;
  children: React.ReactNode;
}) {
  return (
    <a
      href={href(to)}
      title={title}
      aria-label={title}
      aria-current={route.page === to.page ? 'page' : undefined}
    >
      {children}
    </a>
  );
}

function Filter() {
  const t = useT();
  const filter = useView((v) => v.filter);
  return (
    <div className="rail-find">
      <Icon name="search" />
      <input
        className="grow"
        type="search"
        value={filter}
        placeholder={t('rail.filter')}
        aria-label={t('rail.filter')}
        onChange={(e) => setFilter(e.target.value)}
        onKeyDown={(e) => {
          if (composing(e)) return;
          if (e.key === 'Escape') setFilter('');
          if (e.key === 'Enter' || e.key === 'ArrowDown') {
            const first = document.querySelector<HTMLAnchorElement>('.rail-list .sess');
            if (e.key === 'Enter' && filter) first?.click();
            else first?.focus();
            e.preventDefault();
          }
        }}
      />
      <a
        className="btn icon sm"
        href={href({ page: 'start' })}
        title={t('rail.newKey')}
        aria-label={t('rail.new')}
      >
        <Icon name="plus" />
      </a>
    </div>
  );
}

/** Holds the arrangement still while the pointer is over it, so that nothing moves under it. */
function useSteady(now: Arrangement): [Arrangement, (over: boolean) => void] {
  const [over, setOver] = useState(false);
  const shown = useRef(now);
  if (!over && !sameArrangement(shown.current, now)) shown.current = now;
  return [shown.current, setOver];
}

function Sessions({ route }: { route: Route }) {
  const t = useT();
  const sessions = useLive((s) => s.sessions);
  const interactions = useLive((s) => s.interactions);
  const known = useLive((s) => s.known);
  const list = useAgents((s) => s.list);
  const filter = useView((v) => v.filter).trim();
  const earlierOpen = useView((v) => v.earlierOpen);
  const now = useServerNow();

  const all = useMemo(
    () => entries({ known: true, version: '', sessions, interactions, plans: {} }),
    [sessions, interactions],
  );
  const [shown, setOver] = useSteady(useMemo(() => arrange(all), [all]));
  const current = route.page === 'session' ? route.id : '';

  const fits = (id: string) => {
    const e = all[id];
    return e !== undefined && (!filter || matches(e.session, nameOf(list, e.session.agent).name, filter));
  };

  const row = (id: string) => (
    <SessionRow
      key={id}
      entry={all[id]!}
      current={id === current}
      agent={nameOf(list, all[id]!.session.agent).name}
      now={now}
    />
  );

  const none = known && Object.keys(sessions).length === 0;
  return (
    <div
      className="rail-list"
      onPointerEnter={() => setOver(true)}
      onPointerLeave={() => setOver(false)}
      onKeyDown={moveByArrow}
    >
      {none && <p className="grp">{t('rail.none')}</p>}
      {groupNames.map((group) => {
        const ids = shown[group].filter(fits);
        if (ids.length === 0) return null;
        if (group !== 'earlier' || filter || ids.length <= foldAbove) {
          return (
            <section key={group} aria-label={t(`rail.${group}`)}>
              <GroupHead group={group} count={ids.length} />
              {ids.map(row)}
            </section>
          );
        }
        return (
          <section key={group} aria-label={t('rail.earlier')}>
            <button type="button" className="grp" aria-expanded={earlierOpen} onClick={toggleEarlier}>
              <b>{t('rail.earlier')}</b>
              <span>{ids.length}</span>
              <span className="grp-fold">
                <Icon name={earlierOpen ? 'down' : 'right'} small />
              </span>
            </button>
            {(earlierOpen ? ids : ids.filter((id) => id === current)).map(row)}
          </section>
        );
      })}
      {!none && filter && groupNames.every((g) => shown[g].filter(fits).length === 0) && (
        <p className="grp">{t('rail.noMatch')}</p>
      )}
    </div>
  );
}

function GroupHead({ group, count }: { group: GroupName; count: number }) {
  const t = useT();
  return (
    <div className={group === 'needs' ? 'grp wait' : 'grp'} aria-hidden="true">
      <b>{t(`rail.${group}`)}</b>
      <span>{count}</span>
    </div>
  );
}

interface RowProps {
  entry: Entry;
  current: boolean;
  agent: string;
  now: number;
}

const SessionRow = memo(
  function SessionRow({ entry, current, agent, now }: RowProps) {
    const t = useT();
    const { session, state, since } = entry;
    const words = t(`state.${state}`);
    return (
      <a
        className={state === 'wait' ? 'sess wait' : 'sess'}
        href={href({ page: 'session', id: session.id })}
        aria-current={current ? 'page' : undefined}
        title={`${oneLine(session.title)} · ${words}`}
        draggable={false}
      >
        <State name={state} />
        <span className="vh">{words}</span>
        <span className="t trunc" dir="auto">
          <Coded text={oneLine(session.title)} />
        </span>
        <Mark family={session.agent} title={agent} />
        <span className="age">{since > 0 ? age(t, now - since) : ''}</span>
      </a>
    );
  },
  (a, b) =>
    a.entry.session === b.entry.session &&
    a.entry.state === b.entry.state &&
    a.entry.since === b.entry.since &&
    a.current === b.current &&
    a.agent === b.agent &&
    Math.floor(a.now / 1000) === Math.floor(b.now / 1000),
);

function moveByArrow(e: React.KeyboardEvent<HTMLDivElement>): void {
  if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
  const rows = Array.from(e.currentTarget.querySelectorAll<HTMLElement>('a.sess'));
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at + (e.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  e.preventDefault();
  next.focus();
}
