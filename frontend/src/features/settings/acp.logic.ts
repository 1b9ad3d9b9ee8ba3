// An agent that speaks ACP, as one types it. Pure.

import type { ACPAgent } from '../../backend/types.gen.ts';
import type { PlainKey } from '../../lib/i18n/i18n.ts';
import { countChars } from '../../lib/text.ts';
import { badVariables } from './profiles.logic.ts';

export interface ACPDraft {
  name: string;
  id: string;
  command: string;
  /** One a line. */
  args: string;
  /** Lines of NAME=value. */
  env: string;
}

export type ACPField = keyof ACPDraft;
export type Faults = Partial<Record<ACPField, PlainKey>>;

export function draftOf(a: ACPAgent | null): ACPDraft {
  return {
    name: a?.name ?? '',
    id: a?.id ?? '',
    command: a?.command ?? '',
    args: (a?.args ?? []).join('\n'),
    env: Object.entries(a?.env ?? {})
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  };
}

/** What an agent of this name may be called in sessions and files. */
export function idOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32)
      .replace(/^-+|-+$/g, '') || 'agent'
  );
}

/** What is wrong with a draft, by field; the back end checks the same. taken are the ids of the others. */
export function faults(d: ACPDraft, taken: readonly string[]): Faults {
  const found: Faults = {};
  const name = countChars(d.name.trim());
  if (name < 1 || name > 60) found.name = 'acp.badName';
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(d.id)) found.id = 'acp.badId';
  else if (taken.includes(d.id)) found.id = 'acp.takenId';
  if (d.command.trim() === '') found.command = 'acp.badCommand';
  if (badVariables(d.env).length > 0) found.env = 'acp.badEnv';
  return found;
}

/**
 * The agent that a draft is. What one did not touch of the agent before stays as it is, also where
 * lines cannot say it, and so does what the draft does not show.
 */
export function agentOf(before: ACPAgent | null, d: ACPDraft): ACPAgent {
  const was = draftOf(before);
  const lines = (text: string) => text.split('\n').filter((l) => l !== '');
  const env: Record<string, string> = {};
  for (const line of lines(d.env)) {
    const at = line.indexOf('=');
    if (at > 0) env[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  return {
    id: d.id,
    name: d.name.trim(),
    command: d.command.trim(),
    args: before && d.args === was.args ? before.args : lines(d.args),
    env: before && d.env === was.env ? before.env : env,
    modes: before?.modes ?? {},
  };
}

/** The field of the agent at a place in the list that a refusal is about, null when it is another. */
export function fieldOf(refused: string, at: number): ACPField | null {
  const [, place, field] = /^acp_agents\[(\d+)\]\.(name|id|command|args|env)$/.exec(refused) ?? [];
  return Number(place) === at ? (field as ACPField) : null;
}
