// Decisions of the question card. Pure, so that every rule about what a key or a
// click may do is tested without a page.

import type { Action, Approval, Draft, Interaction, Risk } from '../../backend/types.gen.ts';
import { fieldAnswered, fieldFault, inOrder } from '../../state/drafts.logic.ts';

/** For so long after a card or a step has come up, nothing at its place acts. */
export const guardMS = 400;

/** Under this much time left the card is louder, and typing earns more. */
export const soonMS = 30_000;

/** More options than this get slim rows and a filter. */
export const filterAbove = 9;

/** Lines of its own that the description of an option may have; more flow on in the last. */
export const descriptionLines = 12;

/** A question longer than this is set as prose, and scrolls by itself. */
export const longQuestion = 400;

/** More fields than this are asked one at a time. */
export const stepsAbove = 3;

export type Shape = 'approval' | 'link' | 'fields' | 'clarify';

export function shapeOf(i: Interaction): Shape {
  if (i.approval) return 'approval';
  if (i.url) return 'link';
  return i.questions?.length ? 'fields' : 'clarify';
}

const grave: readonly Risk[] = ['delete', 'force_push', 'outside_folder'];

/** Whether allowing could destroy something, so that it takes a second step. */
export function isRisky(a: Approval): boolean {
  return a.risks.some((r) => grave.includes(r));
}

/** Whether a decision asks once more: what could destroy something, and what holds for good. */
export function asksAgain(a: Approval, action: Action): boolean {
  return action === 'allow_always' || (action !== 'deny' && isRisky(a));
}

/** The ways to allow that are offered, narrowest first. A risky one has no wide allow. */
export function allowActions(a: Approval): Action[] {
  const allows = a.scopes.filter((s) => s.startsWith('allow_'));
  const offered: Action[] = allows.length > 0 ? allows : ['allow_once'];
  return isRisky(a) ? offered.slice(0, 1) : offered;
}

/** The letter of each decision. Yes and no are other ones, so that no key can go both steps. */
export const decisionKeys: Readonly<Partial<Record<Action, string>>> = {
  allow_once: 'O',
  allow_session: 'S',
  allow_always: 'A',
  deny: 'D',
};
export const yesKey = 'Y';
export const noKey = 'N';

/** A key as the card hears it. */
export interface Press {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  repeat: boolean;
  /** An input method is composing; its keys are its own. */
  composing: boolean;
  on: 'card' | 'option' | 'text' | 'button';
}

export interface KeyRules {
  /** The guard time of this place is over. */
  armed: boolean;
  /** Enter breaks the line in text fields, Ctrl Enter sends. */
  ctrlSends: boolean;
  /** There is one thing that Enter can send: not so for approvals and links. */
  enterSends: boolean;
  /** What can be decided on a permission, and what was asked once more about; null for all else. */
  decisions: { offered: readonly Action[]; asked: Action | '' } | null;
}

export type KeyAction =
  | { do: 'choose'; index: number }
  | { do: 'toggle' }
  | { do: 'move'; by: number }
  | { do: 'send' }
  | { do: 'dismiss' }
  | { do: 'more' }
  | { do: 'text' }
  | { do: 'leave' }
  | { do: 'fold' }
  | { do: 'decide'; action: Action }
  | { do: 'yes' }
  | { do: 'no' }
  /** The key is taken and does nothing: held down, or too early. */
  | { do: 'nothing' };

/** What a key does in a card that the person has focused; null leaves it to the browser. */
export function cardKey(p: Press, rules: KeyRules): KeyAction | null {
  if (p.composing || p.alt) return null;
  const action = p.on === 'text' ? textKey(p, rules) : bareKey(p, rules);
  if (!action || action.do === 'leave' || action.do === 'move' || action.do === 'text') return action;
  if (p.repeat || !rules.armed) return { do: 'nothing' };
  return action;
}

function textKey(p: Press, rules: KeyRules): KeyAction | null {
  if (p.key === 'Escape') return { do: 'leave' };
  if (p.key !== 'Enter' || p.shift || !rules.enterSends) return null;
  return p.ctrl || !rules.ctrlSends ? { do: 'send' } : null;
}

function bareKey(p: Press, rules: KeyRules): KeyAction | null {
  if (p.ctrl) {
    if (p.key === 'Backspace') return { do: 'dismiss' };
    if (p.key === 'ArrowUp') return { do: 'fold' };
    if (p.key === 'Enter' && rules.enterSends) return { do: 'send' };
    return null;
  }
  const decision = rules.decisions && decisionKey(p, rules.decisions);
  if (decision) return decision;
  if (p.key === 'Escape') return { do: 'leave' };
  if (p.key === 'Tab') return p.on === 'button' || p.shift ? null : { do: 'text' };
  if (/^[1-9]$/.test(p.key) && !p.shift) return { do: 'choose', index: Number(p.key) - 1 };
  if (p.key.toLowerCase() === 't') return { do: 'more' };
  if (p.on === 'button') return held(p);
  if (p.key === 'Enter') return rules.enterSends ? { do: 'send' } : { do: 'nothing' };
  if (p.on === 'option') {
    if (p.key === ' ') return { do: 'toggle' };
    if (p.key === 'ArrowDown' || p.key === 'ArrowRight') return { do: 'move', by: 1 };
    if (p.key === 'ArrowUp' || p.key === 'ArrowLeft') return { do: 'move', by: -1 };
  }
  return null;
}

function decisionKey(p: Press, d: NonNullable<KeyRules['decisions']>): KeyAction | null {
  const key = p.key.toUpperCase();
  if (d.asked) {
    if (key === yesKey) return { do: 'yes' };
    if (key === noKey || p.key === 'Escape') return { do: 'no' };
  }
  const action = d.offered.find((a) => decisionKeys[a] === key);
  return action ? { do: 'decide', action } : null;
}

/** A button takes Enter and Space itself, once for each time they are pressed. */
function held(p: Press): KeyAction | null {
  return p.repeat && (p.key === 'Enter' || p.key === ' ') ? { do: 'nothing' } : null;
}

/** What the footer says will go out. */
export type Echo =
  | { kind: 'nothing' }
  | { kind: 'label'; label: string }
  | { kind: 'text' }
  | { kind: 'both'; number: number }
  | { kind: 'many'; n: number }
  | { kind: 'manyAndText'; n: number };

export function echoOf(i: Interaction, d: Draft): Echo {
  const chosen = inOrder(i, d.selected);
  const typed = d.text.trim() !== '';
  if (chosen.length === 0) return typed ? { kind: 'text' } : { kind: 'nothing' };
  if (i.multi_select && chosen.length > 1) {
    return { kind: typed ? 'manyAndText' : 'many', n: chosen.length };
  }
  if (typed) return { kind: 'both', number: i.options.findIndex((o) => o.label === chosen[0]) + 1 };
  return { kind: 'label', label: chosen[0]! };
}

/** The steps of a form, and which one is in front. One step holding all fields when they are few. */
export interface Steps {
  count: number;
  at: number;
  /** Indexes of the fields in front. */
  fields: number[];
  last: boolean;
  /** The fields in front can go on. */
  ready: boolean;
  /** All fields can go out. */
  complete: boolean;
  /** How many of all have an answer. */
  answered: number;
  /** How many of the fields in front hold the answer back, of all in the last step. */
  missing: number;
  /** The first field that does, of those in front if there is one; its step. -1 and 0 when none does. */
  wrong: number;
  wrongStep: number;
}

export function stepsOf(i: Interaction, d: Draft): Steps {
  const all = i.questions ?? [];
  const stepped = all.length > stepsAbove;
  const count = stepped ? all.length : 1;
  const at = stepped ? Math.min(Math.max(d.step ?? 0, 0), all.length - 1) : 0;
  const fields = stepped ? [at] : all.map((_, n) => n);
  const fine = (n: number) => fieldFault(all[n]!, d) === null;
  const last = at === count - 1;
  const faulty = all.map((_, n) => n).filter((n) => !fine(n));
  const wrong = faulty.find((n) => fields.includes(n)) ?? faulty[0] ?? -1;
  return {
    count,
    at,
    fields,
    last,
    ready: fields.every(fine),
    complete: faulty.length === 0,
    answered: all.filter((f) => fieldAnswered(f, d)).length,
    missing: last ? faulty.length : faulty.filter((n) => fields.includes(n)).length,
    wrong,
    wrongStep: stepped ? Math.max(0, wrong) : 0,
  };
}

/** How much of the time is left, 0 to 1, of what was given so far. */
export function shareLeft(i: Interaction, now: number): number {
  const given = i.deadline_at - i.requested_at;
  return given > 0 ? Math.min(1, Math.max(0, (i.deadline_at - now) / given)) : 0;
}

/** What "more time" adds when there is room for it. The back end decides; this is what is said before. */
const moreTimeMS = 5 * 60_000;

/** How much more time can be had now, in milliseconds: 0 at the ceiling and where there is no limit. */
export function moreTimeFor(i: Interaction): number {
  if (i.deadline_at === 0) return 0;
  if (i.max_deadline_at === 0) return moreTimeMS;
  return Math.max(0, Math.min(moreTimeMS, i.max_deadline_at - i.deadline_at));
}

/** A text in pieces, those hot that occur in words: what makes a command risky is seen in it. */
export function marked(text: string, words: readonly string[]): { text: string; hot: boolean }[] {
  const found = words.filter((w) => w.trim() !== '' && w !== text).sort((a, b) => b.length - a.length);
  if (found.length === 0) return [{ text, hot: false }];
  const escaped = found.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`))
    .map((piece, n) => ({ text: piece, hot: n % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

/** "3/5 decide on key reuse" in its parts; null when it has another shape. */
export function planStep(text: string): { at: number; of: number; step: string } | null {
  const m = /^(\d+)\/(\d+)\s+([\s\S]+)$/.exec(text);
  return m ? { at: Number(m[1]), of: Number(m[2]), step: m[3]! } : null;
}

/** Whether a preview is a diff, so that its lines are coloured. */
export function looksLikeDiff(text: string): boolean {
  const lines = text.split('\n');
  return (
    /^(@@ |diff |--- )/m.test(text) || (lines.some((l) => /^\+/.test(l)) && lines.some((l) => /^-/.test(l)))
  );
}
