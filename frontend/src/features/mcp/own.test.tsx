// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BackEnd, begin, eventually, show } from '../../../test/page.tsx';
import type { Settings } from '../../backend/types.gen.ts';
import { defaults, takeSettings } from '../../state/settings.ts';
import type { Row } from './mcp.logic.ts';
import { OwnServer } from './own.tsx';

let back: BackEnd;

beforeEach(() => {
  back = begin([], []);
  takeSettings({ ...defaults, leave_out_own: ['pi'] });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const row = (state: string, why = ''): Row => ({
  id: 'docs@/h/.claude.json',
  name: 'docs',
  group: 'own',
  what: '/h/.claude.json',
  reach: [{ agent: 'claude', state, why }],
});
const open = (r: Row, mayChange = true) =>
  show(<OwnServer row={r} mayChange={mayChange} save={(call) => void call()} />);
const left = () => (back.told('/api/settings').at(-1) as Settings).leave_out_own;
const theSwitch = () => screen.getByRole<HTMLButtonElement>('switch');

it('leaves out an agent’s own servers, and the other agents as they were', async () => {
  open(row('on'));
  expect(theSwitch().getAttribute('aria-checked')).toBe('true');
  fireEvent.click(theSwitch());
  await eventually(() => expect(left()).toEqual(['pi', 'claude']));
});

it('has them back', async () => {
  takeSettings({ ...defaults, leave_out_own: ['pi', 'claude'] });
  open(row('left_out'));
  expect(theSwitch().getAttribute('aria-checked')).toBe('false');
  fireEvent.click(theSwitch());
  await eventually(() => expect(left()).toEqual(['pi']));
});

it('changes nothing where that cannot be, nor in a browser', () => {
  const { unmount } = open(row('on', 'The agent has no way to leave them out.'));
  expect(theSwitch().disabled).toBe(true);
  unmount();
  open(row('on'), false);
  expect(theSwitch().disabled).toBe(true);
});
