// The shortcuts of the page, in one table: what the key handler matches and
// what the sheet shows. Pure.

import type { PlainKey } from '../lib/i18n/i18n.ts';

export type Command =
  | 'palette'
  | 'new'
  | 'inbox'
  | 'next'
  | 'previous'
  | 'stop'
  | 'find'
  | 'help'
  | 'settings'
  | 'side';

interface Shortcut {
  command: Command;
  key: string;
  ctrl: boolean;
  shift: boolean;
  label: PlainKey;
}

/** In the order of the sheet. */
export const shortcuts: readonly Shortcut[] = [
  { command: 'palette', key: 'k', ctrl: true, shift: false, label: 'keys.palette' },
  { command: 'new', key: 'n', ctrl: true, shift: false, label: 'keys.new' },
  { command: 'inbox', key: 'i', ctrl: true, shift: false, label: 'keys.inbox' },
  { command: 'next', key: 'j', ctrl: true, shift: false, label: 'keys.next' },
  { command: 'previous', key: 'j', ctrl: true, shift: true, label: 'keys.previous' },
  { command: 'stop', key: '.', ctrl: true, shift: false, label: 'keys.stop' },
  { command: 'find', key: 'f', ctrl: true, shift: false, label: 'keys.find' },
  { command: 'side', key: 'b', ctrl: true, shift: false, label: 'keys.side' },
  { command: 'settings', key: ',', ctrl: true, shift: false, label: 'keys.settings' },
  { command: 'help', key: '?', ctrl: false, shift: true, label: 'keys.help' },
];

export interface Press {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  repeat: boolean;
  composing: boolean;
  /** A text field has the focus. */
  inText: boolean;
}

/** The command of a key, or null. A bare key does nothing while a text field has the focus. */
export function commandOf(p: Press): Command | null {
  if (p.composing || p.alt || p.repeat) return null;
  const found = shortcuts.find(
    (s) => s.key === p.key.toLowerCase() && s.ctrl === p.ctrl && (!s.ctrl || s.shift === p.shift),
  );
  if (!found || (!found.ctrl && p.inText)) return null;
  return found.command;
}

/** A shortcut as the keyboard in front of the person is labelled. */
export function capOf(s: Pick<Shortcut, 'key' | 'ctrl' | 'shift'>, mac: boolean): string {
  const key = s.key.toUpperCase();
  if (!s.ctrl) return key;
  return mac ? `${s.shift ? '⇧' : ''}⌘${key}` : `Ctrl ${s.shift ? '⇧ ' : ''}${key}`;
}
