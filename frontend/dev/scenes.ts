// Invented states of the whole page, after the pictures it is compared with.

import type { Agent, AgentList, Event, Interaction, Plan, Session } from '../src/backend/types.gen.ts';
import { minute, options, question, second, session } from './make.ts';

export interface Scene {
  sessions: Session[];
  interactions: Interaction[];
  plans: Plan[];
  events: Event[];
  /** Text that streams now, and is in no event yet. */
  live?: Event[];
}

function agent(a: Partial<Agent> & Pick<Agent, 'family' | 'name' | 'mark' | 'state'>): Agent {
  return {
    path: '',
    version: '',
    install_cmd: '',
    login_cmd: '',
    models: [],
    modes: ['plan', 'ask', 'edits', 'full'],
    can_steer: true,
    can_resume: true,
    can_images: true,
    can_fork: true,
    ...a,
  };
}

const noProblem = { code: '', title: '', advice: '', command: '', evidence: '', reset_at: 0 };

export const agents: AgentList = {
  agents: [
    agent({
      family: 'claude',
      name: 'Claude Code',
      mark: 'CC',
      state: 'ready',
      version: '2.1.88',
      path: '/home/mara/.local/bin/claude',
      models: [
        { id: 'opus', name: 'Opus' },
        { id: 'sonnet', name: 'Sonnet' },
      ],
    }),
    agent({
      family: 'codex',
      name: 'Codex',
      mark: 'Cx',
      state: 'not_logged_in',
      version: '0.148.0',
      path: '/home/mara/.local/share/mise/shims/codex',
      login_cmd: 'codex login',
      problem: {
        ...noProblem,
        code: 'not_logged_in',
        title: 'Login expired on Tuesday',
        advice: 'Log in again, then look again:',
        command: 'codex login',
      },
    }),
    agent({
      family: 'opencode',
      name: 'OpenCode',
      mark: 'OC',
      state: 'ready',
      version: '1.14.3',
      path: '/home/mara/.opencode/bin/opencode',
    }),
    agent({
      family: 'pi',
      name: 'Pi',
      mark: 'Pi',
      state: 'ready',
      version: '0.99.2',
      path: '/home/mara/.npm-global/bin/pi',
    }),
    agent({
      family: 'grok',
      name: 'Grok',
      mark: 'Gk',
      state: 'too_old',
      version: '0.9.1',
      path: '/usr/local/bin/grok',
      problem: {
        ...noProblem,
        code: 'too_old',
        title: 'Too old, 0.10 or newer is needed',
        advice: 'Without it, questions end after 60 s.',
        command: 'npm i -g @xai-official/grok@latest',
      },
    }),
    agent({ family: 'dsh', name: 'DSH', mark: 'DS', state: 'not_found', install_cmd: 'npm i -g dsh' }),
    agent({ family: 'demo', name: 'Demo', mark: 'De', state: 'ready', version: 'dev' }),
  ],
  path_source: 'your login shell',
  at: 0,
};

const idem = 's-idem';

export function idempotent(): Interaction {
  return question(
    {
      interaction_id: 'q-idem',
      clarify_id: 'q-idem',
      session_id: idem,
      agent: 'claude',
      session_title: 'Idempotent transfers',
      branch: 'feat/idempotency',
      plan_step: '3/5 decide on key reuse',
      said_before:
        'The store now takes the key in the same transaction as the outbox row, and the race test passes. One thing is open before I wire it into the handler.',
      question: 'A client reuses an Idempotency-Key with a different body. What should the API answer?',
      options: options(
        {
          label: '422 with a problem document',
          description: 'The client sees a clear error. Same choice as the IETF draft for this header.',
          recommended: true,
        },
        {
          label: '409 Conflict',
          description: 'Means the same, but the mobile client retries on 409 and would loop.',
        },
        {
          label: 'Replay the first response',
          description: 'No client change. A mistake in the client stays invisible.',
        },
      ),
    },
    252 * second,
  );
}

export function drift(): Interaction {
  return question(
    {
      interaction_id: 'q-drift',
      session_id: 's-drift',
      agent: 'grok',
      session_title: 'OpenAPI drift check',
      plan_step: '2/3 gate the drift report',
      said_before:
        '`make openapi-diff` now lists 23 differences between the handlers and `api/openapi.yaml`. Most are harmless, some would break clients.',
      question: 'Which differences between code and spec should fail the build?',
      multi_select: true,
      options: options(
        {
          label: 'A response field was removed or renamed',
          description: '6 found. Breaks every client that reads the field.',
          recommended: true,
        },
        {
          label: 'A request field became required',
          description: '2 found, both in `POST /v1/payouts`.',
          recommended: true,
        },
        {
          label: 'A status code is missing from the spec',
          description: '9 found. Clients see an answer nobody described.',
        },
        {
          label: 'An enum has a value the spec does not list',
          description: '1 found: `transfer.status = held`.',
        },
        { label: 'Descriptions and examples differ', description: '5 found. Wording only.' },
      ),
    },
    114 * second,
  );
}

export function push(): Interaction {
  return question(
    {
      interaction_id: 'q-push',
      session_id: 's-tidy',
      agent: 'codex',
      kind: 'approval',
      session_title: 'Tidy 2.14 branch',
      approval: {
        tool: 'shell',
        title: 'Run a command that rewrites shared history?',
        detail: '',
        diff: '',
        why: 'The rebase changed the base, a normal push is rejected.',
        scopes: ['allow_once', 'allow_session'],
        risks: ['force_push', 'network'],
        risk_reasons: [
          { risk: 'force_push', words: '--force' },
          { risk: 'network', words: 'git push' },
        ],
        tool_id: 'x',
        command: 'git push --force origin main',
      },
    },
    216 * second,
  );
}

export function elicitation(): Interaction {
  return question(
    {
      interaction_id: 'q-sentry',
      session_id: 's-sentry',
      agent: 'opencode',
      kind: 'elicitation',
      session_title: 'Sentry alert routing',
      branch: 'chore/alerts',
      server: 'sentry',
      question: 'Create an alert rule for ledger-api',
      questions: [
        {
          id: 'name',
          question: 'Rule name',
          input_type: 'text',
          options: [],
          multi_select: false,
          required: true,
          free_text: true,
          default: ['Transfer 5xx above baseline'],
        },
        {
          id: 'env',
          question: 'Environment',
          input_type: 'choice',
          options: options('staging', 'production', 'both'),
          multi_select: false,
          required: true,
          free_text: false,
        },
        {
          id: 'rate',
          question: 'Errors per minute before it fires',
          input_type: 'integer',
          options: [],
          multi_select: false,
          required: true,
          free_text: true,
          minimum: 1,
          maximum: 10000,
        },
      ],
    },
    528 * second,
    10 * minute,
  );
}

export function form(): Interaction {
  return {
    ...question(
      {
        interaction_id: 'q-form',
        session_id: 's-export',
        agent: 'pi',
        kind: 'form',
        session_title: 'Ledger export format',
        branch: 'feat/export',
        question: 'Four questions about the export format',
        questions: [
          {
            id: 'format',
            header: 'Format',
            question: 'Which format should the export have?',
            input_type: 'choice',
            options: options('CSV', 'Parquet'),
            multi_select: false,
            required: true,
            free_text: true,
          },
          {
            id: 'amounts',
            header: 'Amounts',
            question: 'How should amounts be written?',
            input_type: 'choice',
            options: options(
              {
                label: 'Minor units as an integer',
                description: '`1250` for 12.50 EUR. No rounding anywhere.',
                recommended: true,
              },
              {
                label: 'Decimal text with a currency column',
                description: '`12.50`, `EUR`. Opens correctly in a spreadsheet.',
              },
              'Both columns',
            ),
            multi_select: false,
            required: true,
            free_text: true,
            default: ['Decimal text with a currency column'],
          },
          {
            id: 'zone',
            header: 'Time zone',
            question: 'Which time zone should times have?',
            input_type: 'text',
            options: [],
            multi_select: false,
            required: false,
            free_text: true,
          },
          {
            id: 'reader',
            header: 'Who reads it',
            question: 'Who reads the export?',
            input_type: 'text',
            options: [],
            multi_select: false,
            required: true,
            free_text: true,
          },
        ],
        draft: {
          revision: 1,
          selected: [],
          text: '',
          answers: { format: ['CSV'], amounts: ['Decimal text with a currency column'] },
          step: 1,
        },
      },
      0,
      0,
    ),
    deadline_at: 0,
    max_deadline_at: 0,
    requested_at: Date.now() - 120 * minute,
  };
}

function movedOn(): Interaction {
  return {
    ...question(
      {
        interaction_id: 'q-pgx',
        session_id: 's-pgx',
        agent: 'claude',
        session_title: 'Bump pgx to v5.7',
        question: 'Keep the old pool size when moving to pgxpool?',
        options: options('Keep it', 'Use the default'),
      },
      0,
    ),
    outcome: {
      reason: 'timeout',
      cause: 'deadline',
      response: '',
      selected: [],
      text: '',
      resolved_at: Date.now() - 200 * minute,
    },
  };
}

function history(): Event[] {
  const at = Date.now() - 6 * minute;
  const e = <E extends Event>(type: E['type'], data: E['data'], turn = 't1'): Event =>
    ({ at, session_id: idem, turn_id: turn, type, data }) as Event;
  const tool = (
    id: string,
    kind: string,
    name: string,
    title: string,
    ms: number,
    input = '{}',
    output = '',
  ) => [
    e('tool.started', { tool_id: id, name, kind, title, input } as never),
    e('tool.completed', { tool_id: id, status: 'ok', output, truncated: false, duration_ms: ms } as never),
  ];
  const diff =
    '@@ -40,4 +40,6 @@ func (s *Store) Create(ctx context.Context)\n \ttx, err := s.db.Begin(ctx)\n-\tif err != nil {\n+\tif err := claim(ctx, tx, key); err != nil {\n+\t\treturn err\n \t}\n+\tdefer tx.Rollback(ctx)\n';
  return [
    e('turn.started', {
      text: 'Make `POST /v1/transfers` idempotent and keep the public API compatible. Today a retry from the mobile client creates a second transfer (LED-482).',
    } as never),
    e('reasoning.completed', {
      message_id: 'r1',
      text: 'First find every writer of the table.\nThen decide where the key lives.',
      duration_ms: 6000,
    } as never),
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((n) =>
      tool(`r${n}`, 'read', 'Read', `internal/transfer/${n}.go`, 300),
    ),
    ...['x', 'y', 'z'].flatMap((n) => tool(`s${n}`, 'search', 'Grep', `transfers ${n}`, 333)),
    ...tool('w1', 'write', 'Write', 'migrations/0019_idempotency_keys.sql', 100),
    e('file.changed', {
      path: 'migrations/0019_idempotency_keys.sql',
      change: 'added',
      added: 14,
      removed: 0,
      tool_id: 'w1',
    } as never),
    ...tool('e1', 'edit', 'Edit', 'internal/transfer/store.go', 200),
    e('file.changed', {
      path: 'internal/transfer/store.go',
      change: 'modified',
      added: 38,
      removed: 6,
      tool_id: 'e1',
      diff,
    } as never),
    ...tool(
      'c1',
      'run',
      'Bash',
      'go test ./internal/transfer/... -race -count=1',
      8400,
      '{"command":"go test ./internal/transfer/... -race -count=1"}',
      'ok  \tledger/internal/transfer\t7.912s\n',
    ),
    e('file.changed', {
      path: 'internal/transfer/store_test.go',
      change: 'modified',
      added: 41,
      removed: 2,
    } as never),
    e('file.changed', {
      path: 'internal/httpapi/errors.go',
      change: 'modified',
      added: 3,
      removed: 3,
    } as never),
    e('usage.updated', {
      input_tokens: 412000,
      output_tokens: 18000,
      cached_tokens: null,
      cost_usd: 1.84,
      context_used: 61000,
      context_window: 200000,
    } as never),
    e('message.completed', {
      message_id: 'm1',
      text: 'The store now takes the key in the same transaction as the outbox row, and the race test passes. One thing is open before I wire it into the handler.',
    } as never),
    e('clarify.requested', idempotent() as never),
  ];
}

/** The pictures' main state: five wait, two run, one is queued, one was moved on from. */
function full(): Scene {
  const now = Date.now();
  return {
    sessions: [
      session({
        id: idem,
        title: 'Idempotent transfers',
        agent: 'claude',
        branch: 'feat/idempotency',
        state: 'waiting',
        model: 'opus',
      }),
      session({ id: 's-tidy', title: 'Tidy 2.14 branch', agent: 'codex', state: 'waiting' }),
      session({ id: 's-drift', title: 'OpenAPI drift check', agent: 'grok', state: 'waiting' }),
      session({ id: 's-sentry', title: 'Sentry alert routing', agent: 'opencode', state: 'waiting' }),
      session({ id: 's-export', title: 'Ledger export format', agent: 'pi', state: 'idle' }),
      session({
        id: 's-flaky',
        title: 'Flaky TestSettleBatch',
        agent: 'codex',
        state: 'running',
        updated_at: now - 2 * minute,
      }),
      session({
        id: 's-fee',
        title: 'Backfill fee rows',
        agent: 'pi',
        state: 'running',
        updated_at: now - 14 * minute,
      }),
      session({
        id: 's-pgx',
        title: 'Bump pgx to v5.7',
        agent: 'claude',
        queued: [{ turn_id: 'q1', text: 'Then run the whole test suite', held: false }],
      }),
      ...Array.from({ length: 23 }, (_, n) =>
        session({
          id: `s-old-${n}`,
          title: `Earlier work ${n + 1}`,
          agent: 'claude',
          live: false,
          updated_at: now - (n + 2) * 60 * minute,
        }),
      ),
    ],
    interactions: [idempotent(), drift(), push(), elicitation(), form(), movedOn()],
    plans: [
      {
        plan_id: 'p1',
        session_id: idem,
        turn_id: 't1',
        revision: 3,
        state: 'active',
        explanation: '',
        plan: [
          { id: '1', step: 'Find every writer of `transfers`', status: 'completed' },
          { id: '2', step: 'Add the key table and migration', status: 'completed' },
          { id: '3', step: 'Decide on key reuse', status: 'in_progress' },
          { id: '4', step: 'Wire the check into the handler', status: 'pending' },
          { id: '5', step: 'Test concurrent retries', status: 'pending' },
        ],
      },
    ],
    events: history(),
  };
}

/** A long day: twenty sessions in every state, one of which is writing. */
function day(): Scene {
  const base = full();
  const now = Date.now();
  const families = ['claude', 'codex', 'opencode', 'pi', 'grok'];
  const more = Array.from({ length: 12 }, (_, n) =>
    session({
      id: `s-day-${n}`,
      title: `Service ${n + 1}: move to the new logger, and keep its fields`,
      agent: families[n % families.length]!,
      state: n < 8 ? 'running' : 'idle',
      queued: n === 8 || n === 9 ? [{ turn_id: `q${n}`, text: 'Then the tests', held: false }] : [],
      updated_at: now - n * 3 * minute,
    }),
  );
  const writing = { ...base.sessions[0]!, state: 'running' as const };
  const said =
    'The store takes the key in the same transaction as the outbox row now, so a retry can no longer slip in between the two writes. Next come the handler and its';
  return {
    ...base,
    sessions: [writing, ...base.sessions.slice(1, 8), ...more],
    interactions: base.interactions.filter((i) => i.session_id !== idem),
    events: base.events.slice(0, -2),
    live: [
      {
        at: now,
        session_id: idem,
        turn_id: 't1',
        type: 'message.delta',
        data: { message_id: 'm-live', offset: 0, text: said },
      },
    ],
  };
}

export const scenes: Record<string, () => Scene> = {
  full,
  day,
  first: () => ({ sessions: [], interactions: [], plans: [], events: [] }),
};
