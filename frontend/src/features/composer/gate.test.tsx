// @vitest-environment happy-dom
// A message is refused while a form waits; what is said of it goes with the form.
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { question, session } from '../../../dev/make.ts';
import { begin, json, show } from '../../../test/page.tsx';
import { takeOutcome } from '../../state/live.ts';
import { Composer } from './composer.tsx';

afterEach(() => vi.unstubAllGlobals());

it('keeps a message that was refused because of a form, and its refusal until the form is settled', async () => {
  const s = session({ id: 's1', title: 'One', agent: 'claude' });
  const form = question(
    { interaction_id: 'f', session_id: 's1', agent: 'claude', kind: 'form', tool_use_id: 't' },
    0,
  );
  const back = begin([s], [form]);
  back.onMessage = () => json(409, { error: { code: 'pending_interactive_form', message: 'A form waits.' } });
  show(<Composer session={s} />);
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message Claude Code' });
  fireEvent.change(field, { target: { value: 'hurry up' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  expect((await screen.findByRole('alert')).textContent).toContain('A form waits.');
  expect(field.value).toBe('hurry up');
  act(() =>
    takeOutcome('f', {
      reason: 'dismissed',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      resolved_at: 1,
    }),
  );
  expect(screen.queryByRole('alert')).toBeNull();
  expect(field.value).toBe('hurry up');
});
