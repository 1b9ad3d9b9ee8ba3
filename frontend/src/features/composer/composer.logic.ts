// What a key does in a message field, and which ways to send there are. Pure.

export interface Press {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  repeat: boolean;
  composing: boolean;
}

/** Whether a key sends. Enter that confirms an input method's candidate never does. */
export function sends(p: Press, ctrlSends: boolean): boolean {
  if (p.key !== 'Enter' || p.composing || p.repeat || p.shift || p.alt) return false;
  return ctrlSends ? p.ctrl : true;
}

/** How a message goes out: at once, behind the running turn, into it. */
export type Way = 'send' | 'queue' | 'steer';

/** Ways to send that are offered. */
export function waysToSend(state: string, canSteer: boolean): readonly Way[] {
  if (state === 'idle') return ['send'];
  return canSteer && (state === 'running' || state === 'waiting') ? ['queue', 'steer'] : ['queue'];
}

/** Whether there is something to stop. */
export function canStop(state: string): boolean {
  return state === 'starting' || state === 'running' || state === 'waiting';
}
