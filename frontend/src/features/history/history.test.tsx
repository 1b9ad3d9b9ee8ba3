// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { question, session } from '../../../dev/make.ts';
import { type BackEnd, begin, eventually, json, show } from '../../../test/page.tsx';
import type { Interaction } from '../../backend/types.gen.ts';
import { byDay, everything, isFiltered, queryOf } from './history.logic.ts';
import { History } from './history.tsx';

const hour = 3600_000;
let back: BackEnd;

const asked = (id: string, at: number): Interaction => ({
  ...question({ interaction_id: id, session_id: 's', agent: 'claude', question: `What about ${id}?` }, 0),
  requested_at: at,
  outcome: {
    reason: 'response',
    cause: 'person',
    response: 'x',
    selected: [],
    text: 'x',
    resolved_at: at + 1000,
  },
});
const queries = () =>
  back.calls
    .filter((c) => c.path.startsWith('/api/history?'))
    .map((c) => Object.fromEntries(new URLSearchParams(c.path.split('?')[1])));

beforeEach(() => {
  back = begin([session({ id: 's', title: 'Ledger', agent: 'claude' })], []);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function place() {
  show(<History renderQuiet={(i) => <div data-quiet={i.interaction_id} />} />);
}
const shown = () => [...document.querySelectorAll<HTMLElement>('[data-quiet]')].map((e) => e.dataset.quiet);
const picked = async (title: string, item: string) => {
  fireEvent.click(screen.getByTitle(title));
  fireEvent.click(screen.getByRole('menuitemradio', { name: item }));
  await act(async () => {});
};

it('shows all decisions by day, and older ones on request', async () => {
  const now = Date.now();
  back.onHistory = (q) =>
    json(
      200,
      q.get('cursor')
        ? { interactions: [asked('old', now - 60 * hour)], next: '' }
        : { interactions: [asked('new', now)], next: 'c1' },
    );
  place();
  await eventually(() => expect(shown()).toEqual(['new']));
  expect(screen.getByText('Today')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show older' }));
  await eventually(() => expect(shown()).toEqual(['new', 'old']));
  expect(queries().at(-1)).toMatchObject({ cursor: 'c1', limit: '50' });
  expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull();
});

it('asks for what is filtered, says that nothing matches, and goes back to everything', async () => {
  place();
  await eventually(() => expect(screen.getByText('No question has been settled yet.')).toBeTruthy());
  await picked('Outcome', 'Answered late');
  await picked('Kind', 'Permission');
  await picked('Session', 'Ledger');
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'pool size' } });
  await eventually(() =>
    expect(queries().at(-1)).toMatchObject({ end: 'late', kind: 'approval', session: 's', q: 'pool size' }),
  );
  expect(screen.getByText('No decision matches.')).toBeTruthy();
  const file = screen.getByRole('link', { name: 'Markdown' }).getAttribute('href')!;
  expect(file).toBe('/api/history/export?q=pool+size&session=s&kind=approval&end=late&format=md');
  fireEvent.click(screen.getByRole('button', { name: 'Show everything' }));
  await eventually(() => expect(queries().at(-1)).toEqual({ limit: '50' }));
});

it('drops a page of an older filter that comes late', async () => {
  let late: (r: Response) => void = () => {};
  back.onHistory = (q) =>
    q.get('end')
      ? json(200, { interactions: [asked('fits', 1)], next: '' })
      : new Promise((done) => (late = done));
  place();
  await eventually(() => expect(queries()).toHaveLength(1));
  await picked('Outcome', 'Cancelled');
  await eventually(() => expect(shown()).toEqual(['fits']));
  await act(async () => late(json(200, { interactions: [asked('stale', 1)], next: '' })));
  expect(shown()).toEqual(['fits']);
});

it('says that it could not be read, and keeps what is there', async () => {
  back.offline = true;
  place();
  expect(await screen.findByRole('alert')).toBeTruthy();
});

describe('logic', () => {
  it('takes a period as whole days that end with today', () => {
    const now = new Date(2026, 10, 30, 15, 0).getTime();
    const since = (period: 'day' | 'week') => new Date(Number(queryOf({ ...everything, period }, now).since));
    expect(since('day').getTime()).toBe(new Date(2026, 10, 30).getTime());
    expect(since('week').getTime()).toBe(new Date(2026, 10, 24).getTime());
    expect(isFiltered({ ...everything, words: '  ' })).toBe(false);
  });

  it('groups by local day in the order that comes', () => {
    const noon = new Date(2026, 10, 30, 12).getTime();
    const days = byDay([asked('a', noon), asked('b', noon - hour), asked('c', noon - 20 * hour)]);
    expect(days.map((d) => d.list.map((i) => i.interaction_id))).toEqual([['a', 'b'], ['c']]);
  });
});
