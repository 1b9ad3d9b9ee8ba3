// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BackEnd, begin, eventually, json, show } from '../../../test/page.tsx';
import type { ACPAgent, Settings } from '../../backend/types.gen.ts';
import { setLanguage } from '../../lib/i18n/i18n.ts';
import { defaults, takeSettings, useSettings } from '../../state/settings.ts';
import { ACPAgents } from './acp.tsx';

const mine: ACPAgent = {
  id: 'mine',
  name: 'My agent',
  command: '/opt/mine',
  args: ['--acp'],
  env: { LOG: '1' },
  modes: { ask: '', full: 'yolo' },
};

let back: BackEnd;

beforeEach(() => {
  back = begin([], []);
  takeSettings({ ...defaults, acp_agents: [mine] });
  vi.stubGlobal('runtime', { BrowserOpenURL: vi.fn(), ClipboardSetText: vi.fn() });
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await setLanguage('en');
});

const saved = () => (back.told('/api/settings').at(-1) as Settings).acp_agents;
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden: true }));

it('adds an agent, and shows errors at their fields until they are mended', async () => {
  show(<ACPAgents />);
  press('Add an agent');
  press('Save');
  for (const [label, words] of [
    ['Name', 'A name of 1 to 60 characters.'],
    ['Id', '1 to 32 of a-z, 0-9 and dashes, and no dash first.'],
    ['Program, on PATH or by its whole path', 'A program is needed.'],
  ] as const) {
    expect(field(label).getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(field(label).getAttribute('aria-describedby')!)!.textContent).toBe(words);
  }
  type('Name', 'Mine');
  expect(field('Id').value).toBe('mine');
  screen.getByText('Another agent has this id.');
  type('Id', 'other');
  type('Name', 'Other one');
  expect(field('Id').value).toBe('other'); // it was chosen, and follows the name no longer
  type('Program, on PATH or by its whole path', 'other');
  type('Arguments that make it speak ACP, one a line', '--acp\n--quiet\n');
  type('Variables, NAME=value, one a line', 'no variable');
  press('Save');
  screen.getByText('Each line is NAME=value, with a name such as API_URL.');
  expect(back.told('/api/settings')).toEqual([]);
  type('Variables, NAME=value, one a line', 'URL=http://x?a=b');
  press('Save');
  await eventually(() => expect(screen.queryByLabelText('Name')).toBeNull());
  expect(saved()).toEqual([
    mine,
    {
      id: 'other',
      name: 'Other one',
      command: 'other',
      args: ['--acp', '--quiet'],
      env: { URL: 'http://x?a=b' },
      modes: {},
    },
  ]);
  screen.getByText('Other one');
  expect(back.calls.at(-1)).toMatchObject({ method: 'GET', path: '/api/agents' }); // lists have it at once
});

it('changes an agent, whose id and modes stay', async () => {
  show(<ACPAgents />);
  press('Edit');
  expect(field('Id').readOnly).toBe(true);
  type('Name', 'Better');
  type('Program, on PATH or by its whole path', '/opt/better');
  press('Save');
  await eventually(() => expect(saved()).toEqual([{ ...mine, name: 'Better', command: '/opt/better' }]));
});

it('shows what the back end refuses at its field, and all else below', async () => {
  show(<ACPAgents />);
  press('Edit');
  const refuse = (field: string, message: string) => {
    back.onSettings = () => json(400, { error: { code: 'invalid_argument', message, field } });
  };
  refuse('acp_agents[0].args', 'acp_agents[0].args must be texts.');
  press('Save');
  await screen.findByText('acp_agents[0].args must be texts.');
  expect(field('Arguments that make it speak ACP, one a line').getAttribute('aria-invalid')).toBe('true');
  type('Arguments that make it speak ACP, one a line', 'acp');
  expect(screen.queryByText('acp_agents[0].args must be texts.')).toBeNull();
  refuse('deadline_s', 'deadline_s is wrong.');
  press('Save');
  await screen.findByText('deadline_s is wrong.');
  expect(document.querySelectorAll('[aria-invalid]').length).toBe(0);
});

it('removes an agent after it has asked', async () => {
  show(<ACPAgents />);
  press('More');
  fireEvent.click(screen.getByRole('menuitem', { name: 'Remove' }));
  const dialog = screen.getByText('Remove the agent My agent?').closest('dialog')!;
  expect(back.told('/api/settings')).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Remove', hidden: true }));
  await eventually(() => expect(saved()).toEqual([]));
  await eventually(() => expect(useSettings.getState().settings.acp_agents).toEqual([]));
  expect(screen.queryByText('My agent')).toBeNull();
});

it('only shows them in a browser', () => {
  vi.stubGlobal('runtime', undefined);
  show(<ACPAgents />);
  screen.getByText('My agent');
  expect(screen.queryAllByRole('button')).toEqual([]);
  screen.getByText(/Only the window on the computer itself/);
});

it('speaks Chinese', async () => {
  await setLanguage('zh-CN');
  show(<ACPAgents />);
  press('添加智能体');
  press('保存');
  screen.getByText('需要一个程序。');
});
