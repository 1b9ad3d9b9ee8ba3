// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { session } from '../../../dev/make.ts';
import { agents } from '../../../dev/scenes.ts';
import { type BackEnd, begin, eventually, json, show } from '../../../test/page.tsx';
import { setLanguage } from '../../lib/i18n/i18n.ts';
import { takeAgents } from '../../state/agents.ts';
import { Start } from './start.tsx';

let back: BackEnd;

beforeEach(() => {
  back = begin([], []);
  takeAgents(agents);
  localStorage.setItem('parley.folder', '/home/mara/src/ledger');
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await act(() => setLanguage('en'));
});
const settle = () => act(() => new Promise((r) => setTimeout(r, 0)));
const start = () => screen.getByRole('button', { name: 'Start session' });

it('offers the demo at once and says what each agent needs', async () => {
  const look = vi.fn();
  show(<Start look={look} />);
  await settle();
  expect(screen.getByRole('button', { name: 'Start the demo' })).toBeTruthy();
  expect(screen.getByText('Login expired on Tuesday')).toBeTruthy();
  expect(screen.getByText('codex login')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Look again' }));
  expect(look).toHaveBeenCalledOnce();
});

it('starts a session with what was chosen, once, and keeps the prompt when that fails', async () => {
  show(<Start look={() => {}} />);
  await settle();
  fireEvent.click(start());
  expect(back.told('/api/sessions')).toEqual([]);
  fireEvent.change(screen.getByRole('textbox', { name: 'What should be done?' }), {
    target: { value: 'Fix it' },
  });
  back.offline = true;
  fireEvent.click(start());
  fireEvent.click(start());
  await settle();
  expect(back.told('/api/sessions')).toEqual([
    {
      agent: 'claude',
      cwd: '/home/mara/src/ledger',
      model: '',
      effort: '',
      profile: 'default',
      mode: 'ask',
      prompt: 'Fix it',
    },
  ]);
  expect(screen.getByRole('alert').textContent).toContain('Not started');
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'What should be done?' }).value).toBe(
    'Fix it',
  );
});

const png = (name: string) => new File([new Uint8Array([137, 80, 78, 71])], name, { type: 'image/png' });

it('sends pictures with the first message, and keeps all of it when that fails', async () => {
  show(<Start look={() => {}} />);
  await settle();
  const field = screen.getByRole('textbox', { name: 'What should be done?' });
  fireEvent.paste(field, { clipboardData: { files: [png('a.png'), png('b.png')], getData: () => '' } });
  fireEvent.drop(field, { dataTransfer: { files: [png('c.png')], types: ['Files'] } });
  const shown = () => screen.queryAllByRole('img').map((i) => i.getAttribute('alt'));
  await eventually(() => expect(shown()).toEqual(['a.png', 'b.png', 'c.png']));
  fireEvent.click(screen.getByRole('button', { name: 'Leave out b.png' }));
  back.onCreate = () => session({ id: 'made', title: '', agent: 'claude' });
  back.onPicture = () => json(507, { error: { code: 'storage_failed', message: 'The disk is full.' } });
  fireEvent.click(start());
  await screen.findByRole('alert');
  expect(shown()).toEqual(['a.png', 'c.png']);
  expect(back.told('/messages')).toEqual([]);
  // No empty session is left.
  expect(back.calls.filter((c) => c.method === 'DELETE').map((c) => c.path)).toEqual(['/api/sessions/made']);
  back.onPicture = (p) => json(200, { name: p.name, mime: 'image/png', path: `/kept/${p.name}` });
  fireEvent.click(start());
  await eventually(() => expect(back.told('/messages')).toHaveLength(1));
  expect(back.told('/messages')[0]).toMatchObject({
    text: '',
    attachments: [{ path: '/kept/a.png' }, { path: '/kept/c.png' }],
  });
  await eventually(() => expect(shown()).toEqual([]));
});

it('takes a profile by name, and keeps the chosen one when none is written', async () => {
  show(<Start look={() => {}} />);
  await settle();
  const name = async (text: string, key: string) => {
    fireEvent.click(screen.getByTitle('Profile'));
    fireEvent.click(screen.getByRole('menuitem', { name: 'New profile…' }));
    const field = screen.getByRole('textbox', { name: 'Name of the profile' });
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: text } });
    fireEvent.keyDown(field, { key });
    await settle();
    expect(document.activeElement).toBe(screen.getByTitle('Profile'));
    return screen.getByTitle('Profile').textContent;
  };
  expect(await name('   ', 'Enter')).toBe('Default profile');
  expect(await name(' work ', 'Enter')).toBe('work');
  expect(await name('play', 'Escape')).toBe('work');
  fireEvent.change(screen.getByRole('textbox', { name: 'What should be done?' }), {
    target: { value: 'Fix it' },
  });
  fireEvent.click(start());
  await settle();
  expect(back.told('/api/sessions')).toMatchObject([{ agent: 'claude', profile: 'work', prompt: 'Fix it' }]);
});

it('chooses only agents that can be started, and says full access in red', async () => {
  show(<Start look={() => {}} />);
  await settle();
  fireEvent.click(screen.getByRole('button', { name: 'Claude Code' }));
  const codex = screen.getByRole('menuitemradio', { name: /Codex/ });
  expect(codex.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(codex);
  fireEvent.click(screen.getByRole('menuitemradio', { name: /OpenCode/ }));
  expect(screen.getByRole('button', { name: 'OpenCode' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Ask first' }));
  fireEvent.click(screen.getByRole('menuitemradio', { name: /Full access/ }));
  expect(screen.getByRole('button', { name: 'Full access' }).className).toContain('pick-full');
  expect(screen.getByText(/without asking you/).className).toBe('start-full');
});

it('works the menu by keys and gives the focus back', async () => {
  show(<Start look={() => {}} />);
  await settle();
  const button = screen.getByRole('button', { name: 'Ask first' });
  act(() => button.focus());
  fireEvent.keyDown(button, { key: 'ArrowDown' });
  expect(document.activeElement?.textContent).toContain('Ask first');
  fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' });
  expect(document.activeElement?.textContent).toContain('Edits allowed');
  fireEvent.keyDown(document.activeElement!, { key: 'p' });
  expect(document.activeElement?.textContent).toContain('Plan only');
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  expect(screen.queryByRole('menu')).toBeNull();
  expect(document.activeElement).toBe(button);
});

it('says an agent’s problem in Chinese, with the sentence of the back end beside it', async () => {
  await act(() => setLanguage('zh-CN'));
  show(<Start look={() => {}} />);
  await settle();
  expect(screen.getByText('未登录')).toBeTruthy();
  expect(screen.getByText('版本过旧')).toBeTruthy();
  expect(document.documentElement.lang).toBe('zh-CN');
});

it('offers the efforts of the chosen model, else those of the agent, and starts with the chosen one', async () => {
  const [first, ...others] = agents.agents;
  const models = [...(first?.models ?? []), { id: 'deep', name: 'Deep', efforts: ['low', 'ultra'] }];
  if (first) takeAgents({ ...agents, agents: [{ ...first, models, efforts: ['low', 'high'] }, ...others] });
  show(<Start look={() => {}} />);
  await settle();
  const choose = async (menu: string, item: string) => {
    fireEvent.pointerDown(screen.getByTitle(menu), { button: 0, ctrlKey: false });
    fireEvent.click(screen.getByTitle(menu));
    await settle();
    fireEvent.click(screen.getByText(item));
    await settle();
  };
  await choose('Effort', 'high');
  expect(screen.getByTitle('Effort').textContent).toContain('high');
  await choose('Model', 'Deep'); // another model, whose efforts are others
  expect(screen.getByTitle('Effort').textContent).toContain('Default effort');
  await choose('Effort', 'ultra');
  fireEvent.change(screen.getByRole('textbox', { name: 'What should be done?' }), {
    target: { value: 'Fix it' },
  });
  fireEvent.click(start());
  await settle();
  expect(back.told('/api/sessions')).toMatchObject([{ agent: 'claude', model: 'deep', effort: 'ultra' }]);
});
