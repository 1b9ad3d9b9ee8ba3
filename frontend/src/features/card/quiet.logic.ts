// What a settled question says in its one quiet line. Pure.

import type { Interaction, Outcome } from '../../backend/types.gen.ts';
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
      return 'quiet.ended';
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
    default:
      return 'by.window';
  }
}

/** The options that were on offer, with those that were taken. */
export function offered(
  i: Interaction,
): { question: string; options: { label: string; taken: boolean }[] }[] {
  const o = i.outcome;
  if (i.questions?.length) {
    return i.questions.map((f) => {
      const taken = o?.answers?.[f.id] ?? i.late?.answers?.[f.id] ?? [];
      return {
        question: f.question,
        options: f.options.map((opt) => ({
          label: opt.label,
          taken: taken.includes(opt.value || opt.label) || taken.includes(opt.label),
        })),
      };
    });
  }
  const taken = i.late?.selected ?? o?.selected ?? [];
  return [
    {
      question: i.question,
      options: i.options.map((opt) => ({ label: opt.label, taken: taken.includes(opt.label) })),
    },
  ];
}
