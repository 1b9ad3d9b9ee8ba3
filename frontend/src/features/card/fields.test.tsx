// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { elicitation, form, idempotent } from '../../../dev/scenes.ts';
import { armed, button, card, place, say, startClock, stopClock, wait } from '../../../test/card.tsx';
import type { BackEnd } from '../../../test/page.tsx';

let back: BackEnd;

beforeEach(stopClock);
afterEach(startClock);

describe('a form with steps', () => {
  it('goes step by step, never two at one double click, and sends at the end', async () => {
    back = place(form());
    await armed();
    expect(screen.getByText('How should amounts be written?')).toBeTruthy();
    const next = button(/Next: Time zone/);
    fireEvent.click(next);
    fireEvent.click(button(/Next: Who reads it/)); // too soon: the place has new content
    expect(screen.getByText('Which time zone should times have?')).toBeTruthy();
    await armed();
    fireEvent.click(button(/Next: Who reads it/));
    await armed();
    expect(button(/Send answer/).getAttribute('aria-disabled')).toBe('true');
    fireEvent.change(say(), { target: { value: 'Finance' } });
    fireEvent.click(button(/Send answer/));
    await wait(0);
    expect(back.answers).toMatchObject([
      {
        type: 'interactive_form_question',
        answers: { format: ['CSV'], amounts: ['Decimal text with a currency column'] },
        typed: { reader: 'Finance' },
      },
    ]);
  });
});

describe('closing a form with a message', () => {
  it('sends the message with the closing, and never what is filled in', async () => {
    back = place(form());
    await armed();
    fireEvent.click(button('Close it and say something else…'));
    const words = screen.getByPlaceholderText(/What the agent should do instead/);
    fireEvent.keyDown(words, { key: 'Enter' }); // nothing is written yet
    fireEvent.change(words, { target: { value: ' Leave the export alone ' } });
    await armed();
    fireEvent.keyDown(words, { key: 'Enter' });
    await wait(0);
    expect(back.answers).toHaveLength(1);
    expect(back.answers[0]).toMatchObject({
      type: 'interactive_form_question',
      status: 'cancelled',
      message: 'Leave the export alone',
    });
    expect(back.answers[0]).not.toHaveProperty('answers');
  });

  it('misses no field once a message stands in its place', async () => {
    const all = form();
    back = place({ ...all, questions: [{ ...all.questions!.at(-1)!, required: true }] });
    await armed();
    const echo = () => document.querySelector('.echo')!.textContent;
    fireEvent.change(say(), { target: { value: 'Finance' } });
    fireEvent.change(say(), { target: { value: '' } });
    expect(echo()).toBe('1 field left');
    fireEvent.click(button('Close it and say something else…'));
    const words = screen.getByPlaceholderText(/What the agent should do instead/);
    fireEvent.change(words, { target: { value: 'Leave it' } });
    expect(echo()).toBe('Draft kept');
  });

  it('says of every question of a form whether it must be answered', async () => {
    back = place(form());
    await armed();
    expect(screen.getByText('(required)')).toBeTruthy();
  });
});

it('sends the input of a server with its checks', async () => {
  back = place(elicitation());
  await armed();
  fireEvent.click(screen.getByRole('radio', { name: 'production' }));
  const rate = screen.getByRole('textbox', { name: /Errors per minute/ });
  fireEvent.change(rate, { target: { value: '0' } });
  expect(screen.getByText('At least 1')).toBeTruthy();
  expect(button(/Send to sentry/).getAttribute('aria-disabled')).toBe('true');
  fireEvent.change(rate, { target: { value: '25' } });
  fireEvent.click(button(/Send to sentry/));
  await wait(0);
  expect(back.answers).toMatchObject([
    {
      action: 'accept',
      answers: { env: ['production'] },
      typed: { name: 'Transfer 5xx above baseline', rate: '25' },
    },
  ]);
});

it('shows what is missing when Send is pressed too early, and leads there', async () => {
  vi.stubGlobal('requestAnimationFrame', (fn: () => void) => setTimeout(fn, 0));
  back = place(elicitation());
  await armed();
  expect(screen.queryByText('An answer is needed here')).toBeNull();
  fireEvent.click(button(/Send to sentry/));
  await wait(1);
  expect(back.answers).toEqual([]);
  expect(screen.getAllByText('An answer is needed here')).toHaveLength(2);
  expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'staging' }));
});

it.each([
  ['decline', 'Decline', { action: 'decline', status: 'answered' }],
  ['cancel', 'Close without answering', { status: 'cancelled' }],
])('tells a server %s by a button of its own', async (_, name, want) => {
  back = place(elicitation());
  await armed();
  fireEvent.click(button(name));
  await wait(0);
  expect(back.answers).toHaveLength(1);
  expect(back.answers[0]).toMatchObject(want);
  expect(back.answers[0]).not.toHaveProperty('answers');
});

it('opens a link only by its button, and says where it leads', async () => {
  const opened = vi.fn();
  vi.stubGlobal('open', opened);
  back = place({
    ...idempotent(),
    kind: 'elicitation',
    server: 'sentry',
    options: [],
    url: 'https://sentry.io/oauth?x=1',
  });
  await armed();
  expect(document.querySelector('.url')!.textContent).toBe('https://sentry.io/oauth?x=1');
  expect(document.querySelector('.url b')!.textContent).toBe('sentry.io');
  act(() => card().focus());
  for (const key of ['Enter', ' ', '1', 'o']) fireEvent.keyDown(card(), { key });
  expect(opened).not.toHaveBeenCalled();
  fireEvent.click(button('Open sentry.io'));
  await wait(0);
  expect(opened).toHaveBeenCalledOnce();
  expect(back.answers).toMatchObject([{ action: 'accept' }]);
});
