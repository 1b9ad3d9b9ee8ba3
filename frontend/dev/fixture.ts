// Answers the API from invented sessions. It keeps them in memory and plays no
// agent: answering a question settles it, a message begins a turn that ends. The
// dev server and the pictures stand on it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Answer,
  DoctorReport,
  Event,
  Frame,
  Interaction,
  Outcome,
  Process,
  Profile,
  Rule,
  Session,
  Settings,
} from '../src/backend/types.gen.ts';
import { defaults } from '../src/state/settings.ts';
import { cells } from './cells.ts';
import * as doctor from './doctor.ts';
import { minute } from './make.ts';
import { agents, type Scene } from './scenes.ts';
import { InventedServers } from './servers.ts';

const home = '/home/mara';

export class Fixture {
  sessions = new Map<string, Session>();
  events = new Map<string, Event[]>();
  interactions = new Map<string, Interaction>();
  plans: Scene['plans'] = [];
  live: Event[];
  streams = new Set<ServerResponse>();
  settings: Settings = { ...defaults };
  pictures = new Map<string, Buffer>();
  rules = [...rules];

  readonly servers: InventedServers;
  doctor: DoctorReport;
  private readonly answers: string | null;

  /**
   * answers is what becomes of an answer: "stuck" never gets a reply, "lost" never
   * arrives, "refused" does and is turned down. servers is the state of the MCP servers' file, doctor how far a run of it is.
   */
  constructor(
    scene: Scene,
    answers: string | null = null,
    servers: string | null = null,
    run: string | null = null,
  ) {
    this.doctor = run === 'goes-on' ? doctor.goesOn : run === 'never' ? doctor.never : doctor.over;
    this.answers = answers;
    this.servers = new InventedServers(servers);
    for (const s of scene.sessions) this.sessions.set(s.id, s);
    for (const i of scene.interactions) this.interactions.set(i.interaction_id, i);
    this.plans = scene.plans;
    this.live = scene.live ?? [];
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

  /** Ends the streams, as a back end does that goes. */
  end(): void {
    for (const s of this.streams) s.end();
    this.streams.clear();
  }

  /** A new question comes up. */
  ask(i: Interaction): void {
    this.interactions.set(i.interaction_id, i);
    const s = this.sessions.get(i.session_id)!;
    s.state = 'waiting';
    this.publish(
      { at: Date.now(), session_id: s.id, turn_id: i.run_id, type: `${i.kind}.requested`, data: i } as Event,
      { at: Date.now(), session_id: s.id, type: 'session.updated', data: { ...s, updated_at: Date.now() } },
    );
  }

  /** Answers a call. */
  async answer(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
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
      res.write(`data: ${JSON.stringify(this.snapshot())}\n\n`);
      this.streams.add(res);
      req.on('close', () => this.streams.delete(res));
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
    if (kind === 'doctor') {
      if (req.method === 'POST') this.doctor = { ...doctor.goesOn, started_at: Date.now() };
      if (req.method === 'DELETE') this.doctor = doctor.over;
      return reply(200, this.doctor);
    }
    if (kind === 'settings') {
      if (req.method === 'PUT') this.settings = await body<Settings>(req);
      return reply(200, this.settings);
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
    if (kind === 'history') {
      const all = [...this.interactions.values(), ...decided()];
      return reply(200, { interactions: all.filter((i) => i.outcome), next: '' });
    }
    if (kind === 'approvals') {
      this.rules = this.rules.filter((r) => r.id !== id);
      return reply(200, id ? {} : { rules: this.rules });
    }
    if (kind === 'profiles') return reply(200, { profiles });
    if (kind === 'mcp') {
      const rest = url.pathname.split('/').slice(3).map(decodeURIComponent);
      return reply(200, this.servers.answer(rest, req.method ?? 'GET', url.searchParams, await body(req)));
    }
    if (kind === 'presence') return reply(200, {});
    if (kind === 'processes') {
      const trees = [...this.sessions.values()]
        .filter((v) => v.state !== 'idle')
        .map((v) => ({ session_id: v.id, title: v.title, agent: v.agent, processes }));
      return reply(200, { trees });
    }
    if (kind === 'sessions') {
      const session = this.sessions.get(id ?? '');
      if (!session) return fail(404, 'not_found', 'There is no such session.');
      if (verb === 'events') {
        const all = this.events.get(session.id) ?? [];
        const after = Number(url.searchParams.get('after') ?? 0);
        const before = Number(url.searchParams.get('before') ?? all.length + 1);
        const limit = Number(url.searchParams.get('limit') ?? 400);
        const fits = all.filter((e) => e.seq! > after && e.seq! < before);
        const page = after ? fits.slice(0, limit) : fits.slice(-limit);
        return reply(200, {
          events: page,
          through: all.length,
          more: page.length < fits.length,
          live: this.live.filter((e) => e.session_id === session.id),
        });
      }
      if (verb === 'pictures' && last) {
        res.setHeader('Content-Type', 'image/png');
        return void res.end(this.pictures.get(last));
      }
      if (verb === 'pictures') {
        const { name, data } = await body<{ name: string; data: string }>(req);
        const file = `${this.pictures.size}.png`;
        this.pictures.set(file, Buffer.from(data, 'base64'));
        return reply(200, { name, mime: 'image/png', path: `/pictures/${session.id}/${file}` });
      }
      if (verb === 'processes') return reply(200, { processes });
      if (verb === 'messages') {
        const form = [...this.interactions.values()].find((i) => i.session_id === id && i.kind === 'form');
        if (form && !form.outcome) {
          return fail(409, 'pending_interactive_form', 'A form waits for an answer in this session.');
        }
        const { text } = await body<{ text: string }>(req);
        session.queued.push({ turn_id: `q${Date.now()}`, text, held: false });
        this.sendAll({
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
      if (!id) return reply(200, { interactions: [...this.interactions.values()] });
      const i = this.interactions.get(id);
      if (!i) return fail(404, 'not_found', 'There is no such question.');
      switch (verb) {
        case 'answer': {
          if (this.answers === 'stuck') return;
          if (this.answers === 'lost') return void req.socket.destroy();
          if (this.answers === 'refused') {
            return fail(
              409,
              'interactive_form_tool_mismatch',
              'This answer is for another form. Look at the one that waits now.',
            );
          }
          const a = await body<Answer>(req);
          if (i.outcome && !i.outcome.reason.startsWith('t')) {
            return fail(409, 'already_resolved', 'This was answered already.', { outcome: i.outcome });
          }
          const outcome = outcomeOf(a);
          this.settle(i, outcome);
          return reply(200, { accepted: true, late: false, outcome });
        }
        case 'more-time':
        case 'typing':
          i.deadline_at = Math.min(i.max_deadline_at, i.deadline_at + (verb === 'typing' ? 60_000 : 300_000));
          return reply(200, i);
        case 'draft':
          i.draft = await body(req);
          return reply(200, { saved: true });
        case 'clear':
          i.cleared_at = Date.now();
          return reply(200, {});
        default:
          return reply(200, verb ? {} : i);
      }
    }
    return fail(404, 'not_found', `No ${url.pathname} here.`);
  }
}

const processes: Process[] = [
  {
    pid: 48210,
    parent: 1,
    name: 'claude',
    depth: 0,
    rss_bytes: 214e6,
    age_ms: 6e4,
    waits: 'event',
    waits_on: '',
    waits_because: 'state S, kernel function do_epoll_wait',
  },
  {
    pid: 48233,
    parent: 48210,
    name: 'parley-mcp',
    depth: 1,
    rss_bytes: 9e6,
    age_ms: 6e4,
    waits: 'read',
    waits_on: 'claude (48210)',
    waits_because: 'state S, kernel function anon_pipe_read, descriptor 0',
  },
  {
    pid: 48301,
    parent: 48210,
    name: 'gopls serve',
    depth: 1,
    rss_bytes: 388e6,
    age_ms: 5e4,
    waits: '',
    waits_on: '',
    waits_because: 'state R',
  },
];

const profiles: Profile[] = [
  { name: 'default', env: {}, agents: {}, sessions: 31, secrets: [] },
  {
    name: 'work',
    env: { HTTPS_PROXY: 'http://proxy.example:3128' },
    agents: { claude: { model: 'opus', effort: 'high' } },
    sessions: 4,
    secrets: ['claude WORK_KEY'],
  },
];

const rules: Rule[] = [
  {
    id: 'r1',
    agent: 'claude',
    folder: `${home}/src/ledger`,
    tool: 'Bash',
    command: 'go test ./...',
    title: 'Run the tests?',
    created_at: Date.now() - 3 * 24 * 60 * minute,
    used_at: Date.now() - 12 * minute,
    uses: 41,
  },
  {
    id: 'r2',
    agent: 'codex',
    folder: `${home}/src/notes`,
    tool: 'WebFetch',
    command: '',
    title: 'Fetch a page?',
    created_at: Date.now() - 30 * 60 * minute,
    uses: 0,
  },
];

/** What was decided before: one of each end. */
function decided(): Interaction[] {
  return cells(false)
    .filter((c) => c.i.outcome)
    .map((c) => c.i);
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
