// A profile as one types it. Pure.

import type { Profile, ProfileAgent } from '../../backend/types.gen.ts';

export interface ProfileDraft {
  name: string;
  /** Lines of NAME=value. */
  env: string;
  agents: Readonly<Record<string, { model?: string; effort?: string }>>;
}

export function draftOf(p: Profile | null): ProfileDraft {
  return {
    name: p?.name ?? '',
    env: Object.entries(p?.env ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    agents: p?.agents ?? {},
  };
}

/** Lines that are no variable. */
export function badVariables(env: string): string[] {
  return env.split('\n').filter((l) => l.trim() !== '' && !/^\s*[A-Za-z_][A-Za-z0-9_]*=/.test(l));
}

/** The profile that a draft is, with what the draft does not show of the one before. */
export function contents(before: Profile | null, d: ProfileDraft): Profile {
  const env: Record<string, string> = {};
  for (const line of d.env.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) env[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  const agents: Record<string, ProfileAgent> = {};
  for (const family of new Set([...Object.keys(before?.agents ?? {}), ...Object.keys(d.agents)])) {
    const of: ProfileAgent = {};
    const model = d.agents[family]?.model?.trim();
    const effort = d.agents[family]?.effort?.trim();
    if (model) of.model = model;
    if (effort) of.effort = effort;
    const own = before?.agents[family]?.env;
    if (own && Object.keys(own).length > 0) of.env = own;
    if (Object.keys(of).length > 0) agents[family] = of;
  }
  return { name: d.name.trim(), env, agents, sessions: 0, secrets: [] };
}
