// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { session } from '../../../dev/make.ts';
import { agents } from '../../../dev/scenes.ts';
import { begin, eventually, json, show } from '../../../test/page.tsx';
import type { Event, Session } from '../../backend/types.gen.ts';
import { useAgents } from '../../state/agents.ts';
import { applyEvent, emptyHistory } from '../../state/timeline.reducer.ts';
import { useTimelines } from '../../state/timelines.ts';
import { SessionHead } from './head.tsx';
import { type Row, rowsOf } from './rows.logic.ts';
import { RowView } from './rows.tsx';
import { Side } from './side.tsx';

const origin = session({ id: 's', title: 'Plums', agent: 'claude' });
const copy = session({ id: 'f', title: 'Plums (fork)', agent: 'claude', forked_from: 's' });

function head(s: Session): HTMLElement | null {
  show(<SessionHead session={s} />);
  fireEvent.click(screen.getByTitle('More'));
  return screen.queryByRole('menuitem', { name: /^Fork/ });
}

const begins = (seq: number, s: Session): Event => ({
  seq,
  at: seq,
  session_id: s.id,
  type: 'session.created',
  data: s,
});

const said = (seq: number, s: Session, text: string): Event => ({
  seq,
  at: seq,
  session_id: s.id,
  turn_id: `t${seq}`,
  type: 'message.completed',
  data: { message_id: `m${seq}`, text, duration_ms: 1 },
});

const rows = (...events: Event[]): Row[] => rowsOf(events.reduce(applyEvent, emptyHistory).turns, []);

function shown(row: Row | undefined): void {
  show(<RowView row={row!} session="f" progress={{}} renderQuestion={() => null} />);
}

it('forks a session and goes to the fork', async () => {
  const back = begin([origin], []);
  useAgents.setState({ list: agents });
  back.onFork = (id) => json(200, { ...copy, forked_from: id });
  fireEvent.click(head(origin)!);
  await eventually(() => expect(location.hash).toBe('#/session/f'));
  expect(back.calls.filter((c) => c.path.endsWith('/fork')).map((c) => c.path)).toEqual([
    '/api/sessions/s/fork',
  ]);
});

it('says why a fork could not be made, and stays', async () => {
  const back = begin([origin], []);
  useAgents.setState({ list: agents });
  location.hash = '#/session/s';
  back.onFork = () => json(409, { error: { code: 'session_busy', message: 'It went on.' } });
  fireEvent.click(head(origin)!);
  await eventually(() => screen.getByText('It went on.'));
  expect(location.hash).toBe('#/session/s');
});

it('offers no fork where there is none to be had', () => {
  begin([origin], []);
  useAgents.setState({
    list: { ...agents, agents: agents.agents.map((a) => ({ ...a, can_fork: false })) },
  });
  expect(head(origin)).toBeNull();
  begin([origin], []);
  useAgents.setState({ list: agents });
  expect(head({ ...origin, native_id: '' })).toBeNull();
  begin([origin], []);
  useAgents.setState({ list: agents });
  expect(head({ ...origin, state: 'running' })?.getAttribute('aria-disabled')).toBe('true');
});

it('says where a fork began, also when that is gone', () => {
  const all = rows(said(1, copy, 'I like plums.'), begins(2, copy), said(3, copy, 'And pears.'));
  expect(all.map((r) => (r.kind === 'prose' ? r.text : r.kind))).toEqual([
    'I like plums.',
    'fork',
    'And pears.',
  ]);
  begin([origin, copy], []);
  shown(all[1]);
  const link = screen.getByRole('link', { name: 'Forked here from Plums' });
  expect(link.getAttribute('href')).toBe('#/session/s');
  begin([copy], []);
  shown(all[1]);
  expect(screen.getByText('Forked here from a session that is gone')).toBeTruthy();
  expect(rows(begins(1, origin), said(2, origin, 'I like plums.')).map((r) => r.kind)).toEqual(['prose']);
});

it('counts beside a fork what the fork changed and used', () => {
  const changed = (seq: number, path: string): Event => ({
    seq,
    at: seq,
    session_id: 'f',
    turn_id: `t${seq}`,
    type: 'file.changed',
    data: { path, change: 'added', added: 1, removed: 0 },
  });
  const used = (seq: number, cost: number): Event => ({
    seq,
    at: seq,
    session_id: 'f',
    type: 'usage.updated',
    data: {
      input_tokens: 1,
      output_tokens: 1,
      cached_tokens: null,
      cost_usd: cost,
      context_used: null,
      context_window: null,
    },
  });
  const beside = (...events: Event[]) => {
    begin([origin, copy], []);
    const history = events.reduce(applyEvent, emptyHistory);
    const held = { from: 1, more: false, stale: false, failed: false, loaded: true, events, ahead: [] };
    useTimelines.setState({ opened: { f: { ...history, ...held } } });
    show(<Side session={copy} />);
    return document.querySelector('.side')!.textContent;
  };
  const before = [changed(1, 'plums.txt'), used(2, 7), begins(3, copy)];
  expect(beside(...before)).not.toMatch(/plums|\$7/);
  const own = beside(...before, changed(4, 'pears.txt'), used(5, 9));
  expect(own).toMatch(/pears\.txt/);
  expect(own).toMatch(/\$9/);
  expect(own).not.toMatch(/plums/);
});
