// What the doctor's table shows: pure, from a report.

import type { Check, CheckResult, DoctorAgent, DoctorReport, Finding } from '../../backend/types.gen.ts';
import type { T } from '../../lib/i18n/i18n.ts';
import { duration } from '../../lib/time.ts';

export const checks = [
  'starts',
  'tools',
  'approval',
  'question',
  'cancel',
  'resume',
  'waits',
  'left',
] as const satisfies readonly Check[];

export type Cell =
  | { kind: 'done'; result: CheckResult }
  /** Of the run that goes on: under way, or still to come. */
  | { kind: 'now' | 'coming' }
  | { kind: 'none' };

export function cellOf(a: DoctorAgent, check: Check): Cell {
  const result = a.checks.find((c) => c.check === check);
  if (result) return { kind: 'done', result };
  if (a.state === 'trying' && a.trying === check) return { kind: 'now' };
  return { kind: a.state === 'done' ? 'none' : 'coming' };
}

/** A result in a word or two. */
export function figure(t: T, r: CheckResult): string {
  if (r.state === 'not_tried') return t('doctor.notTried');
  if (r.check === 'tools') return t('doctor.of', { n: r.count, of: r.of });
  if (r.check === 'left') return r.count === 0 ? t('doctor.nothing') : String(r.count);
  if (r.ms === 0) return t('doctor.failed');
  const time =
    r.check === 'waits' ? exactly(t, r.ms) : r.ms < 1000 ? t('doctor.ms', { n: r.ms }) : duration(t, r.ms);
  return r.finding?.code === 'waits_override' ? t('doctor.setByYou', { time }) : time;
}

/** A limit to the second, also where it is over an hour. */
function exactly(t: T, ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 60) return duration(t, ms);
  return s % 60
    ? t('dur.minutes', { m: Math.floor(s / 60), s: s % 60 })
    : t('dur.minutesOnly', { m: s / 60 });
}

/** A finding with the agent that it is of. */
export interface Said {
  agent: DoctorAgent;
  result: CheckResult;
  finding: Finding;
}

/** What only says that something before it failed. */
const silent = ['before_failed', 'question_first'];

/** All there is to say, failures first; what several checks of an agent say is said once. */
export function sayings(report: DoctorReport): Said[] {
  const all: Said[] = [];
  for (const agent of report.agents) {
    for (const result of agent.checks) {
      const { finding } = result;
      if (!finding || silent.includes(finding.code)) continue;
      if (all.some((s) => s.agent === agent && s.finding.code === finding.code)) continue;
      all.push({ agent, result, finding });
    }
  }
  const rank = (s: Said) => ['failed', 'warning', 'not_tried'].indexOf(s.result.state);
  return all.sort((a, b) => rank(a) - rank(b));
}
