import { describe, expect, it } from 'vitest';
import { elicitation, form, idempotent } from '../../dev/scenes.ts';
import type { Draft, Field } from '../backend/types.gen.ts';
import {
  draftWords,
  emptyDraft,
  fieldFault,
  hasAnswer,
  isTouched,
  newest,
  nextRevision,
  toAnswer,
  toggle,
} from './drafts.logic.ts';

const draft = (d: Partial<Draft> = {}): Draft => ({ revision: 1, selected: [], text: '', ...d });

it('chooses one or any number, and takes back', () => {
  expect(toggle([], 'a', false)).toEqual(['a']);
  expect(toggle(['a'], 'b', false)).toEqual(['b']);
  expect(toggle(['a'], 'a', false)).toEqual([]);
  expect(toggle(['a'], 'b', true)).toEqual(['a', 'b']);
});

describe('an answer', () => {
  const i = idempotent();
  it('is nothing when there are only blanks', () => {
    expect(hasAnswer(i, draft())).toBe(false);
    expect(hasAnswer(i, draft({ text: ' \n\t ' }))).toBe(false);
    expect(hasAnswer(i, draft({ text: 'x' }))).toBe(true);
  });

  it('is never the recommended option by itself', () => {
    expect(emptyDraft(i).selected).toEqual([]);
    expect(toAnswer(i, draft({ text: 'own words' })).selected).toEqual([]);
  });

  it('goes out in the order of the options with the text as typed', () => {
    const a = toAnswer(
      i,
      draft({ selected: ['Replay the first response', '409 Conflict'], text: ' why \n' }),
    );
    expect(a).toMatchObject({
      interaction_id: 'q-idem',
      session_id: 's-idem',
      status: 'answered',
      selected: ['409 Conflict', 'Replay the first response'],
      text: 'why',
    });
  });

  it('holds only labels that were offered', () => {
    expect(toAnswer(i, draft({ selected: ['not offered'] })).selected).toEqual([]);
  });
});

describe('a form', () => {
  it('begins with its own defaults and sends them only when sent', () => {
    const i = { ...form(), draft: undefined };
    const d = emptyDraft(i as never);
    expect(d.answers).toEqual({ amounts: ['Decimal text with a currency column'] });
    expect(isTouched(i as never, d)).toBe(false);
  });

  it('is complete when every required field has an answer', () => {
    const i = form();
    const d = { ...i.draft!, typed: { reader: 'Finance' } };
    expect(hasAnswer(i, i.draft!)).toBe(false);
    expect(hasAnswer(i, d)).toBe(true);
    expect(toAnswer(i, d)).toMatchObject({
      type: 'interactive_form_question',
      answers: { format: ['CSV'], amounts: ['Decimal text with a currency column'] },
      typed: { reader: 'Finance' },
    });
  });

  it('accepts an elicitation', () => {
    const i = elicitation();
    const d = { ...emptyDraft(i), answers: { env: ['both'] }, typed: { name: 'n', rate: '25' } };
    expect(toAnswer(i, d)).toMatchObject({
      action: 'accept',
      answers: { env: ['both'] },
      typed: { rate: '25' },
    });
  });
});

describe('fields', () => {
  const field = (f: Partial<Field>): Field => ({
    id: 'f',
    question: 'F',
    input_type: 'text',
    options: [],
    multi_select: false,
    required: true,
    free_text: true,
    ...f,
  });
  const fault = (f: Partial<Field>, text: string) =>
    fieldFault(field(f), draft({ typed: { f: text } }))?.kind ?? null;
  it.each([
    [{}, '', 'required'],
    [{ required: false }, '', null],
    [{ input_type: 'integer' }, '2.5', 'integer'],
    [{ input_type: 'integer' }, 'two', 'number'],
    [{ input_type: 'number', minimum: 1 }, '0', 'min'],
    [{ input_type: 'number', maximum: 9 }, '10', 'max'],
    [{ input_type: 'integer', minimum: 1, maximum: 9 }, '9', null],
    [{ min_length: 3 }, '🤔🤔', 'minLength'],
    [{ max_length: 2 }, 'abc', 'maxLength'],
    [{ format: 'email' }, 'nobody', 'email'],
    [{ format: 'email' }, 'a@b.c', null],
    [{ format: 'uri' }, 'not a link', 'uri'],
    [{ input_type: 'integer' }, '2.0', 'integer'],
    [{ input_type: 'integer' }, '1e3', 'integer'],
    [{ input_type: 'number' }, '0x10', 'number'],
    [{ input_type: 'number' }, '-.5', null],
    [{ format: 'date' }, '2026-02-30', 'date'],
    [{ format: 'date' }, '2026-02-28', null],
    [{ format: 'date-time' }, '2026-11-30T14:05', 'moment'],
    [{ format: 'date-time' }, '2026-11-30T14:05:00+01:00', null],
    [{ format: 'something new' }, 'anything', null],
  ] as const)('%j with %j: %s', (f, text, want) => {
    expect(fault(f, text)).toBe(want);
  });
});

it.each([
  [[], '', 'required'],
  [['a'], '', 'minItems'],
  [['a', 'b'], '', null],
  [['a'], 'own words', null],
  [['a', 'b', 'c'], 'own words', 'maxItems'],
])('counts what was chosen of many: %j with %j: %s', (chosen, text, want) => {
  const f: Field = {
    id: 'f',
    question: 'F',
    input_type: 'choice',
    options: ['a', 'b', 'c'].map((label) => ({ label })),
    multi_select: true,
    required: true,
    free_text: true,
    min_items: 2,
    max_items: 3,
  };
  expect(fieldFault(f, draft({ answers: { f: chosen }, typed: { f: text } }))?.kind ?? null).toBe(want);
});

it('prefers the newer of two drafts, and always counts up', () => {
  expect(newest(draft({ revision: 5 }), draft({ revision: 9 }))!.revision).toBe(9);
  expect(newest(undefined, draft())).toBeDefined();
  expect(nextRevision(10, 5)).toBe(11);
  expect(nextRevision(10, 50)).toBe(50);
});

it('offers an answer that never reached the agent as it was', () => {
  const i = {
    ...idempotent(),
    undelivered_at: 5,
    outcome: {
      reason: 'response' as const,
      cause: 'person' as const,
      response: '409 Conflict\nwhy',
      selected: ['409 Conflict'],
      text: 'why',
      files: [{ name: 'a.png', mime: 'image/png', path: '/x/a.png' }],
      resolved_at: 4,
    },
  };
  const { files } = i.outcome;
  expect(emptyDraft(i)).toMatchObject({ selected: ['409 Conflict'], text: 'why', files });
});

it('puts a draft in words', () => {
  expect(draftWords(idempotent(), draft({ selected: ['409 Conflict'], text: 'or so' }))).toBe(
    '409 Conflict\nor so',
  );
  expect(draftWords(form(), form().draft!)).toBe('Format: CSV\nAmounts: Decimal text with a currency column');
});
