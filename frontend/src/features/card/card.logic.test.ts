import { describe, expect, it } from 'vitest';
import { form, idempotent, push } from '../../../dev/scenes.ts';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import {
  allowActions,
  canExtend,
  cardKey,
  echoOf,
  isRisky,
  type KeyRules,
  looksLikeDiff,
  type Press,
  planStep,
  shapeOf,
  shareLeft,
  stepsOf,
} from './card.logic.ts';

const rules: KeyRules = { armed: true, ctrlSends: false, enterSends: true };
const press = (key: string, on: Press['on'], more: Partial<Press> = {}): Press => ({
  key,
  on,
  ctrl: false,
  shift: false,
  alt: false,
  repeat: false,
  composing: false,
  ...more,
});
const act = (p: Press, r: Partial<KeyRules> = {}) => cardKey(p, { ...rules, ...r })?.do ?? null;

describe('keys', () => {
  it.each([
    ['a digit chooses', press('2', 'option'), 'choose'],
    ['a digit chooses from the card itself', press('1', 'card'), 'choose'],
    ['Space toggles an option', press(' ', 'option'), 'toggle'],
    ['Space does nothing on the card itself', press(' ', 'card'), null],
    ['Enter sends', press('Enter', 'option'), 'send'],
    ['Enter sends from the text', press('Enter', 'text'), 'send'],
    ['Shift Enter breaks the line', press('Enter', 'text', { shift: true }), null],
    ['T asks for time', press('t', 'card'), 'more'],
    ['Ctrl Backspace closes', press('Backspace', 'option', { ctrl: true }), 'dismiss'],
    ['Ctrl Backspace deletes a word in the text', press('Backspace', 'text', { ctrl: true }), null],
    ['Tab goes to the text', press('Tab', 'option'), 'text'],
    ['Shift Tab goes back', press('Tab', 'option', { shift: true }), null],
    ['Tab leaves the text as ever', press('Tab', 'text'), null],
    ['Esc leaves', press('Escape', 'text'), 'leave'],
    ['arrows move', press('ArrowDown', 'option'), 'move'],
    ['a button keeps its Enter', press('Enter', 'button'), null],
    ['Ctrl K is not the card’s', press('k', 'option', { ctrl: true }), null],
    ['0 is no option', press('0', 'option'), null],
    ['Alt is the system’s', press('1', 'option', { alt: true }), null],
  ])('%s', (_, p, want) => {
    expect(act(p)).toBe(want);
  });

  it('does nothing with digits, Space and T in a text field', () => {
    for (const key of ['1', '9', ' ', 't', 'T', 'y']) expect(act(press(key, 'text'))).toBeNull();
  });

  it('leaves every key to an input method while it composes', () => {
    for (const key of ['Enter', '1', 'Escape', ' ', 'Process']) {
      for (const on of ['text', 'option', 'card'] as const)
        expect(act(press(key, on, { composing: true }))).toBeNull();
    }
  });

  it('does nothing while a key is held, nor in the first moment of a card', () => {
    for (const [key, on, more] of [
      ['Enter', 'option', {}],
      ['Enter', 'text', {}],
      ['1', 'option', {}],
      [' ', 'option', {}],
      ['t', 'card', {}],
      ['Backspace', 'card', { ctrl: true }],
    ] as const) {
      expect(act(press(key, on, { ...more, repeat: true })), key).toBe('nothing');
      expect(act(press(key, on, more), { armed: false }), key).toBe('nothing');
    }
    expect(act(press('Enter', 'button', { repeat: true }))).toBe('nothing');
  });

  it('sends no decision by Enter', () => {
    expect(act(press('Enter', 'card'), { enterSends: false })).toBe('nothing');
    expect(act(press('Enter', 'text'), { enterSends: false })).toBeNull();
  });

  it('lets a setting swap Enter and Ctrl Enter in the text', () => {
    expect(act(press('Enter', 'text'), { ctrlSends: true })).toBeNull();
    expect(act(press('Enter', 'text', { ctrl: true }), { ctrlSends: true })).toBe('send');
  });
});

describe('approvals', () => {
  it.each([
    [['force_push'], true],
    [['delete'], true],
    [['outside_folder'], true],
    [['network'], false],
    [[], false],
  ] as const)('%j is risky: %s', (risks, want) => {
    expect(isRisky({ ...push().approval!, risks: [...risks] })).toBe(want);
  });

  it('offers no wide allow when something could be destroyed', () => {
    const a = push().approval!;
    expect(allowActions(a)).toEqual(['allow_once']);
    expect(allowActions({ ...a, risks: [] })).toEqual(['allow_once', 'allow_session']);
    expect(allowActions({ ...a, risks: [], scopes: [] })).toEqual(['allow_once']);
  });
});

it('says what will go out', () => {
  const i = idempotent();
  const d = (selected: string[], text = ''): Draft => ({ revision: 1, selected, text });
  expect(echoOf(i, d([]))).toEqual({ kind: 'nothing' });
  expect(echoOf(i, d([], '  '))).toEqual({ kind: 'nothing' });
  expect(echoOf(i, d(['409 Conflict']))).toEqual({ kind: 'label', label: '409 Conflict' });
  expect(echoOf(i, d(['409 Conflict'], 'but'))).toEqual({ kind: 'both', number: 2 });
  const many = { ...i, multi_select: true };
  expect(echoOf(many, d(['409 Conflict', 'Replay the first response'], 'x'))).toEqual({
    kind: 'manyAndText',
    n: 2,
  });
});

describe('steps', () => {
  it('come with more than three fields, and begin where the draft is', () => {
    const i = form();
    const s = stepsOf(i, i.draft!);
    expect(s).toMatchObject({
      count: 4,
      at: 1,
      fields: [1],
      last: false,
      ready: true,
      complete: false,
      answered: 2,
    });
  });

  it('are one for few fields', () => {
    const i: Interaction = { ...form(), questions: form().questions!.slice(0, 3) };
    expect(stepsOf(i, i.draft!)).toMatchObject({ count: 1, fields: [0, 1, 2], last: true });
  });

  it('do not run over their ends', () => {
    const i = form();
    expect(stepsOf(i, { ...i.draft!, step: 99 }).at).toBe(3);
    expect(stepsOf(i, { ...i.draft!, step: -4 }).at).toBe(0);
  });
});

it('knows the shape of every way to ask', () => {
  expect([idempotent(), push(), form()].map(shapeOf)).toEqual(['clarify', 'approval', 'fields']);
  expect(shapeOf({ ...idempotent(), kind: 'elicitation', url: 'https://a.b' })).toBe('link');
});

it('shows the share of the time that was given', () => {
  const i = { ...idempotent(), requested_at: 0, deadline_at: 1000 };
  expect([0, 250, 1000, 5000].map((now) => shareLeft(i, now))).toEqual([1, 0.75, 0, 0]);
  expect(canExtend({ ...i, max_deadline_at: 1000 })).toBe(false);
  expect(canExtend({ ...i, max_deadline_at: 2000 })).toBe(true);
  expect(canExtend({ ...i, deadline_at: 0 })).toBe(false);
});

it('reads a plan step', () => {
  expect(planStep('3/5 decide on key reuse')).toEqual({ at: 3, of: 5, step: 'decide on key reuse' });
  expect(planStep('')).toBeNull();
});

it('colours a preview only when it is a diff', () => {
  expect(looksLikeDiff('- old\n+ new')).toBe(true);
  expect(looksLikeDiff('- a list\n- of points')).toBe(false);
});
