import type { KeyboardEvent } from 'react';
import type { MCPTest } from '../../backend/types.gen.ts';
import { type T, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { useMCP } from '../../state/mcp.ts';
import { href } from '../../state/route.ts';
import { useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { type Group, getters, type Row, sumOf } from './mcp.logic.ts';

const groups: readonly Group[] = ['managed', 'yours', 'project', 'own'];
const icons: Record<Group, IconName> = { managed: 'lock', yours: 'plug', project: 'folder', own: 'file' };

interface Props {
  rows: readonly Row[];
  current: string;
  /** The file was read: no servers means that there are none. */
  known: boolean;
  /** Absent where nothing can be changed. */
  add: (() => void) | undefined;
  take: (() => void) | undefined;
}

/** All servers as cards: what each is, who gets it, how it stands. */
export function ServerList({ rows, current, known, add, take }: Props) {
  const t = useT();
  return (
    <nav className="mcp-list" aria-label={t('mcp.servers')} onKeyDown={moveByArrow}>
      {groups.map((group) => {
        const list = rows.filter((r) => r.group === group);
        if (list.length === 0 && (group !== 'yours' || !known)) return null;
        return (
          <section key={group} aria-label={t(`mcp.${group}`)}>
            <div className="grp mcp-grp" aria-hidden="true">
              <b>{t(`mcp.${group}`)}</b>
              {group !== 'managed' && list.length > 0 && <span>{list.length}</span>}
            </div>
            {list.map((r) => (
              <Card key={r.id} row={r} current={r.id === current} />
            ))}
            {list.length === 0 && (
              <div className="mcp-none">
                <p className="sec">{t('mcp.none')}</p>
                {add && take && (
                  <p className="row">
                    <button type="button" className="btn sm" onClick={add}>
                      <Icon name="plus" small />
                      {t('mcp.add')}
                    </button>
                    <button type="button" className="btn sm" onClick={take}>
                      {t('mcp.import')}
                    </button>
                  </p>
                )}
              </div>
            )}
          </section>
        );
      })}
    </nav>
  );
}

function Card({ row, current }: { row: Row; current: boolean }) {
  const t = useT();
  const agents = useAgents((s) => s.list);
  const home = useSettings((s) => s.about.home);
  const test = useMCP((s) => s.tests[row.name]);
  const names = (list: readonly string[]) => list.map((a) => nameOf(agents, a).name).join(t('mcp.comma'));
  const failed = row.group !== 'own' && test && !test.ok;
  return (
    <a className="srv" href={href({ page: 'mcp', id: row.id })} aria-current={current ? 'page' : undefined}>
      <Icon name={icons[row.group]} />
      <span className="srv-name trunc">
        <Line text={row.name} />
      </span>
      <span className={failed ? 'srv-state bad' : 'srv-state'}>{stateWords(t, row, test, names)}</span>
      <span className="srv-what trunc">
        {row.group === 'own' ? shortPath(row.what, home) : oneLine(row.what)}
      </span>
      <span className={failed ? 'srv-who bad' : 'srv-who'}>
        {failed ? <Line text={test.problem} /> : whoWords(t, row, names)}
      </span>
    </a>
  );
}

function stateWords(
  t: T,
  row: Row,
  test: MCPTest | null | undefined,
  names: (list: readonly string[]) => string,
): string {
  if (row.group === 'own')
    return t(row.reach.every((r) => r.state === 'left_out') ? 'mcp.leftOut' : 'mcp.untouched');
  if (test === null) return t('mcp.testing');
  if (test && !test.ok) return t('mcp.fails');
  const sum = sumOf(row);
  if (test && sum.kind === 'on') return t('mcp.tools', { n: test.tools.length });
  if (sum.kind !== 'offFor') return t(`mcp.is.${sum.kind}`);
  return sum.agents.length === 1
    ? t('mcp.offFor', { name: names(sum.agents) })
    : t('mcp.offForMany', { n: sum.agents.length });
}

function whoWords(t: T, row: Row, names: (list: readonly string[]) => string): string {
  if (row.group === 'own') return t('mcp.readsItself', { name: names(row.reach.map((r) => r.agent)) });
  if (row.group === 'managed' && !getters(row)) return t('mcp.managedWho');
  const who = getters(row);
  if (!who) return t('mcp.allAgents');
  return who.length > 0 ? names(who) : t('mcp.nobody');
}

function moveByArrow(e: KeyboardEvent<HTMLElement>): void {
  if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
  const cards = Array.from(e.currentTarget.querySelectorAll<HTMLElement>('a.srv'));
  const at = cards.indexOf(document.activeElement as HTMLElement);
  const next = cards[at + (e.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  e.preventDefault();
  next.focus();
  next.click(); // the reading pane follows, as in the inbox
}
