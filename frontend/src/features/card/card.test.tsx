// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotent } from '../../../dev/scenes.ts';
import {
  armed,
  button,
  card,
  checked,
  option,
  place,
  say,
  startClock,
  stopClock,
  wait,
} from '../../../test/card.tsx';
import { type BackEnd, json } from '../../../test/page.tsx';
import { takeInteraction, takeOutcome, useLive } from '../../state/live.ts';
import { dismiss, sendAnswer } from './answer.ts';

let back: BackEnd;

beforeEach(stopClock);
afterEach(startClock);

describe('a fresh card', () => {
  it('has nothing chosen, Send off, and takes no focus', async () => {
    back = place(idempotent());
    const other = screen.getByLabelText<HTMLTextAreaElement>('elsewhere');
    other.focus();
    act(() => takeInteraction({ ...idempotent(), interaction_id: 'q-idem' }));
    await armed();
    expect(checked()).toEqual([]);
    expect(button('Send answer').getAttribute('aria-disabled')).toBe('true');
    expect(card().contains(document.activeElement)).toBe(false);
    expect(card().className).not.toContain('live');
    fireEvent.click(button('Send answer'));
    expect(back.answers).toEqual([]);
  });

  it('ignores a click and a key in its first moment', async () => {
    back = place(idempotent());
    fireEvent.click(option(0));
    card().focus();
    fireEvent.keyDown(card(), { key: '2' });
    fireEvent.click(button('Close without answering'));
    await wait(399);
    fireEvent.click(option(1));
    expect(checked()).toEqual([]);
    expect(back.answers).toEqual([]);
    await wait(1);
    fireEvent.click(option(1));
    expect(checked()).toEqual(['1']);
  });

  it('keeps the lines of a description, and code as it stands', () => {
    const description = 'In steps:\n1. add\n2. fill\n```sql\nALTER TABLE fee\n  ADD note TEXT;\n```';
    const many = Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n');
    back = place({
      ...idempotent(),
      options: [
        { label: 'Slow', description },
        { label: 'Mad', description: many },
      ],
    });
    const parts = (n: number) => [...option(n).querySelectorAll('.lines')].map((e) => e.textContent);
    expect(parts(0)).toEqual(['In steps:\n1. add\n2. fill', 'ALTER TABLE fee\n  ADD note TEXT;']);
    // All is there, and no higher than a long sentence.
    expect(parts(1)[0]!.split('\n')).toHaveLength(12);
    expect(parts(1)[0]).toMatch(/line 98 line 99$/);
  });

  it('names its parts for a screen reader', () => {
    back = place(idempotent());
    const group = screen.getByRole('radiogroup', { name: /A client reuses/ });
    expect(group.querySelectorAll('[role="radio"]')).toHaveLength(3);
    expect(screen.getByRole('radio', { name: /422 with a problem document.*Recommended/s })).toBeTruthy();
    expect(screen.getByRole('region', { name: 'Question from an agent' })).toBe(card());
    expect(screen.getByRole('textbox', { name: 'Or say it yourself' })).toBeTruthy();
  });
});

describe('by keyboard', () => {
  it('chooses by digit and sends by Enter', async () => {
    back = place(idempotent());
    await armed();
    act(() => option(0).focus());
    expect(card().className).toContain('live');
    fireEvent.keyDown(option(0), { key: '2' });
    expect(checked()).toEqual(['1']);
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(option(0), { key: 'Enter' });
    await wait(0);
    expect(back.answers).toMatchObject([
      { interaction_id: 'q-idem', selected: ['409 Conflict'], status: 'answered' },
    ]);
  });

  it('toggles by Space, moves by arrows, and chooses nothing by moving', async () => {
    back = place(idempotent());
    await armed();
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 'ArrowDown' });
    expect(document.activeElement).toBe(option(1));
    expect(checked()).toEqual([]);
    fireEvent.keyDown(option(1), { key: ' ' });
    expect(checked()).toEqual(['1']);
    fireEvent.keyDown(option(1), { key: ' ' });
    expect(checked()).toEqual([]);
  });

  it('does nothing while a key is held', async () => {
    back = place(idempotent());
    await armed();
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: '1', repeat: true });
    fireEvent.keyDown(option(0), { key: 'Enter', repeat: true });
    expect(checked()).toEqual([]);
    expect(back.answers).toEqual([]);
  });

  it('types digits, Space and T into the text and nothing else', async () => {
    back = place(idempotent());
    await armed();
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Or say it yourself' });
    act(() => text.focus());
    for (const key of '1 2 3 no, use 4tT') fireEvent.keyDown(text, { key });
    expect(checked()).toEqual([]);
    expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  });

  it('goes to the text by Tab, back out by Esc, and asks for time by T', async () => {
    back = place(idempotent());
    await armed();
    const other = screen.getByLabelText('elsewhere');
    act(() => other.focus());
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 'Tab' });
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Or say it yourself' }));
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
    expect(document.activeElement).toBe(other);
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: 't' });
    expect(back.calls.map((c) => c.path)).toContain('/api/interactions/q-idem/more-time');
  });

  it('leaves Enter to an input method', async () => {
    back = place(idempotent());
    await armed();
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Or say it yourself' });
    fireEvent.change(text, { target: { value: '你好' } });
    fireEvent.keyDown(text, { key: 'Enter', keyCode: 229 });
    fireEvent.keyDown(text, { key: 'Enter', isComposing: true });
    expect(back.answers).toEqual([]);
    fireEvent.keyDown(text, { key: 'Enter' });
    await wait(0);
    expect(back.answers).toMatchObject([{ text: '你好', selected: [] }]);
  });

  it('gives the focus back when the card goes', async () => {
    back = place(idempotent());
    await armed();
    const other = screen.getByLabelText('elsewhere');
    act(() => other.focus());
    act(() => option(0).focus());
    fireEvent.keyDown(option(0), { key: '1' });
    fireEvent.keyDown(option(0), { key: 'Enter' });
    await wait(10);
    expect(document.querySelector('[data-card]')).toBeNull();
    expect(document.activeElement).toBe(other);
  });
});

describe('sending', () => {
  it('sends choice and words together, once, however often Send is pressed', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.click(option(0));
    fireEvent.change(say(), { target: { value: 'but log it' } });
    expect(screen.getByText('1 and your text')).toBeTruthy();
    const send = button(/Send answer/);
    fireEvent.click(send);
    fireEvent.click(send);
    fireEvent.keyDown(card(), { key: 'Enter' });
    await wait(0);
    expect(back.answers).toHaveLength(1);
    expect(back.answers[0]).toMatchObject({ selected: ['422 with a problem document'], text: 'but log it' });
    expect(screen.getByText('422 with a problem document. “but log it”')).toBeTruthy();
  });

  it('sends once when two calls come before the page could draw', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.click(option(0));
    const i = useLive.getState().interactions['q-idem']!;
    void sendAnswer(i);
    void sendAnswer(i);
    void dismiss(i);
    await wait(0);
    expect(back.answers).toHaveLength(1);
  });

  it('takes no second click of a double click as taking back', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.click(option(0), { detail: 1 });
    fireEvent.click(option(0), { detail: 2 });
    expect(checked()).toEqual(['0']);
  });

  it('keeps the answer when it fails, says so once, and tries again', async () => {
    back = place(idempotent());
    await armed();
    back.offline = true;
    fireEvent.click(option(2));
    for (let n = 0; n < 20; n++) {
      fireEvent.click(button(n === 0 ? /Send answer/ : /Try again/));
      await wait(500);
      expect(screen.getAllByRole('alert')).toHaveLength(1);
    }
    expect(checked()).toEqual(['2']);
    expect(button('Copy answer')).toBeTruthy();
    back.offline = false;
    fireEvent.click(button(/Try again/));
    await wait(0);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText('Replay the first response')).toBeTruthy();
  });

  it('shows the accepted answer when somebody was first, and offers the draft', async () => {
    back = place(idempotent());
    await armed();
    back.onAnswer = () =>
      json(409, {
        error: { code: 'already_resolved', message: 'This was answered already.' },
        outcome: {
          reason: 'response',
          cause: 'person',
          response: '409 Conflict',
          selected: ['409 Conflict'],
          text: '',
          by: 'cli',
          resolved_at: Date.now(),
        },
      });
    fireEvent.click(option(0));
    fireEvent.click(button(/Send answer/));
    await wait(0);
    expect(screen.getByText('409 Conflict')).toBeTruthy();
    expect(screen.getByText(/You, in a terminal/)).toBeTruthy();
    fireEvent.click(button('Send as new message'));
    await wait(0);
    const [message] = back.told('/messages') as { text: string }[];
    expect(message!.text).toContain('> A client reuses');
    expect(message!.text).toContain('422 with a problem document');
  });

  it('closes without answering and without any choice in what goes out', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.click(option(0));
    fireEvent.click(button('Close without answering'));
    await wait(0);
    expect(back.answers).toEqual([{ interaction_id: 'q-idem', session_id: 's-idem', status: 'cancelled' }]);
    expect(screen.getByText('Closed without an answer')).toBeTruthy();
  });

  it('goes when it was answered elsewhere, with the draft on offer', async () => {
    back = place(idempotent());
    await armed();
    fireEvent.change(say(), { target: { value: 'half typed' } });
    act(() =>
      takeOutcome('q-idem', {
        reason: 'response',
        cause: 'person',
        response: 'x',
        selected: [],
        text: 'x',
        by: 'browser',
        resolved_at: 1,
      }),
    );
    expect(document.querySelector('[data-card]')).toBeNull();
    expect(screen.getByText('Your draft here was not sent.')).toBeTruthy();
  });
});

it('does not answer a card that was put aside, and loses no count of it', async () => {
  back = place(idempotent());
  await armed();
  fireEvent.click(option(0));
  act(() => card().focus());
  fireEvent.keyDown(card(), { key: 'ArrowUp', ctrlKey: true });
  await armed();
  for (const key of ['Enter', '2', 't']) fireEvent.keyDown(card(), { key });
  fireEvent.keyDown(card(), { key: 'Backspace', ctrlKey: true });
  await wait(0);
  expect(back.answers).toEqual([]);
  expect(back.calls.filter((c) => c.path.includes('more-time'))).toEqual([]);
  expect(useLive.getState().interactions['q-idem']!.outcome).toBeUndefined();
  fireEvent.keyDown(card(), { key: 'ArrowUp', ctrlKey: true });
  await armed();
  expect(checked()).toEqual(['0']);
});

it('shows content that imitates the frame as content', () => {
  back = place({
    ...idempotent(),
    question: 'ok\u202etxt.exe\n\n\n\n\n\n\nSystem: answered',
    session_title: 'A\u2028B\u200b',
    branch: '\u202emain',
  });
  const text = card().textContent!;
  expect(text).toContain('⟨U+202E⟩');
  expect(text).toContain('⟨U+200B⟩');
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
  expect(card().querySelectorAll('.q p').length).toBeLessThanOrEqual(2);
});
