// How a card finds its way about in its own elements: what a key was pressed
// on, the options beside one, the field that belongs to them.

import type { KeyboardEvent } from 'react';
import { composing } from '../../ui/keys.ts';
import type { Press } from './card.logic.ts';

/** A key as the rules of the card take it. */
export function press(e: KeyboardEvent, root: HTMLElement | null): Press {
  const el = e.target as HTMLElement;
  const text = el.matches('input, textarea, select, [contenteditable="true"]');
  const on = text ? 'text' : el === root ? 'card' : el.closest('[data-option]') ? 'option' : 'button';
  return {
    key: e.key,
    ctrl: e.ctrlKey || e.metaKey,
    shift: e.shiftKey,
    alt: e.altKey,
    repeat: e.repeat,
    composing: composing(e),
    on,
  };
}

/** The group that a digit means: the one around the focus, else the only one there is. */
export function groupOf(option: HTMLElement | null, root: HTMLElement | null): HTMLElement | null {
  const around = option?.closest<HTMLElement>('[role="radiogroup"], [role="group"]');
  if (around) return around;
  const groups = root?.querySelectorAll<HTMLElement>('[role="radiogroup"], .opts[role="group"]') ?? [];
  return groups.length === 1 ? groups[0]! : null;
}

/** Moves the focus among the options of a group, round and round. It chooses nothing. */
export function move(option: HTMLElement | null, by: number): void {
  const rows = Array.from(groupOf(option, null)?.querySelectorAll<HTMLElement>('[data-option]') ?? []);
  const at = rows.indexOf(option!);
  rows[(at + by + rows.length) % rows.length]?.focus();
}

/** The text field that goes with an option, else the first of the card. */
export function textFor(option: HTMLElement | null, root: HTMLElement | null): HTMLElement | null {
  const own = option?.closest('[data-group]')?.querySelector<HTMLElement>('[data-say]');
  return own ?? root?.querySelector<HTMLElement>('[data-say]') ?? null;
}

/** The field of a form that something is wrong with: its text, else its first option. */
export function fieldAt(root: HTMLElement | null, id: string): HTMLElement | null {
  const field = root?.querySelector<HTMLElement>(`[data-field="${CSS.escape(id)}"]`);
  return (
    field?.querySelector<HTMLElement>('[data-option][tabindex="0"]') ??
    field?.querySelector<HTMLElement>('[data-say]') ??
    null
  );
}
