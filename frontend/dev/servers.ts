// Invented MCP servers, after the picture that the page is compared with.

import type {
  MCPEffective,
  MCPFile,
  MCPImport,
  MCPOrigin,
  MCPPreview,
  MCPProject,
  MCPServer,
  MCPSetting,
  MCPTest,
} from '../src/backend/types.gen.ts';
import { minute } from './make.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders as they stand in the file
const good = `{
  "$schema": "./mcp-overrides.schema.json",
  "version": 1,
  "servers": {
    "docs": { "command": "uvx", "args": ["docs-mcp"],
              "env": { "KEY": "\${env:DOCS_KEY}" }, "agents": ["claude", "codex"] },
    "postgres": { "command": "mcp-postgres", "args": ["--read-only"] },
    "sentry": { "command": "npx", "args": ["-y", "@sentry/mcp-server"] },
    "browser": { "command": "npx", "args": ["-y", "@playwright/mcp"] }
  },
  "overrides": {
    // slow queries on the reporting replica
    "*": { "*": { "postgres": { "timeout": "10m" } } },
    "codex": {
      "default": {
        "docs": { "timeout": "10m" }
      },
      "work": { "docs": { "env": { "KEY": "\${keyring:docs-work}" } } }
    },
    // Pi: ask me, but never for longer than this
    "pi": { "*": { "parley-interaction": { "timeout": "10m" } } }
  },
  "disabled": { "codex": { "default": ["browser"] } }
}
`;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

const agents = ['claude', 'codex', 'opencode', 'pi', 'grok', 'demo'];

function at(layer: string, line: number, agent = '', profile = ''): MCPOrigin {
  return { layer, agent, profile, line, column: 5 };
}

function set(field: string, value: unknown, origin: MCPOrigin, hides: MCPSetting['hides'] = []): MCPSetting {
  return { ...origin, field, value: JSON.stringify(value), hides };
}

const builtIn = at('built_in', 0);

function server(name: string, what: Partial<MCPServer>, ...settings: MCPSetting[]): MCPServer {
  return {
    name,
    managed: false,
    project: false,
    state: 'on',
    why: '',
    settings: [...settings, set('enabled', true, builtIn)],
    ...what,
  };
}

function serversFor(agent: string, trusted: boolean, cwd: string): MCPServer[] {
  const docs = agent === 'claude' || agent === 'codex';
  const pg = at('servers', 7);
  const list = [
    server(
      'parley-interaction',
      { managed: true },
      set('type', 'stdio', at('managed', 0)),
      set('command', '/usr/lib/parley/parley-mcp', at('managed', 0)),
      set('args', ['interaction'], at('managed', 0)),
      set(
        'timeout',
        agent === 'pi' ? '10m' : '1h1m',
        agent === 'pi' ? at('overrides', 20, 'pi', '*') : at('managed', 0),
      ),
    ),
    server(
      'browser',
      agent === 'codex' ? { state: 'off', why: 'It is disabled here.' } : {},
      set('command', 'npx', at('servers', 9)),
      set('args', ['-y', '@playwright/mcp'], at('servers', 9)),
      set('timeout', null, builtIn),
    ),
    server(
      'docs',
      docs ? {} : { state: 'elsewhere', why: 'It is only for claude, codex.' },
      set('command', 'uvx', at('servers', 5)),
      set('args', ['docs-mcp'], at('servers', 5)),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder
      set('env.KEY', '${env:DOCS_KEY}', at('servers', 6)),
      agent === 'codex'
        ? set('timeout', '10m', at('overrides', 16, 'codex', 'default'))
        : set('timeout', null, builtIn),
      set('agents', ['claude', 'codex'], at('servers', 6)),
    ),
    server(
      'postgres',
      {},
      set('command', 'mcp-postgres', pg),
      set('args', ['--read-only'], pg),
      set('timeout', '10m', at('overrides', 13, '*', '*')),
    ),
    server(
      'sentry',
      {},
      set('command', 'npx', at('servers', 8)),
      set('args', ['-y', '@sentry/mcp-server'], at('servers', 8)),
      set('timeout', null, builtIn),
    ),
  ];
  if (cwd)
    list.push(
      server(
        'fixtures',
        {
          project: true,
          state: trusted ? 'on' : 'untrusted',
          why: trusted ? '' : 'It comes from a file of the project, which you have not trusted as it is now.',
        },
        set('command', 'node', at('project', 4)),
        set('args', ['tools/fixtures.mjs'], at('project', 4)),
      ),
    );
  return list;
}

const tested: Record<string, Partial<MCPTest>> = {
  docs: {
    ok: true,
    server: 'docs-mcp 1.4.2',
    tools: [
      { name: 'search', description: 'Finds pages by words' },
      { name: 'page', description: 'Reads one page as Markdown' },
      { name: 'sections', description: 'Lists the sections of a page' },
      { name: 'changes', description: 'What changed since a version' },
    ],
    prompts: ['summarize'],
    resources: ['docs://index'],
    duration_ms: 412,
  },
  sentry: {
    ok: false,
    problem: 'The server failed: it exited at start with code 1.',
    stderr: 'Error: SENTRY_TOKEN is not set\n    at main (/home/mara/.npm/_npx/9f3/server.js:12:9)\n',
    duration_ms: 903,
  },
};

/** What the calls under /api/mcp answer. */
export class InventedServers {
  private readonly broken: boolean;
  private readonly none: boolean;
  private readonly restless: boolean;
  private trusted = false;
  private text: string;
  private revision = 1;

  /**
   * state is what the address asks for: "broken", "none", "restless" for one that
   * somebody changes again and again, or a whole file.
   */
  constructor(state: string | null) {
    this.broken = state === 'broken';
    this.none = state === 'none';
    this.restless = state === 'restless';
    this.text = this.none
      ? ''
      : this.broken
        ? good.replace('"timeout": "10m" }\n', '"timeout": 10 m }\n')
        : good;
  }

  /** Somebody else writes the file. */
  overwrite(text: string): void {
    this.text = text;
    this.revision++;
  }

  file(): MCPFile {
    return {
      path: '/home/mara/.config/parley/mcp-overrides.jsonc',
      exists: !this.none,
      text: this.text,
      revision: this.none ? '' : String(this.revision),
      in_force: this.none ? 'nothing' : this.broken ? 'last_good' : 'file',
      good_at: Date.now() - 40 * minute,
      read_at: Date.now() - (this.broken ? 4000 : 90 * minute),
      problems: this.broken
        ? [{ line: 16, column: 30, path: '', text: 'A duration must be text, such as "10m".' }]
        : [],
      remarks: [],
      agents,
      can_undo: !this.none,
    };
  }

  effective(agent: string, profile: string, cwd: string): MCPEffective {
    const servers = serversFor(agent, this.trusted, cwd);
    return {
      agent,
      profile,
      servers: this.none ? servers.slice(0, 1) : servers,
      own: agent === 'claude' && !this.none ? [{ name: 'github', file: '/home/mara/.claude.json' }] : [],
      own_out: false,
      own_stays: '',
      notices: [],
    };
  }

  preview(agent: string): MCPPreview {
    return {
      agent,
      how: 'A file for this launch alone, which only you can read, named by --mcp-config.',
      text: JSON.stringify(
        {
          mcpServers: {
            'parley-interaction': {
              type: 'stdio',
              command: '/usr/lib/parley/parley-mcp',
              args: ['interaction'],
              timeout: 3660000,
              alwaysLoad: true,
            },
            // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder
            docs: { type: 'stdio', command: 'uvx', args: ['docs-mcp'], env: { KEY: '${env:DOCS_KEY}' } },
          },
        },
        null,
        2,
      ),
    };
  }

  test(name: string): MCPTest {
    return {
      ok: true,
      problem: '',
      server: name,
      tools: [],
      prompts: [],
      resources: [],
      stderr: '',
      duration_ms: 120,
      ...tested[name],
    };
  }

  import(): MCPImport {
    return {
      path: '/home/mara/.codex/config.toml',
      servers: [
        { name: 'docs', fields: { command: '"uvx"' }, skip: 'You have a server of this name.' },
        {
          name: 'linear',
          fields: { url: '"https://mcp.linear.app/mcp"', 'headers.Authorization': '"•••"', timeout: '"2m"' },
          skip: '',
        },
      ],
      notes: ['startup_timeout_sec of linear was left out: Parley has no such field.'],
      written: false,
    };
  }

  project(cwd: string): MCPProject {
    const has = cwd.endsWith('ledger');
    return {
      path: `${cwd}/.mcp.json`,
      sum: has ? 'a1' : '',
      trusted: this.trusted,
      servers: has ? ['fixtures: node tools/fixtures.mjs'] : [],
      problem: '',
    };
  }

  /** Answers a call by the parts of its path after /api/mcp. */
  answer(parts: readonly string[], method: string, query: URLSearchParams, body: unknown): unknown {
    const [what, name = ''] = parts;
    const cwd = query.get('cwd') ?? '';
    switch (what) {
      case 'file':
        if (method === 'PUT') this.overwrite((body as { text: string }).text);
        else if (this.restless) this.revision++;
        return this.file();
      case 'check':
        return { problems: this.file().problems };
      case 'effective':
        return this.effective(name, query.get('profile') ?? '', cwd);
      case 'preview':
        return this.preview(name);
      case 'outdated':
        return { sessions: this.none ? [] : ['s-pgx', 's-fee'] };
      case 'servers':
        return this.test(name);
      case 'import':
        return this.import();
      case 'project':
        return this.project(cwd);
      case 'trust':
        this.trusted = true;
        return this.project((body as { cwd: string }).cwd);
      case 'restore':
        return { file: this.file(), aside: '/home/mara/.config/parley/mcp-overrides.jsonc.broken-1' };
      default:
        this.revision++;
        return this.file();
    }
  }
}
