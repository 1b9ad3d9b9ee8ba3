// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { push } from '../../../dev/scenes.ts';
import { armed, button, card, place, say, startClock, stopClock, wait } from '../../../test/card.tsx';
import type { BackEnd } from '../../../test/page.tsx';

let back: BackEnd;

beforeEach(stopClock);
afterEach(startClock);

describe('a risky approval', () => {
  it('takes two different steps to allow, and none by Enter', async () => {
    back = place(push());
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'Enter' });
    expect(button('Deny').className).toContain('solid');
    expect(screen.queryByRole('button', { name: 'Allow in this session' })).toBeNull();
    fireEvent.click(button('Allow once…'));
    await wait(0);
    fireEvent.click(button('Yes, allow once')); // the rest of a hasty double click
    expect(back.answers).toEqual([]);
    await armed();
    act(() => card().focus());
    for (const key of ['Enter', 'o', 'O']) fireEvent.keyDown(card(), { key });
    expect(back.answers).toEqual([]);
    await armed();
    fireEvent.click(button('Yes, allow once'));
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_once' }]);
  });

  it('goes both steps by two different keys, the second not before its moment', async () => {
    back = place(push());
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'y' });
    fireEvent.keyDown(card(), { key: 'o' });
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(399);
    fireEvent.keyDown(card(), { key: 'o' });
    await armed();
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_once' }]);
  });

  it('takes the second step back by N or Esc, keeps the focus, and still denies by D', async () => {
    back = place(push());
    await armed();
    act(() => button('Allow once…').focus());
    for (const key of ['n', 'Escape']) {
      fireEvent.click(button('Allow once…'));
      expect(document.activeElement).toBe(card());
      await armed();
      fireEvent.keyDown(card(), { key });
      expect(screen.queryByRole('button', { name: 'Yes, allow once' })).toBeNull();
      expect(document.activeElement).toBe(card());
      await armed();
    }
    fireEvent.keyDown(card(), { key: 'd' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'deny' }]);
  });

  it('says why it is risky, and marks the words in the command', () => {
    const approval = {
      ...push().approval!,
      command: 'rm -rf build && git push --force origin main',
      risks: ['force_push', 'delete', 'network'] as const,
      risk_reasons: [
        { risk: 'force_push', words: 'git push --force' },
        { risk: 'delete', words: 'rm -rf build' },
        { risk: 'network', words: 'git push' },
      ] as const,
    };
    back = place({ ...push(), approval: approval as never });
    const hot = [...document.querySelectorAll('.cmd mark')].map((e) => e.textContent);
    expect(hot).toEqual(['rm -rf build', 'git push --force']);
    expect(document.querySelector('.cmd')!.textContent).toBe(approval.command);
    expect(screen.getByText('This would rewrite shared history')).toBeTruthy();
    expect(screen.getByText(/Commits of others on that branch can be lost/)).toBeTruthy();
    expect(screen.getByText('This would delete something')).toBeTruthy();
    expect(screen.getByText('Uses the network')).toBeTruthy();
  });

  it('sends the words along with a deny as its reason', async () => {
    back = place(push());
    await armed();
    fireEvent.change(say(), { target: { value: 'push to a branch' } });
    fireEvent.click(button('Deny'));
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'deny', reason: 'push to a branch' }]);
  });
});

it('offers words that could not go along with an allow, instead of losing them', async () => {
  back = place({ ...push(), approval: { ...push().approval!, risks: [] } });
  await armed();
  fireEvent.change(say(), { target: { value: 'but only this branch' } });
  fireEvent.click(button('Allow once'));
  await wait(0);
  expect(back.answers).toEqual([
    { interaction_id: 'q-push', session_id: 's-tidy', status: 'answered', action: 'allow_once' },
  ]);
  expect(screen.getByText('Your draft here was not sent.')).toBeTruthy();
});

describe('a permission for good', () => {
  const always = (grants: object[]) => {
    const approval = {
      ...push().approval!,
      risks: [],
      command: 'go test ./...',
      scopes: ['allow_once', 'allow_session', 'allow_always'],
      grants,
    };
    back = place({ ...push(), approval: approval as never });
  };

  it('says exactly what and where before it is given, and is given by a key of its own', async () => {
    always([{ action: 'allow_always', tool: 'shell', command: 'go test ./...', folder: '/srv/ledger' }]);
    await armed();
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 'a' });
    await wait(0);
    expect(back.answers).toEqual([]);
    expect(screen.getByText(/runs exactly this command in \/srv\/ledger without asking/)).toBeTruthy();
    expect(document.querySelector('.c-ask .cmd')!.textContent).toBe('go test ./...');
    expect(screen.getByText(/take that back in Settings/)).toBeTruthy();
    await armed();
    fireEvent.keyDown(card(), { key: 'y' });
    await wait(0);
    expect(back.answers).toMatchObject([{ action: 'allow_always' }]);
  });

  it('says that all of a tool is meant, or that the agent keeps it itself', async () => {
    always([{ action: 'allow_always', tool: 'WebFetch', command: '', folder: '/srv/ledger' }]);
    await armed();
    fireEvent.click(button('Always allow…'));
    expect(screen.getByText(/uses WebFetch in \/srv\/ledger without asking, whatever/)).toBeTruthy();
    always([]);
    await armed();
    fireEvent.click(button('Always allow…'));
    expect(screen.getByText(/keeps that in its own settings/)).toBeTruthy();
  });
});

it('can do nothing any more once its time ran out', async () => {
  back = place({
    ...push(),
    outcome: { reason: 'timeout', cause: 'deadline', response: '', selected: [], text: '', resolved_at: 1 },
  });
  await armed();
  expect(screen.getByText('This is over. It can’t be decided any more.')).toBeTruthy();
  for (const name of [/Allow/, /Deny/, /Send/]) expect(screen.queryByRole('button', { name })).toBeNull();
  act(() => card().focus());
  for (const key of ['o', 'y', 'd', 'Enter']) fireEvent.keyDown(card(), { key });
  await wait(0);
  expect(back.answers).toEqual([]);
});

it('asks in words when the agent gave nothing but the command, which is shown once', () => {
  const approval = {
    ...push().approval!,
    risks: [],
    title: 'uname -a',
    tool: 'uname -a',
    command: 'uname -a',
  };
  back = place({ ...push(), approval });
  expect(screen.getByRole('heading', { name: 'Run this command?' })).toBeTruthy();
  expect(screen.getAllByText('uname -a')).toHaveLength(1);
});
