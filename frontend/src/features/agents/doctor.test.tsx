// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { but, finding, goesOn, never, over, tried } from '../../../dev/doctor.ts';
import { type BackEnd, begin, json, show } from '../../../test/page.tsx';
import type { DoctorReport } from '../../backend/types.gen.ts';
import { now, setLanguage } from '../../lib/i18n/i18n.ts';
import { useDoctor } from '../../state/doctor.ts';
import { currentRoute } from '../../state/route.ts';
import { cellOf, checks, figure, sayings } from './doctor.logic.ts';
import { Doctor } from './doctor.tsx';

let back: BackEnd;
let report: DoctorReport;

beforeEach(() => {
  back = begin([], []);
  report = over;
  back.onDoctor = () => json(200, report);
  useDoctor.setState({ report: null, error: '' });
});
afterEach(async () => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  await setLanguage('en');
});

const place = async () => {
  show(<Doctor />);
  await act(async () => {});
};
const row = (name: string) => within(screen.getByText(name).closest('tr')!);
const calls = (method: string) =>
  back.calls.filter((c) => c.path === '/api/doctor' && c.method === method).map((c) => c.body);

it('shows what was found, failures first, each with its command', async () => {
  await place();
  expect(row('Claude Code').getByText('60 m 30 s')).toBeTruthy();
  expect(row('Claude Code').getAllByText('3 of 3')).toHaveLength(1);
  expect(row('Codex').getByText('failed')).toBeTruthy();
  expect(row('Codex').getAllByText('not tried')).toHaveLength(6);
  expect(row('Pi').getByText('9 m 30 s, set by you')).toBeTruthy();
  const said = [...document.querySelectorAll('.doctor-said li')].map((li) => li.textContent ?? '');
  expect(said).toHaveLength(4); // what only says that something failed before is not said again
  expect(said[0]).toContain('Codex is not installed as a whole. Install it again.');
  expect(said[0]).toContain('npm install -g @openai/codex');
  expect(said[3]).toContain('Line 18 of the file.');
});

it('leads to the override that lowers a limit', async () => {
  await place();
  fireEvent.click(screen.getByRole('button', { name: 'Show' }));
  expect(currentRoute().page).toBe('mcp');
});

it('offers to try again what has changed since', async () => {
  await place();
  expect(screen.getByText('Grok: another version is installed than was tried.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try it' }));
  await act(async () => {});
  expect(calls('POST')).toEqual([{ agents: ['grok'] }]);
});

it('says what it does before it is called, and calls it for all', async () => {
  report = never;
  await place();
  expect(screen.getByText(/No account is used/)).toBeTruthy();
  expect(document.querySelector('table')).toBeNull();
  report = goesOn;
  fireEvent.click(screen.getByRole('button', { name: 'Try all agents' }));
  await act(async () => {});
  expect(calls('POST')).toEqual([{ agents: [] }]);
  expect(row('Claude Code').getByText('trying…')).toBeTruthy();
  expect(row('Pi').getAllByText('to come')).toHaveLength(8);
});

it('follows a run to its end, and can stop it', async () => {
  vi.useFakeTimers();
  report = goesOn;
  await place();
  expect(screen.getByText('Trying, 14 s')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  expect(calls('DELETE')).toHaveLength(1);
  report = over;
  await act(() => vi.advanceTimersByTimeAsync(600));
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  const asked = calls('GET').length;
  await act(() => vi.advanceTimersByTimeAsync(5000));
  expect(calls('GET')).toHaveLength(asked); // nothing goes on, so nothing is asked
});

it('says why it could not begin', async () => {
  await place();
  back.onDoctor = () =>
    json(409, { error: { code: 'already_pending', message: 'The doctor is at work already.' } });
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await act(async () => {});
  expect(screen.getByRole('alert').textContent).toContain('The doctor is at work already.');
});

it('speaks Chinese, also of what the back end found', async () => {
  await setLanguage('zh-CN');
  await place();
  const said = document.querySelector('.doctor-said')!.textContent!;
  expect(said).toContain('无论怎么设置，Grok 都会在 1 分钟后中断工具调用');
  expect(said).toContain('位于该文件第 18 行。');
  expect(said).not.toMatch(/[{}]/);
});

it('gives a figure to every result', () => {
  const t = now();
  const a = tried('claude', 'Claude Code', '2', 900);
  const words = checks.map((c) => {
    const cell = cellOf(a, c);
    return cell.kind === 'done' ? figure(t, cell.result) : cell.kind;
  });
  expect(words).toEqual(['18 s', '3 of 3', '931 ms', '900 ms', '2.7 s', '13 s', '60 m 30 s', 'nothing']);
  expect(cellOf({ ...a, checks: [], state: 'queued' }, 'left').kind).toBe('coming');
  expect(cellOf({ ...a, checks: [], state: 'trying', trying: 'tools' }, 'tools').kind).toBe('now');
});

it('says once what several checks say', () => {
  const a = tried('x', 'X', '1', 10);
  const same = finding({ code: 'no_local_model', text: 'X can’t be pointed at a model.' });
  const [tools, question] = a.checks.filter((c) => c.check === 'tools' || c.check === 'question');
  const both = but(
    a,
    { ...tools!, state: 'not_tried', finding: same },
    { ...question!, state: 'not_tried', finding: same },
  );
  expect(sayings({ ...over, agents: [both] })).toHaveLength(1);
});
