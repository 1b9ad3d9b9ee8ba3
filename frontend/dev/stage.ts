// Which invented scene an address asks for: ?scene=NAME, or ?cell=ID for one
// state of the card on the real page; ?lang=zh chooses Chinese content.

import type { Event, Interaction, Session } from '../src/backend/types.gen.ts';
import { takesLate } from '../src/state/live.reducer.ts';
import { cells } from './cells.ts';
import { minute, options, question, second, session } from './make.ts';
import { agents, type Scene, scenes } from './scenes.ts';

export function sceneOf(query: URLSearchParams): Scene {
  const zh = query.get('lang') === 'zh';
  const cell = cells(zh).find((c) => c.id === query.get('cell'));
  if (cell) return oneCard(cell.i, cell.draft, cell.next);
  switch (query.get('scene')) {
    case 'crowd':
      return crowd();
    case 'quiet':
      return { ...scenes.full!(), interactions: [], events: scenes.full!().events.slice(0, -1) };
    case 'fork':
      return fork();
    default:
      return (scenes[query.get('scene') ?? 'full'] ?? scenes.full!)();
  }
}

/** One interaction in its session, with what the agent said before. */
function oneCard(
  i: Interaction,
  draft: Partial<Interaction['draft']> | undefined,
  next: string | undefined,
): Scene {
  const asked = draft ? { ...i, draft: { revision: 1, selected: [], text: '', ...draft } } : i;
  const waits = !i.outcome;
  const s: Session = session({
    id: i.session_id,
    title: i.session_title,
    agent: i.agent,
    branch: i.branch,
    // A form ends the run, whatever becomes of it.
    state: waits && i.kind !== 'form' ? 'waiting' : 'idle',
  });
  const at = (ms: number, type: string, data: unknown) =>
    ({ at: i.requested_at + ms, session_id: s.id, turn_id: i.run_id, type, data }) as Event;
  const events = [
    at(-60 * second, 'turn.started', { text: i.session_title }),
    at(-second, 'message.completed', { message_id: 'm1', text: i.said_before || i.session_title }),
    at(0, `${i.kind}.requested`, { ...asked, outcome: undefined }),
  ];
  if (i.outcome) {
    const { outcome } = i;
    const data = {
      interaction_id: i.interaction_id,
      run_id: i.run_id,
      kind: i.kind,
      resolved: true,
      ...outcome,
    };
    events.push(at(3 * minute, `${i.kind}.resolved`, data));
    events.push(
      at(3 * minute, 'turn.completed', {
        status: outcome.cause === 'turn_stopped' ? 'interrupted' : 'completed',
        stop_reason: 'done',
        duration_ms: 4 * minute,
        waited_ms: 3 * minute,
      }),
    );
  }
  if (next) {
    events.push({
      at: i.requested_at + 4 * minute,
      session_id: s.id,
      turn_id: 't2',
      type: 'turn.started',
      data: { text: next },
    } as Event);
  }
  return { sessions: [s], interactions: waits || takesLate(i) ? [asked] : [], plans: [], events };
}

/** A session that was forked, and its fork with a message of its own. */
function fork(): Scene {
  const scene = scenes.full!();
  const [from] = scene.sessions;
  const copy = session({ ...from!, id: 's-fork', title: `${from!.title} (fork)`, forked_from: from!.id });
  const events = scene.events.slice(0, -1);
  const text = 'Try it with the key in the row itself.';
  events.push(...events.filter((e) => e.session_id === from!.id).map((e) => ({ ...e, session_id: copy.id })));
  events.push({ at: Date.now(), session_id: copy.id, type: 'session.created', data: copy } as Event);
  events.push({
    at: Date.now(),
    session_id: copy.id,
    turn_id: 't9',
    type: 'turn.started',
    data: { text },
  } as Event);
  return {
    sessions: [...scene.sessions, { ...copy, state: 'running' }],
    interactions: [],
    plans: [],
    events,
  };
}

/** Twenty sessions that all wait. */
function crowd(): Scene {
  const families = agents.agents.map((a) => a.family);
  const sessions: Session[] = [];
  const interactions: Interaction[] = [];
  for (let n = 0; n < 20; n++) {
    const agent = families[n % families.length]!;
    const title = `Service ${n + 1}: move to the new logger`;
    sessions.push(session({ id: `s-${n}`, title, agent, state: 'waiting' }));
    interactions.push(
      question(
        {
          interaction_id: `q-${n}`,
          session_id: `s-${n}`,
          agent,
          session_title: title,
          plan_step: '2/3 choose a level',
          said_before: `Service ${n + 1} logs at debug level in production.`,
          question: `Which level should service ${n + 1} log at?`,
          options: options('info', 'warn', 'error'),
        },
        (40 + 11 * n) * second,
      ),
    );
  }
  return { sessions, interactions, plans: [], events: [] };
}
