// What the page makes of the servers that each agent gets. Pure.

import type { MCPEdit, MCPEffective, MCPServer, MCPSetting } from '../../backend/types.gen.ts';

export type Group = 'managed' | 'yours' | 'project' | 'own';

/** How one server reaches one agent. */
export interface Reach {
  agent: string;
  state: string;
  /** Why it does not reach it; of an agent's own server, why it cannot be left out. */
  why: string;
}

/** The agents that are started without the servers of their own files, once one of them changes. */
export function leaveOut(agents: readonly string[], agent: string, out: boolean): string[] {
  const others = agents.filter((a) => a !== agent);
  return out ? [...others, agent] : others;
}

/** One server over all agents. */
export interface Row {
  /** Names it on this page: an agent's own server may have the name of one of yours. */
  id: string;
  name: string;
  group: Group;
  /** Its command line or address; of an agent's own the file that names it. */
  what: string;
  reach: readonly Reach[];
}

/** All servers: ours, the person's, the project's, and what agents have by themselves. */
export function rowsOf(all: readonly MCPEffective[]): Row[] {
  const rows = new Map<string, Row & { reach: Reach[] }>();
  const add = (group: Group, name: string, what: string, reach: Reach) => {
    const id = group === 'own' ? `${name}@${what}` : name;
    const row = rows.get(id);
    if (row) row.reach.push(reach);
    else rows.set(id, { id, name, group, what, reach: [reach] });
  };
  for (const e of all) {
    for (const s of e.servers) {
      const group = s.managed ? 'managed' : s.project ? 'project' : 'yours';
      // Where our own program lies is nothing that one looks for.
      const what = s.managed ? whatOf(s).replace(/^.*[/\\]/, '') : whatOf(s);
      add(group, s.name, what, { agent: e.agent, state: s.state, why: s.why });
    }
    const state = e.own_out ? 'left_out' : 'on';
    for (const o of e.own) add('own', o.name, o.file, { agent: e.agent, state, why: e.own_stays });
  }
  return [...rows.values()];
}

/** What a server runs or calls, on one line. */
export function whatOf(s: Pick<MCPServer, 'settings'>): string {
  const value = (field: string): string[] => {
    const found = parsed(s.settings.find((f) => f.field === field)?.value ?? 'null');
    if (Array.isArray(found)) return found.map(String);
    return typeof found === 'string' && found ? [found] : [];
  };
  return [...value('url'), ...value('command'), ...value('args')].join(' ');
}

/** A value as JSON has it; null for what is none. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

/** A value as a table shows it: texts without their quotes, "" when there is none. */
export function shown(json: string): string {
  const v = parsed(json);
  if (v === null) return '';
  return typeof v === 'string' ? v : json;
}

/** In words what a card says about who gets a server. */
export type Sum =
  | { kind: 'on' | 'off' | 'incomplete' | 'untrusted' | 'elsewhere' }
  | { kind: 'offFor'; agents: string[] };

export function sumOf(row: Row): Sum {
  const of = (state: string) => row.reach.filter((r) => r.state === state).map((r) => r.agent);
  const on = of('on');
  const off = of('off');
  if (on.length > 0) return off.length > 0 ? { kind: 'offFor', agents: off } : { kind: 'on' };
  for (const kind of ['untrusted', 'incomplete', 'off'] as const)
    if (row.reach.some((r) => r.state === kind)) return { kind };
  return { kind: 'elsewhere' };
}

/** The agents that get it; null for all there are. */
export function getters(row: Row): string[] | null {
  const on = row.reach.filter((r) => r.state === 'on').map((r) => r.agent);
  return on.length === row.reach.length ? null : on;
}

/** Whether a value is filled in when an agent starts. */
export function isFilledIn(json: string): boolean {
  return /\$\{(env|keyring):/.test(json);
}

/** Fields that a person can set for a server of their own, as far as they are not there. */
export function unsetFields(s: MCPServer): string[] {
  if (s.managed) return [];
  const overHTTP = s.settings.some((f) => f.field === 'url' && parsed(f.value) !== null);
  const can = overHTTP
    ? ['headers', 'timeout', 'agents', 'profiles']
    : ['args', 'env', 'cwd', 'timeout', 'agents', 'profiles'];
  return can.filter(
    (field) => field === 'env' || field === 'headers' || !s.settings.some((f) => f.field === field),
  );
}

/** Fields that only the server itself has: no agent or profile can have another value. */
const ofServer = ['agents', 'profiles'];

/** Whether a setting can be changed by the person. */
export function canChange(s: MCPServer, field: string): boolean {
  if (s.project) return false;
  if (s.managed) return field === 'timeout';
  return field !== 'enabled' && field !== 'type';
}

export const isList = (field: string): boolean => ['args', 'agents', 'profiles'].includes(field);

/** What a person typed as the JSON that a field wants; "" takes it out of the file. */
export function jsonOf(field: string, typed: string): string {
  if (typed.trim() === '') return '';
  if (!isList(field)) return JSON.stringify(typed.trim());
  return JSON.stringify(
    typed
      .split('\n')
      .map((l) => l.trim())
      .filter(Boolean),
  );
}

/** A value as one types it: a list has one entry a line. */
export function typedOf(f: Pick<MCPSetting, 'field' | 'value'>): string {
  const v = parsed(f.value);
  if (Array.isArray(v)) return v.join('\n');
  return typeof v === 'string' ? v : '';
}

/** For whom a change holds. */
export interface Scope {
  id: 'server' | 'all' | 'agent' | 'profile';
  edit: Pick<MCPEdit, 'agent' | 'profile' | 'server'>;
}

/** For whom a change of a field can hold, the widest first. */
export function scopesOf(s: MCPServer, field: string, agent: string, profile: string): Scope[] {
  const widest: Scope = s.managed
    ? { id: 'all', edit: { agent: '*', profile: '*', server: false } }
    : { id: 'server', edit: { agent: '', profile: '', server: true } };
  if (ofServer.includes(field)) return [widest];
  return [
    widest,
    { id: 'agent', edit: { agent, profile: '*', server: false } },
    { id: 'profile', edit: { agent, profile, server: false } },
  ];
}

/** The scope in which a value stands now, so that a change replaces it. */
export function scopeOf(f: Pick<MCPSetting, 'layer' | 'agent' | 'profile'> | undefined): Scope['id'] {
  if (f?.layer !== 'overrides') return 'server';
  if (f.profile !== '*') return 'profile';
  return f.agent === '*' ? 'server' : 'agent';
}

const nothing: MCPEdit = {
  name: '',
  agent: '',
  profile: '',
  server: false,
  fields: {},
  enabled: null,
  remove: false,
  revision: '',
};

export function edit(change: Partial<MCPEdit>): MCPEdit {
  return { ...nothing, ...change };
}

/**
 * The change that gives a server to an agent or takes it away. One that is
 * narrowed to other agents has its list made longer.
 */
export function switchEdit(s: MCPServer, agent: string, on: boolean): MCPEdit {
  const list = parsed(s.settings.find((f) => f.field === 'agents')?.value ?? 'null');
  if (on && s.state === 'elsewhere' && Array.isArray(list)) {
    return edit({ name: s.name, server: true, fields: { agents: JSON.stringify([...list, agent]) } });
  }
  return edit({ name: s.name, agent, profile: '*', enabled: on });
}

/** Words of a command line as a shell would part them: quotes hold together, a backslash takes the next one. */
export function words(line: string): string[] {
  const out: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quote) {
      if (c === quote) quote = '';
      else if (c === '\\' && quote === '"' && i + 1 < line.length) word = (word ?? '') + line[++i];
      else word = (word ?? '') + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (c === '\\' && i + 1 < line.length) word = (word ?? '') + line[++i];
    else if (/\s/.test(c)) {
      if (word !== null) out.push(word);
      word = null;
    } else word = (word ?? '') + c;
  }
  if (word !== null) out.push(word);
  return out;
}

export interface NewServer {
  name: string;
  overHTTP: boolean;
  /** The command line, or the address. */
  target: string;
  /** Lines of NAME=value, or of Name: value for headers. */
  table: string;
  /** Only these agents; empty is all. */
  agents: readonly string[];
}

/** A new server as a change of the file. */
export function addEdit(n: NewServer): MCPEdit {
  const fields: Record<string, string> = {};
  if (n.overHTTP) fields.url = JSON.stringify(n.target.trim());
  else {
    const [command = '', ...args] = words(n.target);
    fields.command = JSON.stringify(command);
    if (args.length > 0) fields.args = JSON.stringify(args);
  }
  const [table, sign] = n.overHTTP ? ['headers', ':'] : ['env', '='];
  for (const line of n.table.split('\n')) {
    const at = line.indexOf(sign!);
    if (at > 0) fields[`${table}.${line.slice(0, at).trim()}`] = JSON.stringify(line.slice(at + 1).trim());
  }
  if (n.agents.length > 0) fields.agents = JSON.stringify(n.agents);
  return edit({ name: n.name.trim(), server: true, fields });
}

/** Lines of a table that are none: without their sign, or without a name. */
export function badLines(table: string, overHTTP: boolean): string[] {
  const sign = overHTTP ? ':' : '=';
  return table.split('\n').filter((l) => l.trim() !== '' && l.indexOf(sign) <= 0);
}
