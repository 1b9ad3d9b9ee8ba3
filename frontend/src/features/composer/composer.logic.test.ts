import { expect, it } from 'vitest';
import { canStop, type Press, sends, waysToSend } from './composer.logic.ts';

const press = (more: Partial<Press> = {}): Press => ({
  key: 'Enter',
  ctrl: false,
  shift: false,
  alt: false,
  repeat: false,
  composing: false,
  ...more,
});

it.each([
  ['Enter', press(), true, false],
  ['Shift Enter', press({ shift: true }), false, false],
  ['Ctrl Enter', press({ ctrl: true }), true, true],
  ['Enter of an input method', press({ composing: true }), false, false],
  ['a held Enter', press({ repeat: true }), false, false],
  ['Alt Enter', press({ alt: true }), false, false],
  ['a letter', press({ key: 'a' }), false, false],
])('%s sends: %s', (_, p, byEnter, byCtrlEnter) => {
  expect(sends(p, false)).toBe(byEnter);
  expect(sends(p, true)).toBe(byCtrlEnter);
});

it('names queue and steer as two things, and steer only where there is a turn to go into', () => {
  expect(waysToSend('idle', true)).toEqual(['send']);
  expect(waysToSend('running', true)).toEqual(['queue', 'steer']);
  expect(waysToSend('running', false)).toEqual(['queue']);
  expect(waysToSend('starting', true)).toEqual(['queue']);
  expect(waysToSend('stopping', true)).toEqual(['queue']);
});

it('stops what runs and nothing else', () => {
  expect(['idle', 'starting', 'running', 'waiting', 'stopping'].filter(canStop)).toEqual([
    'starting',
    'running',
    'waiting',
  ]);
});
