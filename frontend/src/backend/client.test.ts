import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, api, isOffline, refusal } from './client.ts';

afterEach(() => vi.unstubAllGlobals());

describe('a refusal', () => {
  it('carries code, sentence, field and what was accepted instead', () => {
    const body = {
      error: { code: 'already_resolved', message: 'Somebody answered.', field: 'x' },
      outcome: { reason: 'response' },
    };
    const e = refusal(409, JSON.stringify(body));
    expect(e).toBeInstanceOf(ApiError);
    expect(e).toMatchObject({
      code: 'already_resolved',
      message: 'Somebody answered.',
      field: 'x',
      outcome: { reason: 'response' },
    });
  });

  it.each([
    [401, '', 'unauthenticated'],
    [502, '<html>bad gateway</html>', 'offline'],
    [503, '', 'offline'],
    [500, 'panic', 'internal'],
    [404, '{"other":1}', 'internal'],
    [503, '{"error":{"code":"storage_failed","message":"Disk full."}}', 'storage_failed'],
  ])('%d with %j is %s', (status, text, code) => {
    expect(refusal(status, text).code).toBe(code);
  });
});

it('tells a missing network from a refusal', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch');
  });
  const error = await api.about().catch((e: unknown) => e);
  expect(isOffline(error)).toBe(true);
  expect(isOffline(new ApiError('not_found', ''))).toBe(false);
});

it('sends small drafts so that they outlive the page, and large ones all the same', async () => {
  const calls: RequestInit[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    calls.push(init);
    return new Response('{}');
  });
  await api.saveDraft('a/b', { revision: 1, selected: [], text: 'x' });
  await api.saveDraft('a', { revision: 1, selected: [], text: 'x'.repeat(100_000) });
  expect(calls.map((c) => c.keepalive)).toEqual([true, false]);
});

it('lets no id break out of its path', async () => {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path);
    return new Response('{}');
  });
  await api.stop('../../x?y');
  await api.timeline('s', { after: 7 }, 50);
  expect(paths).toEqual(['/api/sessions/..%2F..%2Fx%3Fy/stop', '/api/sessions/s/events?limit=50&after=7']);
});
