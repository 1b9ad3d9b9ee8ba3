// An answer in the making: ticks and words. Pure.

import type { Answer, Attachment, Draft, Field, Interaction, Outcome } from '../backend/types.gen.ts';

/** A new draft, for a person who has not touched the card. A form's own defaults are part of it. */
export function emptyDraft(i: Interaction): Draft {
  if (i.undelivered_at && i.outcome?.reason === 'response') return lostAnswer(i.outcome);
  const answers: Record<string, string[]> = {};
  const typed: Record<string, string> = {};
  for (const f of i.questions ?? []) {
    if (!f.default?.length) continue;
    if (f.input_type === 'choice' || f.input_type === 'boolean') answers[f.id] = [...f.default];
    else typed[f.id] = f.default.join('\n');
  }
  return { revision: 0, selected: [], text: '', answers, typed, step: 0 };
}

/** An answer that never reached the agent, to be sent again as it was. */
function lostAnswer(o: Outcome): Draft {
  const { selected, text, answers = {}, typed = {}, files = [] } = o;
  return { revision: 0, selected, text, answers, typed, ...(files.length > 0 && { files }) };
}

/** The newer of what this browser and the back end hold. */
export function newest(a: Draft | undefined, b: Draft | undefined): Draft | undefined {
  if (!a || !b) return a ?? b;
  return a.revision >= b.revision ? a : b;
}

/** A number above the last one; the clock makes drafts of two browsers comparable. */
export function nextRevision(last: number, now: number): number {
  return Math.max(last + 1, now);
}

/** Chooses or takes back a label. With one choice allowed, choosing replaces. */
export function toggle(selected: readonly string[], label: string, multi: boolean): string[] {
  if (selected.includes(label)) return selected.filter((s) => s !== label);
  return multi ? [...selected, label] : [label];
}

/** What an option sends: its value, or its label when it has none. */
export function optionValue(o: { label: string; value?: string }): string {
  return o.value || o.label;
}

/** Whether a field of a form has an answer. */
export function fieldAnswered(f: Field, d: Draft): boolean {
  return (d.answers?.[f.id]?.length ?? 0) > 0 || (d.typed?.[f.id] ?? '').trim() !== '';
}

/** Why the value of a field cannot go out; null when it can. */
export type FieldFault =
  | { kind: 'required' }
  | { kind: 'number' }
  | { kind: 'integer' }
  | { kind: 'min'; n: number }
  | { kind: 'max'; n: number }
  | { kind: 'minLength'; n: number }
  | { kind: 'maxLength'; n: number }
  | { kind: 'minItems'; n: number }
  | { kind: 'maxItems'; n: number }
  | { kind: 'date' }
  | { kind: 'moment' }
  | { kind: 'email' }
  | { kind: 'uri' };

export function fieldFault(f: Field, d: Draft): FieldFault | null {
  if (!fieldAnswered(f, d)) return f.required ? { kind: 'required' } : null;
  const text = (d.typed?.[f.id] ?? '').trim();
  if (f.multi_select) {
    const n = (d.answers?.[f.id]?.length ?? 0) + (text === '' ? 0 : 1);
    if (f.min_items !== undefined && n < f.min_items) return { kind: 'minItems', n: f.min_items };
    if (f.max_items !== undefined && n > f.max_items) return { kind: 'maxItems', n: f.max_items };
  }
  if (text === '') return null;
  if (f.input_type === 'number' || f.input_type === 'integer') {
    // As the back end reads numbers: decimal, and a whole one without point or exponent.
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return { kind: 'number' };
    if (f.input_type === 'integer' && !/^[+-]?\d+$/.test(text)) return { kind: 'integer' };
    const n = Number(text);
    if (f.minimum !== undefined && n < f.minimum) return { kind: 'min', n: f.minimum };
    if (f.maximum !== undefined && n > f.maximum) return { kind: 'max', n: f.maximum };
    return null;
  }
  const length = Array.from(text).length;
  if (f.min_length !== undefined && length < f.min_length) return { kind: 'minLength', n: f.min_length };
  if (f.max_length !== undefined && length > f.max_length) return { kind: 'maxLength', n: f.max_length };
  if (f.format === 'date' && !isDate(text)) return { kind: 'date' };
  if (f.format === 'date-time' && !isMoment(text)) return { kind: 'moment' };
  if (f.format === 'email' && !/^\S+@\S+$/.test(text)) return { kind: 'email' };
  if (f.format === 'uri' && !URL.canParse(text)) return { kind: 'uri' };
  return null;
}

function isDate(text: string): boolean {
  const [, y, m, d] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (y === undefined) return false;
  const at = new Date(Date.UTC(Number(y), Number(m) - 1, Number(d)));
  return at.getUTCMonth() === Number(m) - 1 && at.getUTCDate() === Number(d);
}

/** A date with a time and its zone, as RFC 3339 writes it. */
function isMoment(text: string): boolean {
  const form = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  return form !== null && isDate(form[1]!) && !Number.isNaN(Date.parse(text));
}

/** Whether there is something to send. Blanks alone are no answer. */
export function hasAnswer(i: Interaction, d: Draft): boolean {
  if (i.questions?.length) return i.questions.every((f) => fieldFault(f, d) === null);
  return d.selected.length > 0 || d.text.trim() !== '' || filesOf(d).length > 0;
}

/** The pictures that go along. */
export function filesOf(d: Draft): readonly Attachment[] {
  return d.files ?? [];
}

/** Whether the person has put anything in that would be lost. */
export function isTouched(i: Interaction, d: Draft): boolean {
  if (d.text.trim() !== '' || d.selected.length > 0 || filesOf(d).length > 0) return true;
  const fresh = emptyDraft(i);
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? {}) === JSON.stringify(b ?? {});
  return !same(prune(d.answers), prune(fresh.answers)) || !same(prune(d.typed), prune(fresh.typed));
}

function prune<V extends string | string[]>(r: Record<string, V> | undefined): Record<string, V> {
  return Object.fromEntries(
    Object.entries(r ?? {})
      .filter(([, v]) => v.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The labels in the order of the options, whatever the order of the clicks. */
export function inOrder(i: Interaction, selected: readonly string[]): string[] {
  return i.options.map((o) => o.label).filter((l) => selected.includes(l));
}

/** The answer that a draft stands for. */
export function toAnswer(i: Interaction, d: Draft): Answer {
  const base: Answer = {
    interaction_id: i.interaction_id,
    session_id: i.session_id,
    status: 'answered',
    revision: d.revision,
  };
  if (i.tool_use_id) base.tool_use_id = i.tool_use_id;
  if (i.kind === 'form') base.type = 'interactive_form_question';
  if (i.questions?.length) {
    base.answers = {};
    base.typed = {};
    for (const f of i.questions) {
      const chosen = d.answers?.[f.id] ?? [];
      const text = (d.typed?.[f.id] ?? '').trim();
      if (chosen.length > 0) base.answers[f.id] = chosen;
      if (text) base.typed[f.id] = text;
    }
    if (i.kind === 'elicitation') base.action = 'accept';
    return base;
  }
  base.selected = inOrder(i, d.selected);
  base.text = d.text.trim();
  if (filesOf(d).length > 0) base.files = [...filesOf(d)];
  return base;
}

/** The answer as words, for copying and for a new message. */
export function draftWords(i: Interaction, d: Draft): string {
  if (!i.questions?.length) return [...inOrder(i, d.selected), d.text.trim()].filter(Boolean).join('\n');
  return i.questions
    .map((f) => {
      const chosen = (d.answers?.[f.id] ?? []).map(
        (v) => f.options.find((o) => optionValue(o) === v)?.label ?? v,
      );
      const words = [...chosen, (d.typed?.[f.id] ?? '').trim()].filter(Boolean).join(', ');
      return words ? `${f.header || f.question}: ${words}` : '';
    })
    .filter(Boolean)
    .join('\n');
}
