// Invented findings of the doctor: of a run that is over, and of one that goes on.

import type { Check, CheckResult, DoctorAgent, DoctorReport, Finding } from '../src/backend/types.gen.ts';

const waitsMS = 3_630_000;

function result(check: Check, r: Partial<CheckResult> = {}): CheckResult {
  return { check, state: 'passed', ms: 0, count: 0, of: 0, tried_ms: 0, tried_limit_ms: 0, ...r };
}

export function finding(f: Partial<Finding>): Finding {
  return { code: '', text: '', advice: '', command: '', detail: '', ms: 0, limit_ms: 0, line: 0, ...f };
}

export function tried(family: string, name: string, version: string, ms: number): DoctorAgent {
  return {
    family,
    name,
    path: `/usr/local/bin/${family}`,
    version,
    login: 'yes',
    state: 'done',
    trying: '' as Check,
    started_at: Date.now() - 3_600_000,
    duration_ms: 21_000,
    checks: [
      result('starts', { ms: ms * 20 }),
      result('tools', { count: 3, of: 3 }),
      result('approval', { ms: ms + 31 }),
      result('question', { ms }),
      result('cancel', { ms: ms * 3 }),
      result('resume', { ms: ms * 14 }),
      result('waits', { ms: waitsMS, tried_ms: 4_210, tried_limit_ms: 4_000 }),
      result('left'),
    ],
  };
}

/** The agent with other results of some checks. */
export function but(a: DoctorAgent, ...others: CheckResult[]): DoctorAgent {
  return { ...a, checks: a.checks.map((c) => others.find((o) => o.check === c.check) ?? c) };
}

const update = 'Bring it up to date.';

const grok = but(
  tried('grok', 'Grok', '0.9.0', 71),
  result('cancel', {
    state: 'failed',
    finding: finding({
      code: 'cancel_ignored',
      text: 'Grok ignores a stop, so Parley has to end its process. The next message starts it anew.',
      advice: update,
      command: 'npm i -g @xai-official/grok@latest',
    }),
  }),
  result('waits', {
    state: 'failed',
    ms: 60_000,
    finding: finding({
      code: 'waits_own',
      text: 'Grok ends every tool call after 60 s, whatever it is told. Questions that wait longer are lost.',
      advice: `Answer within that time. ${update}`,
      command: 'npm i -g @xai-official/grok@latest',
      detail: 'MCP error -32001: Request timed out',
      ms: 60_000,
    }),
  }),
);

const pi = but(
  tried('pi', 'Pi', '0.99.2', 54),
  result('waits', {
    state: 'warning',
    ms: 570_000,
    finding: finding({
      code: 'waits_override',
      text: 'Questions of Pi wait 9 min 30 s at most, because of your override in mcp-overrides.jsonc. Its cards show that limit.',
      ms: 570_000,
      line: 18,
    }),
  }),
);

const broken: DoctorAgent = {
  ...tried('codex', 'Codex', '0.148.0', 40),
  checks: (['starts', 'tools', 'approval', 'question', 'cancel', 'resume', 'waits', 'left'] as const).map(
    (check) =>
      check === 'left'
        ? result('left')
        : check === 'starts'
          ? result('starts', {
              state: 'failed',
              finding: finding({
                code: 'broken',
                text: 'Codex is not installed as a whole.',
                advice: 'Install it again.',
                command: 'npm install -g @openai/codex',
                detail: "Error: Cannot find module '@openai/codex-linux-x64'",
              }),
            })
          : result(check, {
              state: 'not_tried',
              finding: finding({
                code: 'before_failed',
                text: 'Not tried, since it needs what failed before.',
              }),
            }),
  ),
};

export const over: DoctorReport = {
  running: false,
  started_at: Date.now() - 3_600_000,
  duration_ms: 112_000,
  agents: [
    tried('claude', 'Claude Code', '2.1.88', 62),
    broken,
    tried('opencode', 'OpenCode', '1.14.3', 88),
    pi,
    grok,
  ],
  changed: ['grok'],
};

const begun = tried('claude', 'Claude Code', '2.1.88', 62);

export const goesOn: DoctorReport = {
  running: true,
  started_at: Date.now(),
  duration_ms: 14_000,
  agents: [
    { ...begun, state: 'trying', trying: 'question', checks: begun.checks.slice(0, 3) },
    {
      ...begun,
      family: 'codex',
      name: 'Codex',
      version: '0.148.0',
      state: 'trying',
      trying: 'starts',
      checks: [],
    },
    { ...begun, family: 'pi', name: 'Pi', version: '0.99.2', state: 'queued', checks: [] },
  ],
  changed: [],
};

export const never: DoctorReport = {
  running: false,
  started_at: 0,
  duration_ms: 0,
  agents: [],
  changed: [],
};
