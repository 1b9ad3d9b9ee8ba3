import { describe, expect, it } from 'vitest';
import { form, idempotent, push } from '../../../dev/scenes.ts';
import type { Draft, Interaction } from '../../backend/types.gen.ts';
import {
  allowActions,
  asksAgain,
  cardKey,
  echoOf,
  isRisky,
  type KeyRules,
  looksLikeDiff,
  marked,
  moreTimeFor,
  type Press,
  planStep,
  shapeOf,
  shareLeft,
  stepsOf,
} from './card.logic.ts';

const rules: KeyRules = { armed: true, ctrlSends: false, enterSends: true, decisions: null };
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
  const decisions = { offered: ['allow_once', 'allow_session', 'deny'] as const, asked: '' as const };
  const decided = (p: Press, r: Partial<KeyRules> = {}) => cardKey(p, { ...rules, decisions, ...r });

  it('are decided by letters, in both cases, and only by those on offer', () => {
    expect(decided(press('o', 'card'))).toEqual({ do: 'decide', action: 'allow_once' });
    expect(decided(press('S', 'button'))).toEqual({ do: 'decide', action: 'allow_session' });
    expect(decided(press('d', 'option'))).toEqual({ do: 'decide', action: 'deny' });
    expect(decided(press('a', 'card'))).toBeNull();
    expect(decided(press('o', 'text'))).toBeNull();
    expect(decided(press('o', 'card', { ctrl: true }))).toBeNull();
  });

  it('take no letter that is held, and none in the first moment', () => {
    expect(decided(press('o', 'card', { repeat: true }))).toEqual({ do: 'nothing' });
    expect(decided(press('o', 'card'), { armed: false })).toEqual({ do: 'nothing' });
  });

  it('want another key for the second step, and never Enter', () => {
    const asked = { decisions: { ...decisions, asked: 'allow_once' as const }, enterSends: false };
    expect(decided(press('y', 'card'))).toBeNull();
    expect(decided(press('y', 'card'), asked)).toEqual({ do: 'yes' });
    expect(decided(press('y', 'card', { repeat: true }), asked)).toEqual({ do: 'nothing' });
    expect(decided(press('y', 'card'), { ...asked, armed: false })).toEqual({ do: 'nothing' });
    expect(decided(press('n', 'card'), asked)).toEqual({ do: 'no' });
    expect(decided(press('Escape', 'card'), asked)).toEqual({ do: 'no' });
    expect(decided(press('Enter', 'card'), asked)).toEqual({ do: 'nothing' });
    expect(decided(press('o', 'card'), asked)).toEqual({ do: 'decide', action: 'allow_once' });
  });

  it('ask once more about what could destroy something and what holds for good', () => {
    const risky = push().approval!;
    const plain = { ...risky, risks: [] };
    expect(asksAgain(risky, 'allow_once')).toBe(true);
    expect(asksAgain(risky, 'deny')).toBe(false);
    expect(asksAgain(plain, 'allow_once')).toBe(false);
    expect(asksAgain(plain, 'allow_session')).toBe(false);
    expect(asksAgain(plain, 'allow_always')).toBe(true);
  });

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

  it('say what is missing, and lead to it', () => {
    const i = form();
    expect(stepsOf(i, { ...i.draft!, step: 3 })).toMatchObject({ missing: 1, wrong: 3, wrongStep: 3 });
    const first = { ...i.draft!, step: 3, answers: {}, typed: { reader: 'x' } };
    expect(stepsOf(i, first)).toMatchObject({ complete: false, missing: 2, wrong: 0, wrongStep: 0 });
    expect(stepsOf(i, { ...i.draft!, typed: { reader: 'x' } })).toMatchObject({ missing: 0, wrong: -1 });
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
});

it.each([
  ['a whole portion', 1_000_000, 9_000_000, 300_000],
  ['what is left up to the ceiling', 1_000_000, 1_120_000, 120_000],
  ['nothing at the ceiling', 1_000_000, 1_000_000, 0],
  ['a whole portion without a ceiling', 1_000_000, 0, 300_000],
  ['nothing where there is no limit', 0, 0, 0],
])('gives %s as more time', (_, deadline_at, max_deadline_at, want) => {
  expect(moreTimeFor({ ...idempotent(), deadline_at, max_deadline_at })).toBe(want);
});

it('marks the words of a command, and no others', () => {
  expect(marked('cd x && rm -rf *', ['rm -rf *'])).toEqual([
    { text: 'cd x && ', hot: false },
    { text: 'rm -rf *', hot: true },
  ]);
  // What is no pattern of ours, and the longest first.
  expect(marked('a.b a+b', ['a+b', 'a'])).toEqual([
    { text: 'a', hot: true },
    { text: '.b ', hot: false },
    { text: 'a+b', hot: true },
  ]);
  expect(marked('all of it', ['all of it', ' '])).toEqual([{ text: 'all of it', hot: false }]);
});

it('reads a plan step', () => {
  expect(planStep('3/5 decide on key reuse')).toEqual({ at: 3, of: 5, step: 'decide on key reuse' });
  expect(planStep('')).toBeNull();
});

it('colours a preview only when it is a diff', () => {
  expect(looksLikeDiff('- old\n+ new')).toBe(true);
  expect(looksLikeDiff('- a list\n- of points')).toBe(false);
});
