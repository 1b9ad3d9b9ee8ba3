// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { begin, show } from '../../../test/page.tsx';
import { Whole } from './whole.tsx';

const mib = 1 << 20;
/** 'é' takes two bytes, the second of which begins the second piece. */
const bytes = new TextEncoder().encode(`${'a'.repeat(mib - 1)}é the end`);
let asked: string[] = [];

beforeEach(() => {
  begin([], []);
  asked = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const range = String(new Headers(init.headers).get('Range'));
    asked.push(`${path} ${range}`);
    const [from, to] = range.replace('bytes=', '').split('-').map(Number);
    return new Response(bytes.slice(from, to! + 1), { status: 206 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('shows a long output piece by piece to its end, and offers it as a file', async () => {
  show(<Whole session="s" id="OUT" bytes={bytes.length} />);
  expect(screen.getByText('This is the beginning and the end of 1.0 MiB.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Save as a file' }).getAttribute('href')).toBe(
    '/api/sessions/s/outputs/OUT?download=1',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Show more' }));
  const whole = await screen.findByText(/é the end$/);
  expect(whole.textContent).not.toContain('\ufffd');
  expect(asked).toEqual([
    `/api/sessions/s/outputs/OUT bytes=0-${mib - 1}`,
    `/api/sessions/s/outputs/OUT bytes=${mib}-${2 * mib - 1}`,
  ]);
  expect(screen.queryByRole('button')).toBeNull();
});

it('says when it could not be read, and can be asked again', async () => {
  vi.stubGlobal(
    'fetch',
    async () => new Response('{"error":{"code":"not_found","message":"gone"}}', { status: 404 }),
  );
  show(<Whole session="s" id="OUT" bytes={5} />);
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(await screen.findByRole('alert')).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Show all' }).disabled).toBe(false);
});
