// What may stand at a place of the file, as its schema says it, in the person's
// language. Pure.

import type { PlainKey } from '../../lib/i18n/i18n.ts';

const fields: Record<string, PlainKey> = {
  type: 'mcp.help.type',
  command: 'mcp.help.command',
  args: 'mcp.help.args',
  env: 'mcp.help.env',
  cwd: 'mcp.help.cwd',
  url: 'mcp.help.url',
  headers: 'mcp.help.headers',
  timeout: 'mcp.help.timeout',
  enabled: 'mcp.help.enabled',
  agents: 'mcp.help.agents',
  profiles: 'mcp.help.profiles',
};

/** The help for a field of a server, or undefined for one that there is not. */
export function fieldHelp(field: string): PlainKey | undefined {
  const name = field.split('.')[0]!;
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The help for a place, by the names that lead to it. */
export function helpOf(path: readonly string[]): PlainKey {
  const [top, ...rest] = path;
  switch (top) {
    case 'servers':
      if (rest.length === 0) return 'mcp.help.servers';
      return (rest[1] !== undefined && fieldHelp(rest[1])) || 'mcp.help.server';
    case 'overrides':
      if (rest.length < 3) return 'mcp.help.overrides';
      return (rest[3] !== undefined && fieldHelp(rest[3])) || 'mcp.help.override';
    case 'disabled':
      return 'mcp.help.disabled';
    case 'version':
      return 'mcp.help.version';
    default:
      return 'mcp.help.file';
  }
}
