import { expect, it } from 'vitest';
import { capOf, commandOf, type Press, shortcuts } from './keys.logic.ts';

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrl: false,
  shift: false,
  alt: false,
  repeat: false,
  composing: false,
  inText: false,
  ...more,
});

it.each([
  ['k', { ctrl: true }, 'palette'],
  ['j', { ctrl: true }, 'next'],
  ['J', { ctrl: true, shift: true }, 'previous'],
  ['.', { ctrl: true }, 'stop'],
  ['?', { shift: true }, 'help'],
  ['?', { shift: true, inText: true }, null],
  ['k', {}, null],
  ['k', { ctrl: true, repeat: true }, null],
  ['k', { ctrl: true, composing: true }, null],
  ['k', { ctrl: true, alt: true }, null],
  ['k', { ctrl: true, shift: true }, null],
] as const)('%s with %j: %s', (key, more, want) => {
  expect(commandOf(press(key, more))).toBe(want);
});

it('acts on no bare key while a text field has the focus', () => {
  for (let c = 32; c < 127; c++)
    expect(commandOf(press(String.fromCharCode(c), { inText: true }))).toBeNull();
});

it('has no shortcut twice', () => {
  const caps = shortcuts.map((s) => capOf(s, false));
  expect(new Set(caps).size).toBe(caps.length);
});
