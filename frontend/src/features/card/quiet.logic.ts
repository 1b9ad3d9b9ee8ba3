// What a settled question says in its one quiet line. Pure.

import type { Interaction, Option, Outcome } from '../../backend/types.gen.ts';
import type { PlainKey } from '../../lib/i18n/i18n.ts';
import type { StateName } from '../../ui/icon.tsx';

export function quietState(o: Outcome): StateName {
  if (o.reason === 'response') return o.action === 'deny' || o.action === 'decline' ? 'off' : 'ok';
  if (o.reason === 'cancelled') return 'halt';
  return 'off';
}

/** The line that says what became of it, for every end without an answer of words. */
export function endKey(o: Outcome): PlainKey | null {
  if (o.reason === 'response') {
    switch (o.action) {
      case 'allow_once':
        return 'quiet.allowedOnce';
      case 'allow_session':
        return 'quiet.allowedSession';
      case 'allow_always':
        return 'quiet.allowedAlways';
      case 'deny':
        return 'quiet.denied';
      case 'decline':
        return 'quiet.declined';
      case 'accept':
        return o.response ? null : 'quiet.accepted';
      default:
        return null;
    }
  }
  if (o.reason === 'dismissed') return 'quiet.dismissed';
  if (o.reason === 'timeout') return 'quiet.timeout';
  switch (o.cause) {
    case 'turn_stopped':
      return 'quiet.stopped';
    case 'session_closed':
      return 'quiet.closed';
    case 'app_quit':
      return 'quiet.quit';
    case 'app_restarted':
      return 'quiet.restarted';
    case 'connection_closed':
      return 'quiet.connection';
    case 'mcp_cancelled':
    case 'agent_withdrew':
      return 'quiet.withdrew';
    case 'new_turn':
      return 'quiet.newTurn';
    default:
      return 'quiet.turnEnded';
  }
}

/** Through which door the answer came. */
export function byKey(o: Outcome): PlainKey {
  switch (o.by) {
    case 'browser':
      return 'by.browser';
    case 'cli':
      return 'by.cli';
    case 'hook':
      return 'by.hook';
    case 'native':
      return 'by.native';
    case 'rule':
      return 'by.rule';
    default:
      return 'by.window';
  }
}

interface Offered {
  question: string;
  options: { label: string; description: string; recommended: boolean; taken: boolean }[];
  /** What was typed to it. */
  typed: string;
  /** The form was answered, and this question was not. */
  leftOut: boolean;
}

/** All that was asked and on offer, with what was taken and typed. */
export function offered(i: Interaction): Offered[] {
  const o = i.outcome;
  if (i.questions?.length) {
    return i.questions.map((f) => {
      const values = i.late?.answers?.[f.id] ?? o?.answers?.[f.id] ?? [];
      const known = f.options.flatMap((opt) => [opt.value || opt.label, opt.label]);
      return {
        question: f.question,
        options: options(
          f.options,
          (opt) => values.includes(opt.value || opt.label) || values.includes(opt.label),
        ),
        typed: values.filter((v) => !known.includes(v)).join(', '),
        leftOut: o?.reason === 'response' && o.action !== 'decline' && !values.some((v) => v.trim()),
      };
    });
  }
  const taken = i.late?.selected ?? o?.selected ?? [];
  return [
    {
      question: i.question,
      options: options(i.options, (opt) => taken.includes(opt.label)),
      typed: i.late?.text ?? o?.text ?? '',
      leftOut: false,
    },
  ];
}

function options(list: readonly Option[], taken: (o: Option) => boolean): Offered['options'] {
  return list.map((o) => ({
    label: o.label,
    description: o.description ?? '',
    recommended: o.recommended ?? false,
    taken: taken(o),
  }));
}

/** The moments of its life, in order, as texts without their times. */
export function moments(i: Interaction): { key: MomentKey; at: number }[] {
  const out: { key: MomentKey; at: number }[] = [{ key: 'quiet.asked', at: i.requested_at }];
  const o = i.outcome;
  if (i.seen_at) out.push({ key: 'quiet.seen', at: i.seen_at });
  if (o) out.push({ key: o.reason === 'response' ? 'quiet.answered' : 'quiet.ended', at: o.resolved_at });
  if (i.late) out.push({ key: 'quiet.answered', at: i.late.answered_at });
  if (i.delivered_at) out.push({ key: 'quiet.delivered', at: i.delivered_at });
  return out;
}

export type MomentKey = 'quiet.asked' | 'quiet.seen' | 'quiet.answered' | 'quiet.ended' | 'quiet.delivered';
