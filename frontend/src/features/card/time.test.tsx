// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotent } from '../../../dev/scenes.ts';
import { armed, button, card, place, say, startClock, stopClock, wait } from '../../../test/card.tsx';
import { type BackEnd, json } from '../../../test/page.tsx';
import { takeInteraction, useLive } from '../../state/live.ts';

let back: BackEnd;

beforeEach(stopClock);
afterEach(startClock);

describe('near the end', () => {
  it('earns time by typing, is louder, and says so once', async () => {
    const now = Date.now();
    back = place({ ...idempotent(), deadline_at: now + 20_000, max_deadline_at: now + 600_000 });
    await armed();
    expect(card().className).toContain('soon');
    const text = say();
    fireEvent.change(text, { target: { value: 'a' } });
    fireEvent.change(text, { target: { value: 'ab' } });
    expect(back.calls.filter((c) => c.path.endsWith('/typing'))).toHaveLength(1);
    expect(document.querySelector('[role="status"]')?.textContent).toMatch(/seconds left/);
  });

  it('says when typing earns no more', async () => {
    const now = Date.now();
    const i = {
      ...idempotent(),
      interaction_id: 'q-grace', // nobody has typed there a moment ago
      deadline_at: now + 20_000,
      max_deadline_at: now + 600_000,
    };
    back = place(i);
    await armed();
    expect(screen.getByText(/Typing adds a minute by itself/)).toBeTruthy();
    back.onTyping = () => json(200, i);
    fireEvent.change(say(), { target: { value: 'a' } });
    await wait(0);
    expect(screen.getByText(/Typing adds no more time/)).toBeTruthy();
  });

  it('sends no typing while there is time', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'a' } });
    expect(back.calls.filter((c) => c.path.endsWith('/typing'))).toEqual([]);
  });

  it('stays answerable after the time ran out, as the next message', async () => {
    const i = { ...idempotent() };
    i.outcome = {
      reason: 'timeout',
      cause: 'deadline',
      response: '',
      selected: [],
      text: '',
      resolved_at: Date.now(),
    };
    back = place(i);
    await armed();
    expect(card().className).toContain('calm');
    fireEvent.change(say(), { target: { value: 'too late' } });
    fireEvent.click(button(/Send as next message/));
    await wait(0);
    expect(back.answers).toMatchObject([{ status: 'answered', text: 'too late' }]);
  });
});

describe('more time', () => {
  const at = (deadline: number, max: number) => {
    const now = Date.now();
    back = place({ ...idempotent(), deadline_at: now + deadline, max_deadline_at: now + max });
  };

  it('says what it adds before it is asked for', async () => {
    at(200_000, 3_600_000);
    expect(button('Add 5 min')).toBeTruthy();
    at(200_000, 320_000);
    expect(button('Add 2 min')).toBeTruthy();
    at(200_000, 240_000);
    expect(button('Add 40 s')).toBeTruthy();
  });

  it('is off at the ceiling, says why, and asks nothing', async () => {
    at(200_000, 200_000);
    await armed();
    const off = button('No more time');
    expect(off.getAttribute('aria-disabled')).toBe('true');
    expect(off.getAttribute('title')).toMatch(/is the limit/);
    expect(document.querySelector('.clock .until')!.textContent).toMatch(/the limit$/);
    fireEvent.click(off);
    act(() => card().focus());
    fireEvent.keyDown(card(), { key: 't' });
    expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  });

  it('shows for a moment what was added, and not what a clock that was set has moved', async () => {
    at(200_000, 3_600_000);
    const until = () => document.querySelector('.clock .until')!.textContent;
    const i = useLive.getState().interactions['q-idem']!;
    act(() => takeInteraction({ ...i, deadline_at: i.deadline_at + 60_000 }));
    expect(until()).toBe('1 min added');
    expect(document.querySelector('[role="status"]')?.lastElementChild?.textContent).toBe('1 min added');
    await wait(4000);
    expect(until()).toMatch(/^until /);
    const moved = { deadline_at: i.deadline_at + 660_000, max_deadline_at: i.max_deadline_at + 600_000 };
    act(() => takeInteraction({ ...i, ...moved }));
    expect(until()).toMatch(/^until /);
  });

  it('says once when it could not be given, and the card goes on', async () => {
    at(200_000, 3_600_000);
    await armed();
    back.offline = true;
    fireEvent.click(button('Add 5 min'));
    await wait(0);
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    expect(screen.getByText(/No time was added/)).toBeTruthy();
    back.offline = false;
    fireEvent.click(button('Add 5 min'));
    await wait(0);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
