// Answers the API from invented sessions. It keeps them in memory and plays no
// agent: answering a question settles it, a message begins a turn that ends.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';
import type {
  Answer,
  Event,
  Frame,
  Interaction,
  Outcome,
  Session,
  Settings,
} from '../src/backend/types.gen.ts';
import { agents, type Scene, scenes } from './scenes.ts';

const home = '/home/mara';

class Fixture {
  sessions = new Map<string, Session>();
  events = new Map<string, Event[]>();
  interactions = new Map<string, Interaction>();
  plans: Scene['plans'] = [];
  streams = new Set<ServerResponse>();
  settings: Settings = {
    language: '',
    theme: '',
    deadline_s: 300,
    max_wait_s: 3600,
    send_key: 'enter',
    notify: true,
    notify_finished: true,
    notify_sound: true,
    hide_content: false,
    quiet_from: '',
    quiet_until: '',
    question_command: [],
    default_agent: '',
    default_mode: 'ask',
    on_quit: 'ask',
  };

  constructor(scene: Scene) {
    for (const s of scene.sessions) this.sessions.set(s.id, s);
    for (const i of scene.interactions) this.interactions.set(i.interaction_id, i);
    this.plans = scene.plans;
    for (const e of scene.events) this.add(e);
  }

  add(e: Event): Event {
    const list = this.events.get(e.session_id) ?? [];
    const numbered = { ...e, seq: list.length + 1 };
    list.push(numbered);
    this.events.set(e.session_id, list);
    const s = this.sessions.get(e.session_id);
    if (s) s.last_seq = numbered.seq;
    return numbered;
  }

  publish(...events: Event[]): void {
    const numbered = events.map((e) => this.add(e));
    this.sendAll({ events: numbered });
  }

  sendAll(f: Frame): void {
    for (const s of this.streams) s.write(`data: ${JSON.stringify(f)}\n\n`);
  }

  snapshot(): Frame {
    return {
      snapshot: {
        sessions: [...this.sessions.values()],
        interactions: [...this.interactions.values()].filter((i) => !i.outcome || !i.late),
        plans: this.plans,
        version: 'dev',
        at: Date.now(),
      },
    };
  }

  settle(i: Interaction, outcome: Outcome): void {
    i.outcome = outcome;
    this.publish({
      at: Date.now(),
      session_id: i.session_id,
      turn_id: i.run_id,
      type: `${i.kind}.resolved`,
      data: { interaction_id: i.interaction_id, run_id: i.run_id, kind: i.kind, resolved: true, ...outcome },
    } as Event);
    const s = this.sessions.get(i.session_id)!;
    s.state = 'running';
    this.publish({
      at: Date.now(),
      session_id: s.id,
      type: 'session.updated',
      data: { ...s, updated_at: Date.now() },
    });
  }
}

function outcomeOf(a: Answer): Outcome {
  const now = Date.now();
  if (a.status === 'cancelled') {
    return {
      reason: 'dismissed',
      cause: 'person',
      response: '',
      selected: [],
      text: '',
      by: 'browser',
      resolved_at: now,
    };
  }
  const values = Object.values(a.answers ?? {}).flat();
  const out: Outcome = {
    reason: 'response',
    cause: 'person',
    response: [...(a.selected ?? []), ...values, a.text ?? ''].filter(Boolean).join('\n'),
    selected: a.selected ?? [],
    text: a.text ?? '',
    by: 'browser',
    resolved_at: now,
  };
  if (a.action) out.action = a.action;
  if (a.answers) out.answers = a.answers;
  if (a.reason) out.note = a.reason;
  return out;
}

async function body<T>(req: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const c of req) chunks.push(c as Buffer);
  const text = Buffer.concat(chunks).toString();
  return (text ? JSON.parse(text) : {}) as T;
}

/** The plug-in. ?scene=NAME in the page's address chooses what there is; each load begins anew. */
export function fixtures(): Plugin {
  let fixture = new Fixture(scenes.full!());
  return {
    name: 'fixtures',
    configureServer(server) {
      server.middlewares.use(async (req, res, next) => {
        const url = new URL(req.url ?? '/', 'http://dev');
        if (url.pathname === '/' || url.pathname === '/index.html') {
          const make = scenes[url.searchParams.get('scene') ?? 'full'] ?? scenes.full!;
          for (const s of fixture.streams) s.end();
          fixture = new Fixture(make());
        }
        if (!url.pathname.startsWith('/api/')) return next();
        const [, , kind, id, verb, last] = url.pathname.split('/');
        const reply = (status: number, v: unknown) => {
          res.statusCode = status;
          res.setHeader('Content-Type', 'application/json');
          res.end(JSON.stringify(v));
        };
        const fail = (status: number, code: string, message: string, more = {}) =>
          reply(status, { error: { code, message }, ...more });

        if (kind === 'stream') {
          res.setHeader('Content-Type', 'text/event-stream');
          res.write(`data: ${JSON.stringify(fixture.snapshot())}\n\n`);
          fixture.streams.add(res);
          req.on('close', () => fixture.streams.delete(res));
          return;
        }
        if (kind === 'about') {
          return reply(200, {
            version: 'dev',
            home,
            data_dir: `${home}/.local/share/parley`,
            platform: 'linux',
            root: false,
            now: Date.now(),
          });
        }
        if (kind === 'agents') return reply(200, agents);
        if (kind === 'settings') {
          if (req.method === 'PUT') fixture.settings = await body<Settings>(req);
          return reply(200, fixture.settings);
        }
        if (kind === 'folders') {
          const path = url.searchParams.get('path') || home;
          const names = ['api', 'cmd', 'docs', 'internal', 'migrations'];
          return reply(200, {
            path,
            parent: path === '/' ? '' : path.slice(0, path.lastIndexOf('/')) || '/',
            branch: path.endsWith('ledger') ? 'main' : '',
            folders: names.map((name) => ({ name, path: `${path}/${name}`, git: false })),
            recent: [{ name: 'ledger', path: `${home}/src/ledger`, git: true }],
          });
        }
        if (kind === 'presence') return reply(200, {});
        if (kind === 'sessions') {
          const session = fixture.sessions.get(id ?? '');
          if (!session) return fail(404, 'not_found', 'There is no such session.');
          if (verb === 'events') {
            const all = fixture.events.get(session.id) ?? [];
            const after = Number(url.searchParams.get('after') ?? 0);
            const before = Number(url.searchParams.get('before') ?? all.length + 1);
            const limit = Number(url.searchParams.get('limit') ?? 400);
            const fits = all.filter((e) => e.seq! > after && e.seq! < before);
            const page = after ? fits.slice(0, limit) : fits.slice(-limit);
            return reply(200, {
              events: page,
              through: all.length,
              more: page.length < fits.length,
              live: [],
            });
          }
          if (verb === 'processes') {
            return reply(200, {
              processes: [
                { pid: 48210, parent: 1, name: 'claude', depth: 0, rss_bytes: 214e6, age_ms: 6e4 },
                { pid: 48233, parent: 48210, name: 'parley-mcp', depth: 1, rss_bytes: 9e6, age_ms: 6e4 },
                { pid: 48301, parent: 48210, name: 'gopls serve', depth: 1, rss_bytes: 388e6, age_ms: 5e4 },
              ],
            });
          }
          if (verb === 'messages') {
            const { text } = await body<{ text: string }>(req);
            session.queued.push({ turn_id: `q${Date.now()}`, text, held: false });
            fixture.sendAll({
              events: [{ at: Date.now(), session_id: session.id, type: 'session.updated', data: session }],
            });
            return reply(200, { turn_id: `q${Date.now()}`, queued: true });
          }
          if (verb === 'queue') {
            if (req.method === 'DELETE') session.queued = session.queued.filter((q) => q.turn_id !== last);
            return reply(200, session);
          }
          if (req.method === 'PATCH') Object.assign(session, await body(req));
          return reply(200, session);
        }
        if (kind === 'interactions') {
          if (!id) return reply(200, { interactions: [...fixture.interactions.values()] });
          const i = fixture.interactions.get(id);
          if (!i) return fail(404, 'not_found', 'There is no such question.');
          switch (verb) {
            case 'answer': {
              const a = await body<Answer>(req);
              if (i.outcome && !i.outcome.reason.startsWith('t')) {
                return fail(409, 'already_resolved', 'This was answered already.', { outcome: i.outcome });
              }
              const outcome = outcomeOf(a);
              fixture.settle(i, outcome);
              return reply(200, { accepted: true, late: false, outcome });
            }
            case 'more-time':
            case 'typing':
              i.deadline_at = Math.min(
                i.max_deadline_at,
                i.deadline_at + (verb === 'typing' ? 60_000 : 300_000),
              );
              return reply(200, i);
            case 'draft':
              i.draft = await body(req);
              return reply(200, {});
            case 'clear':
              i.cleared_at = Date.now();
              return reply(200, {});
            default:
              return reply(200, verb ? {} : i);
          }
        }
        return fail(404, 'not_found', `No ${url.pathname} here.`);
      });
    },
  };
}
