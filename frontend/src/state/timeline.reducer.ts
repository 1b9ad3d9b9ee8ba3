// One session's history: turns made of parts, from durable events in their
// order; beside it the text that streams now, which is in no durable event yet.
// Pure; parts that do not change keep their identity, so that rows need not
// render again.

import type {
  AgentExited,
  Attachment,
  Event,
  FileChanged,
  Interaction,
  Late,
  Notice,
  Outcome,
  Plan,
  ToolKind,
  ToolStatus,
  TurnEnded,
  Usage,
} from '../backend/types.gen.ts';
import { byteLength, dropBytes } from '../lib/bytes.ts';
import { seenIn } from './asked.ts';

export interface TextPart {
  kind: 'message' | 'reasoning';
  id: string;
  text: string;
  partial: boolean;
  durationMS: number;
  parent: string;
}

export interface ToolPart {
  kind: 'tool';
  id: string;
  name: string;
  tool: ToolKind;
  title: string;
  input: string;
  parent: string;
  startedAt: number;
  /** Null while it runs. */
  end: {
    status: ToolStatus;
    output: string;
    truncated: boolean;
    durationMS: number;
    /** Where the whole of a truncated output is kept, if it is. */
    whole?: { session: string; id: string; bytes: number };
  } | null;
  files: readonly FileChanged[];
}

export interface FilePart {
  kind: 'file';
  id: string;
  file: FileChanged;
  parent: string;
}

export interface QuestionPart {
  kind: 'question';
  id: string;
  interaction: Interaction;
  parent: string;
}

export interface PlanPart {
  kind: 'plan';
  id: string;
  plan: Plan;
  parent: string;
}

export interface NoticePart {
  kind: 'notice';
  id: string;
  notice: Notice;
  at: number;
  parent: string;
}

export interface ExitPart {
  kind: 'exit';
  id: string;
  exit: AgentExited;
  at: number;
  parent: string;
}

/** A message of the person that went into a running turn. */
export interface SteerPart {
  kind: 'steer';
  id: string;
  text: string;
  attachments: readonly Attachment[];
  at: number;
  parent: string;
}

/** Where a fork begins: what stands before it was said in the other session. */
export interface ForkPart {
  kind: 'fork';
  id: 'fork';
  origin: string;
  parent: '';
}

export type Part =
  | TextPart
  | ToolPart
  | FilePart
  | QuestionPart
  | PlanPart
  | NoticePart
  | ExitPart
  | SteerPart
  | ForkPart;

export interface Turn {
  id: string;
  /** As typed; null when the beginning lies in an older page. */
  text: string | null;
  attachments: readonly Attachment[];
  unrequested: boolean;
  late: string;
  startedAt: number;
  parts: readonly Part[];
  end: (TurnEnded & { at: number }) | null;
}

/** Text that is streaming. Bytes counts what is held of it without a gap. */
export interface LiveText {
  id: string;
  turn: string;
  kind: 'message' | 'reasoning';
  text: string;
  bytes: number;
  parent: string;
  /** What came behind a gap; empty when there is none. Fits once the gap was fetched. */
  later: readonly Chunk[];
  startedAt: number;
}

/** A piece of a text and the bytes before it. */
export interface Chunk {
  offset: number;
  text: string;
}

export interface History {
  turns: readonly Turn[];
  live: readonly LiveText[];
  /** Last words of a running tool, by tool id. */
  progress: Readonly<Record<string, string>>;
  usage: Usage | null;
  /** Newest number that was applied. */
  through: number;
}

export const emptyHistory: History = { turns: [], live: [], progress: {}, usage: null, through: 0 };

const progressKept = 4000;

/** Applies one event, durable or transient. The caller sees to it that numbers come in order. */
export function applyEvent(h: History, e: Event): History {
  const next = change(h, e);
  return e.seq && e.seq > next.through ? { ...next, through: e.seq } : next;
}

function change(h: History, e: Event): History {
  switch (e.type) {
    case 'session.created': {
      const origin = e.data.forked_from;
      if (!origin) return h;
      // What the other session used is not this one's.
      const own = { ...h, usage: null };
      return add(own, { ...e, turn_id: 'fork' }, { kind: 'fork', id: 'fork', origin, parent: '' });
    }
    case 'turn.started':
      return startTurn(h, e.turn_id ?? '', e.at, e.data);
    case 'turn.completed':
      return endTurn(h, e.turn_id ?? '', { ...e.data, at: e.at });
    case 'message.delta':
      return delta(h, 'message', e.turn_id ?? '', e.at, e.data);
    case 'reasoning.delta':
      return delta(h, 'reasoning', e.turn_id ?? '', e.at, e.data);
    case 'message.completed':
    case 'reasoning.completed': {
      const kind = e.type === 'message.completed' ? 'message' : 'reasoning';
      const d = e.data;
      const started = h.live.find((l) => l.id === d.message_id)?.startedAt;
      const part: TextPart = {
        kind,
        id: d.message_id,
        text: d.text,
        partial: d.partial ?? false,
        durationMS: d.duration_ms ?? (started ? e.at - started : 0),
        parent: d.parent_tool_id ?? '',
      };
      const live = h.live.filter((l) => l.id !== d.message_id);
      return add({ ...h, live }, e, d.text.trim() ? part : null);
    }
    case 'tool.started':
      return add(h, e, {
        kind: 'tool',
        id: e.data.tool_id,
        name: e.data.name,
        tool: e.data.kind,
        title: e.data.title,
        input: e.data.input,
        parent: e.data.parent_tool_id ?? '',
        startedAt: e.at,
        end: null,
        files: [],
      });
    case 'tool.progress': {
      const { tool_id, text, output } = e.data;
      const said = text || output;
      if (!said) return h;
      const before = text ? '' : (h.progress[tool_id] ?? '');
      return { ...h, progress: { ...h.progress, [tool_id]: (before + said).slice(-progressKept) } };
    }
    case 'tool.completed': {
      const d = e.data;
      const { [d.tool_id]: _, ...progress } = h.progress;
      const whole = d.output_id
        ? { whole: { session: e.session_id, id: d.output_id, bytes: d.output_bytes ?? 0 } }
        : {};
      const end = {
        status: d.status,
        output: d.output,
        truncated: d.truncated,
        durationMS: d.duration_ms,
        ...whole,
      };
      return patchTool({ ...h, progress }, d.tool_id, (t) => ({ ...t, end }));
    }
    case 'file.changed': {
      const file = e.data;
      const patched = file.tool_id
        ? patchTool(h, file.tool_id, (t) => ({ ...t, files: [...t.files, file] }))
        : h;
      if (patched !== h) return patched;
      return add(h, e, { kind: 'file', id: `file-${e.seq ?? e.at}`, file, parent: '' });
    }
    case 'plan.updated':
      return add(h, e, { kind: 'plan', id: e.data.plan_id, plan: e.data, parent: '' });
    case 'usage.updated':
      return { ...h, usage: e.data };
    case 'notice':
      return add(h, e, {
        kind: 'notice',
        id: `notice-${e.seq ?? e.at}`,
        notice: e.data,
        at: e.at,
        parent: '',
      });
    case 'agent.exited':
      return add({ ...h, live: [], progress: {} }, e, {
        kind: 'exit',
        id: `exit-${e.seq ?? e.at}`,
        exit: e.data,
        at: e.at,
        parent: '',
      });
    case 'turn.steered':
      return add(h, e, {
        kind: 'steer',
        id: `steer-${e.seq ?? e.at}`,
        text: e.data.text,
        attachments: e.data.attachments ?? [],
        at: e.at,
        parent: '',
      });
    case 'clarify.requested':
    case 'form.requested':
    case 'approval.requested':
    case 'elicitation.requested':
    case 'native.requested':
      return add(h, e, { kind: 'question', id: e.data.interaction_id, interaction: e.data, parent: '' });
    case 'clarify.resolved':
    case 'form.resolved':
    case 'approval.resolved':
    case 'elicitation.resolved':
    case 'native.resolved':
      return patchQuestion(h, e.data.interaction_id, { outcome: e.data as Outcome, ...seenIn(e.data) });
    case 'clarify.late_answered':
    case 'form.late_answered':
    case 'approval.late_answered':
    case 'elicitation.late_answered':
    case 'native.late_answered':
      return patchQuestion(h, e.data.interaction_id, { late: e.data as Late, ...seenIn(e.data) });
    case 'clarify.delivered':
    case 'form.delivered':
    case 'approval.delivered':
    case 'elicitation.delivered':
    case 'native.delivered':
      return patchQuestion(h, e.data.interaction_id, { delivered_at: e.data.delivered_at });
    default:
      return h;
  }
}

function startTurn(
  h: History,
  id: string,
  at: number,
  d: { text: string; attachments?: Attachment[]; unrequested?: boolean; late?: string },
): History {
  const turn: Turn = {
    id,
    text: d.text,
    attachments: d.attachments ?? [],
    unrequested: d.unrequested ?? false,
    late: d.late ?? '',
    startedAt: at,
    parts: [],
    end: null,
  };
  const old = h.turns.findIndex((t) => t.id === id);
  if (old < 0) return { ...h, turns: [...h.turns, turn] };
  return { ...h, turns: h.turns.with(old, { ...turn, parts: h.turns[old]!.parts }) };
}

function endTurn(h: History, id: string, end: TurnEnded & { at: number }): History {
  const live = h.live.filter((l) => l.turn !== id);
  const usage = end.usage ?? h.usage;
  const at = lastIndexOf(h.turns, (t) => t.id === id);
  if (at < 0) return { ...h, usage, turns: [...h.turns, { ...headless(id, end.at), end }] };
  return { ...h, live, usage, turns: h.turns.with(at, { ...h.turns[at]!, end }) };
}

/** A turn whose beginning lies in an older page, or none at all for what happens between turns. */
function headless(id: string, at: number): Turn {
  return {
    id,
    text: null,
    attachments: [],
    unrequested: false,
    late: '',
    startedAt: at,
    parts: [],
    end: null,
  };
}

function lastIndexOf<V>(list: readonly V[], fits: (v: V) => boolean): number {
  for (let i = list.length - 1; i >= 0; i--) if (fits(list[i]!)) return i;
  return -1;
}

/** Adds a part to its turn, or puts it in place of the one with its id. */
function add(h: History, e: Event, part: Part | null): History {
  if (!part) return h;
  const id = e.turn_id ?? h.turns.at(-1)?.id ?? '';
  let turns = h.turns;
  let at = lastIndexOf(turns, (t) => t.id === id);
  if (at < 0) {
    turns = [...turns, headless(id, e.at)];
    at = turns.length - 1;
  }
  const turn = turns[at]!;
  const old = lastIndexOf(turn.parts, (p) => p.kind === part.kind && p.id === part.id);
  const parts = old < 0 ? [...turn.parts, part] : turn.parts.with(old, keep(turn.parts[old]!, part));
  return { ...h, turns: turns.with(at, { ...turn, parts }) };
}

/** What a repeated part must not lose: the end of a tool, the outcome of a question, a newer plan. */
function keep(old: Part, now: Part): Part {
  if (old.kind === 'tool' && now.kind === 'tool') return { ...now, end: old.end, files: old.files };
  if (old.kind === 'plan' && now.kind === 'plan' && old.plan.revision > now.plan.revision) return old;
  if (old.kind === 'question' && now.kind === 'question' && old.interaction.outcome) return old;
  return now;
}

function patchPart(h: History, fits: (p: Part) => boolean, patch: (p: Part) => Part): History {
  for (let i = h.turns.length - 1; i >= 0; i--) {
    const turn = h.turns[i]!;
    const at = lastIndexOf(turn.parts, fits);
    if (at >= 0) {
      const parts = turn.parts.with(at, patch(turn.parts[at]!));
      return { ...h, turns: h.turns.with(i, { ...turn, parts }) };
    }
  }
  return h;
}

function patchTool(h: History, id: string, patch: (t: ToolPart) => ToolPart): History {
  return patchPart(
    h,
    (p) => p.kind === 'tool' && p.id === id,
    (p) => patch(p as ToolPart),
  );
}

function patchQuestion(h: History, id: string, change: Partial<Interaction>): History {
  return patchPart(
    h,
    (p) => p.kind === 'question' && p.id === id,
    (p) => {
      const q = p as QuestionPart;
      if (change.outcome && q.interaction.outcome) return q;
      return { ...q, interaction: { ...q.interaction, ...change } };
    },
  );
}

function delta(
  h: History,
  kind: LiveText['kind'],
  turn: string,
  at: number,
  d: { message_id: string; offset: number; text: string; parent_tool_id?: string },
): History {
  const i = h.live.findIndex((l) => l.id === d.message_id);
  if (i < 0) {
    if (isDone(h, d.message_id)) return h; // a straggler of a completed message
    const begun: LiveText = {
      id: d.message_id,
      turn,
      kind,
      text: '',
      bytes: 0,
      parent: d.parent_tool_id ?? '',
      later: [],
      startedAt: at,
    };
    return { ...h, live: [...h.live, grow(begun, d.offset, d.text)] };
  }
  const old = h.live[i]!;
  const grown = grow(old, d.offset, d.text);
  return grown === old ? h : { ...h, live: h.live.with(i, grown) };
}

function isDone(h: History, id: string): boolean {
  return h.turns
    .slice(-2)
    .some((t) => t.parts.some((p) => (p.kind === 'message' || p.kind === 'reasoning') && p.id === id));
}

/** Appends what is new of a piece. What is known is skipped; a piece behind a gap is kept for later. */
export function grow(l: LiveText, offset: number, text: string): LiveText {
  if (offset > l.bytes) return { ...l, later: [...l.later, { offset, text }] };
  const fresh = dropBytes(text, l.bytes - offset);
  if (!fresh) return l;
  const now = { ...l, text: l.text + fresh, bytes: l.bytes + byteLength(fresh) };
  if (l.later.length === 0) return now;
  return l.later.reduce<LiveText>((t, c) => grow(t, c.offset, c.text), { ...now, later: [] });
}

/** Joins what the back end holds of the streaming texts with what came here meanwhile. */
export function withLive(h: History, events: readonly Event[]): History {
  const fetched = events.reduce(change, { ...h, live: [] }).live;
  const joined = fetched.map((l) => {
    const mine = h.live.find((m) => m.id === l.id);
    if (!mine) return l;
    return mine.later.reduce((t, c) => grow(t, c.offset, c.text), grow(l, 0, mine.text));
  });
  return { ...h, live: [...joined, ...h.live.filter((m) => !fetched.some((l) => l.id === m.id))] };
}
