import { describe, expect, it } from 'vitest';
import type { MCPEffective, MCPServer } from '../../backend/types.gen.ts';
import {
  addEdit,
  badLines,
  getters,
  jsonOf,
  rowsOf,
  scopeOf,
  scopesOf,
  sumOf,
  switchEdit,
  typedOf,
  unsetFields,
  words,
} from './mcp.logic.ts';

const origin = { layer: 'servers', agent: '', profile: '', line: 3, column: 5, hides: [] };

function server(
  name: string,
  state: string,
  fields: Record<string, unknown> = { command: 'uvx' },
): MCPServer {
  return {
    name,
    managed: name.startsWith('parley'),
    project: false,
    state,
    why: '',
    settings: Object.entries(fields).map(([field, v]) => ({ ...origin, field, value: JSON.stringify(v) })),
  };
}

function gets(agent: string, servers: MCPServer[], own: MCPEffective['own'] = []): MCPEffective {
  return { agent, profile: 'default', servers, own, own_out: false, own_stays: '', notices: [] };
}

describe('the list', () => {
  const all = [
    gets(
      'claude',
      [server('parley-interaction', 'on'), server('docs', 'on'), server('pg', 'own')],
      [{ name: 'pg', file: '/h/.claude.json' }],
    ),
    gets('codex', [server('parley-interaction', 'on'), server('docs', 'off'), server('pg', 'on')]),
    gets('pi', [server('parley-interaction', 'on'), server('docs', 'elsewhere'), server('pg', 'on')]),
  ];
  const rows = rowsOf(all);
  const row = (id: string) => rows.find((r) => r.id === id)!;

  it('has one card for a server over all agents, and one for an agent’s own of the same name', () => {
    expect(rows.map((r) => [r.id, r.group])).toEqual([
      ['parley-interaction', 'managed'],
      ['docs', 'yours'],
      ['pg', 'yours'],
      ['pg@/h/.claude.json', 'own'],
    ]);
  });

  it('says of an agent’s own server that it is left out', () => {
    const own = [{ name: 'pg', file: '/h/.claude.json' }];
    const [r] = rowsOf([{ ...gets('claude', [], own), own_out: true }]);
    expect(r!.reach).toEqual([{ agent: 'claude', state: 'left_out', why: '' }]);
  });

  it('says who gets it, and what keeps others from it', () => {
    expect(getters(row('parley-interaction'))).toBeNull();
    expect(getters(row('docs'))).toEqual(['claude']);
    expect(sumOf(row('docs'))).toEqual({ kind: 'offFor', agents: ['codex'] });
    expect(sumOf(row('pg'))).toEqual({ kind: 'on' });
  });

  it.each([
    [['off', 'elsewhere'], 'off'],
    [['incomplete', 'off'], 'incomplete'],
    [['untrusted', 'elsewhere'], 'untrusted'],
    [['elsewhere', 'elsewhere'], 'elsewhere'],
  ])('of %j is %s when nobody gets it', (states, kind) => {
    const [r] = rowsOf(states.map((s, n) => gets(`a${n}`, [server('x', s)])));
    expect(sumOf(r!)).toEqual({ kind });
  });
});

describe('a switch', () => {
  it('turns a server on or off for one agent in all profiles', () => {
    expect(switchEdit(server('docs', 'on'), 'pi', false)).toMatchObject({
      name: 'docs',
      agent: 'pi',
      profile: '*',
      enabled: false,
      server: false,
    });
  });

  it('makes the list longer of a server that is narrowed to others', () => {
    const narrowed = server('docs', 'elsewhere', { command: 'uvx', agents: ['claude'] });
    expect(switchEdit(narrowed, 'pi', true)).toMatchObject({
      server: true,
      enabled: null,
      fields: { agents: '["claude","pi"]' },
    });
  });
});

describe('a field', () => {
  it('is typed as text, a list with one entry a line, and taken out when empty', () => {
    expect(jsonOf('timeout', ' 10m ')).toBe('"10m"');
    expect(jsonOf('args', '-y\n\n@a/b \n')).toBe('["-y","@a/b"]');
    expect(jsonOf('args', ' \n')).toBe('');
    expect(typedOf({ field: 'args', value: '["-y","x"]' })).toBe('-y\nx');
    expect(typedOf({ field: 'timeout', value: 'null' })).toBe('');
  });

  it('of the managed server never changes the server itself', () => {
    expect(scopesOf(server('parley-interaction', 'on'), 'timeout', 'pi', 'work').map((s) => s.edit)).toEqual([
      { agent: '*', profile: '*', server: false },
      { agent: 'pi', profile: '*', server: false },
      { agent: 'pi', profile: 'work', server: false },
    ]);
  });

  it('of who gets it belongs to the server alone', () => {
    expect(scopesOf(server('docs', 'on'), 'agents', 'pi', 'work').map((s) => s.id)).toEqual(['server']);
  });

  it('is changed where it stands', () => {
    expect(scopeOf({ layer: 'servers', agent: '', profile: '' })).toBe('server');
    expect(scopeOf({ layer: 'overrides', agent: 'codex', profile: '*' })).toBe('agent');
    expect(scopeOf({ layer: 'overrides', agent: 'codex', profile: 'work' })).toBe('profile');
    expect(scopeOf({ layer: 'overrides', agent: '*', profile: '*' })).toBe('server');
  });

  it('that fits the kind of server can be set', () => {
    expect(unsetFields(server('a', 'on', { url: 'https://a', timeout: '1m' }))).toEqual([
      'headers',
      'agents',
      'profiles',
    ]);
    expect(unsetFields(server('parley-interaction', 'on'))).toEqual([]);
  });
});

describe('a new server', () => {
  it.each([
    ['uvx docs-mcp', ['uvx', 'docs-mcp']],
    ['  npx  -y "@a/b c" ', ['npx', '-y', '@a/b c']],
    [`sh -c 'echo "hi"'`, ['sh', '-c', 'echo "hi"']],
    ['a\\ b ""', ['a b', '']],
    ['"open', ['open']],
  ])('takes %s apart as a shell does', (line, want) => {
    expect(words(line)).toEqual(want);
  });

  it('is written with its command, arguments, variables and agents', () => {
    const e = addEdit({
      name: ' docs ',
      overHTTP: false,
      target: 'uvx docs-mcp --root .',
      table: 'KEY=a=b\n\nLOUD=1',
      agents: ['pi'],
    });
    expect(e).toMatchObject({
      name: 'docs',
      server: true,
      fields: {
        command: '"uvx"',
        args: '["docs-mcp","--root","."]',
        'env.KEY': '"a=b"',
        'env.LOUD': '"1"',
        agents: '["pi"]',
      },
    });
  });

  it('over HTTP has an address and headers', () => {
    const e = addEdit({
      name: 't',
      overHTTP: true,
      target: ' https://t.example/mcp ',
      table: 'Authorization: Bearer x',
      agents: [],
    });
    expect(e.fields).toEqual({ url: '"https://t.example/mcp"', 'headers.Authorization': '"Bearer x"' });
  });

  it('tells of lines that are no name with a value', () => {
    expect(badLines('KEY=1\nno sign\n=x\n', false)).toEqual(['no sign', '=x']);
    expect(badLines('A: b', true)).toEqual([]);
  });
});
