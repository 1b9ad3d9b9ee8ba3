// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { session } from '../../../dev/make.ts';
import { agents } from '../../../dev/scenes.ts';
import { begin, eventually, json, show } from '../../../test/page.tsx';
import type { Session } from '../../backend/types.gen.ts';
import { useAgents } from '../../state/agents.ts';
import { open, takeNewer, useTimelines } from '../../state/timelines.ts';
import { SessionHead } from './head.tsx';
import { Timeline } from './timeline.tsx';

const origin = session({ id: 's', title: 'Plums', agent: 'claude' });
const copy = session({ id: 'f', title: 'Plums (fork)', agent: 'claude', forked_from: 's' });

function head(s: Session): HTMLElement | null {
  show(<SessionHead session={s} />);
  fireEvent.click(screen.getByTitle('More'));
  return screen.queryByRole('menuitem', { name: /^Fork/ });
}

function timeline(s: Session): void {
  useTimelines.setState({ opened: {} });
  open(s.id);
  show(<Timeline session={s} renderQuestion={() => null} empty={null} />);
  act(() => takeNewer(s.id, { events: [], through: 0, more: false, live: [] }));
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
  begin([origin, copy], []);
  timeline(copy);
  expect(screen.getByRole('link', { name: /^Forked from Plums/ }).getAttribute('href')).toBe('#/session/s');
  begin([copy], []);
  timeline(copy);
  expect(screen.getByText('Forked from a session that is not here any more.')).toBeTruthy();
  begin([origin], []);
  timeline(origin);
  expect(screen.queryByText(/^Forked from/)).toBeNull();
});
