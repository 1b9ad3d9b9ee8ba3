// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { question, session } from '../../../dev/make.ts';
import { begin, show } from '../../../test/page.tsx';
import { takeEvents, takeOutcome } from '../../state/live.ts';
import { Rail } from './rail.tsx';

const titles = () => [...document.querySelectorAll('.sess .t')].map((e) => e.textContent);
const ask = (id: string) => question({ interaction_id: `q-${id}`, session_id: id, agent: 'claude' }, 60_000);

beforeEach(() => {
  begin(
    [
      session({ id: 'a', title: 'Alpha', agent: 'claude', state: 'running', updated_at: 3 }),
      session({ id: 'b', title: 'Beta', agent: 'codex', state: 'running', updated_at: 2 }),
      session({ id: 'c', title: 'Gamma', agent: 'pi', updated_at: 1 }),
    ],
    [],
  );
});
afterEach(() => vi.unstubAllGlobals());

function comesUp(id: string) {
  act(() =>
    takeEvents([{ seq: 1, at: 1, session_id: id, turn_id: 't', type: 'clarify.requested', data: ask(id) }]),
  );
}

it('puts what waits on top, with its state in words', () => {
  show(<Rail />);
  comesUp('b');
  expect(titles()).toEqual(['Beta', 'Alpha', 'Gamma']);
  expect(screen.getByRole('link', { name: /Waiting for you Beta/ })).toBeTruthy();
  expect(screen.getByRole('link', { name: /Inbox 1/ })).toBeTruthy();
});

it('moves nothing while the pointer is over it, but shows every state at once', () => {
  show(<Rail />);
  const list = document.querySelector('.rail-list')!;
  fireEvent.pointerEnter(list);
  comesUp('c');
  expect(titles()).toEqual(['Alpha', 'Beta', 'Gamma']);
  expect(screen.getByRole('link', { name: /Waiting for you Gamma/ })).toBeTruthy();
  fireEvent.pointerLeave(list);
  expect(titles()).toEqual(['Gamma', 'Alpha', 'Beta']);
});

it('goes back to running when the question is settled elsewhere', () => {
  show(<Rail />);
  comesUp('a');
  act(() =>
    takeOutcome('q-a', {
      reason: 'dismissed',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      resolved_at: 1,
    }),
  );
  expect(document.querySelectorAll('.sess.wait')).toHaveLength(0);
});

it('filters as one types and opens the first match by Enter', () => {
  show(<Rail />);
  const filter = screen.getByRole('searchbox', { name: 'Filter sessions' });
  fireEvent.change(filter, { target: { value: 'beta' } });
  expect(titles()).toEqual(['Beta']);
  fireEvent.keyDown(filter, { key: 'Enter' });
  expect(location.hash).toBe('#/session/b');
  fireEvent.change(filter, { target: { value: 'nothing like it' } });
  expect(screen.getByText('No session matches')).toBeTruthy();
  fireEvent.keyDown(filter, { key: 'Escape' });
  expect(titles()).toHaveLength(3);
});

it('folds earlier sessions only when they are many', () => {
  begin(
    Array.from({ length: 8 }, (_, n) => session({ id: `e${n}`, title: `Early ${n}`, agent: 'claude' })),
    [],
  );
  show(<Rail />);
  expect(titles()).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: /Earlier/ }));
  expect(titles()).toHaveLength(8);
});
