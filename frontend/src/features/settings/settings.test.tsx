// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BackEnd, begin, eventually, show } from '../../../test/page.tsx';
import type { Settings as Values } from '../../backend/types.gen.ts';
import { useSettings } from '../../state/settings.ts';
import { Settings } from './settings.tsx';

let back: BackEnd;

beforeEach(() => {
  back = begin([], []);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const saved = () => back.told('/api/settings').at(-1) as Values;
const flip = (name: string) => fireEvent.click(screen.getByRole('switch', { name }));

it('saves each change as a whole and shows what the back end took', async () => {
  show(<Settings />);
  screen.getByText(/A browser tells of questions only/); // as in fact it does
  flip('Also when agents have finished');
  await eventually(() => expect(useSettings.getState().settings.notify_finished).toBe(false));
  flip('With the system’s sound');
  await eventually(() => expect(saved().notify_sound).toBe(false));
  expect(saved().notify_finished).toBe(false);
});

it('has quiet hours with a beginning and an end, or none', async () => {
  show(<Settings />);
  expect(screen.queryByLabelText('Quiet from')).toBeNull();
  flip('Quiet hours');
  const from = await screen.findByLabelText<HTMLInputElement>('Quiet from');
  expect([saved().quiet_from, saved().quiet_until]).toEqual(['22:00', '07:00']);
  fireEvent.change(from, { target: { value: '23:30' } });
  fireEvent.blur(from);
  await eventually(() => expect(saved().quiet_from).toBe('23:30'));
  flip('Quiet hours');
  await eventually(() => expect([saved().quiet_from, saved().quiet_until]).toEqual(['', '']));
});

it('takes a number when the field is left, and none that does not fit', async () => {
  show(<Settings />);
  const files = screen.getByRole<HTMLInputElement>('textbox', { name: 'Log files' });
  for (const wrong of ['0', '51', '2.5', 'x', '']) {
    fireEvent.change(files, { target: { value: wrong } });
    expect(files.getAttribute('aria-invalid')).toBe('true');
    fireEvent.blur(files);
    expect(files.value).toBe('3');
  }
  expect(back.told('/api/settings')).toEqual([]);
  fireEvent.change(files, { target: { value: '7' } });
  fireEvent.keyDown(files, { key: 'Enter', isComposing: true });
  expect(back.told('/api/settings')).toEqual([]);
  fireEvent.keyDown(files, { key: 'Enter' });
  await eventually(() => expect(saved().keep_log_files).toBe(7));
  fireEvent.change(screen.getByRole('textbox', { name: 'An agent waits for an answer' }), {
    target: { value: '2.5' },
  });
  fireEvent.blur(screen.getByRole('textbox', { name: 'An agent waits for an answer' }));
  await eventually(() => expect(saved().deadline_s).toBe(150));
});

it('lets only the window name a program', async () => {
  show(<Settings />);
  const inBrowser = screen.getByRole<HTMLTextAreaElement>('textbox', {
    name: 'Run a program for each question',
  });
  expect(inBrowser.readOnly).toBe(true);
  screen.getByText('Only the window on the computer itself can change this.');
  back = begin([], []);
  vi.stubGlobal('runtime', { BrowserOpenURL: vi.fn(), ClipboardSetText: vi.fn() });
  show(<Settings />);
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Run a program for each question' });
  expect(field.readOnly).toBe(false);
  fireEvent.change(field, { target: { value: '/usr/bin/logger\n-t\nwith space\n\n' } });
  fireEvent.blur(field);
  await eventually(() => expect(saved().question_command).toEqual(['/usr/bin/logger', '-t', 'with space']));
});

it('lists what was allowed for good and takes it back', async () => {
  const rule = { agent: 'claude', folder: '/src', tool: 'Bash', title: 'Run?', created_at: 1, uses: 0 };
  back.rules = [
    { ...rule, id: 'r1', command: 'go test ./...' },
    { ...rule, id: 'r2', command: '', tool: 'WebFetch' },
  ];
  show(<Settings />);
  const row = (await screen.findByText('go test ./...')).closest<HTMLElement>('.set-row')!;
  screen.getByText('Every use of WebFetch');
  back.offline = true;
  fireEvent.click(within(row).getByRole('button', { name: 'Take back' }));
  await screen.findByText(/Not taken back/);
  screen.getByText('go test ./...');
  back.offline = false;
  fireEvent.click(within(row).getByRole('button', { name: 'Take back' }));
  await eventually(() => expect(screen.queryByText('go test ./...')).toBeNull());
  expect(back.calls.filter((c) => c.method === 'DELETE').map((c) => c.path)).toEqual([
    '/api/approvals/r1',
    '/api/approvals/r1',
  ]);
  screen.getByText('Every use of WebFetch');
});
