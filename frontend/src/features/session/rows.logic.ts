// From turns to the rows of a timeline: what is shown, folded together or left
// out. Pure; the keys of rows stay the same while their content grows.

import type { Attachment, FileChanged } from '../../backend/types.gen.ts';
import type { LiveText, Part, QuestionPart, ToolPart, Turn } from '../../state/timeline.reducer.ts';

export type Row = { key: string; turn: string } & (
  | { kind: 'mine'; text: string; files: readonly Attachment[]; late: string }
  | { kind: 'think'; text: string; durationMS: number; live: boolean }
  | { kind: 'prose'; text: string; live: boolean; partial: boolean }
  | { kind: 'tool'; tool: ToolPart; children: readonly Row[] }
  | { kind: 'run'; tools: readonly ToolPart[] }
  | { kind: 'file'; file: FileChanged }
  | { kind: 'question'; part: QuestionPart }
  | { kind: 'plan'; part: Extract<Part, { kind: 'plan' }> }
  | { kind: 'notice'; part: Extract<Part, { kind: 'notice' }> }
  | { kind: 'exit'; part: Extract<Part, { kind: 'exit' }> }
  | { kind: 'fork'; origin: string }
  | { kind: 'end'; turn: string; end: NonNullable<Turn['end']> }
);

/** Rows of all turns, in order. */
export function rowsOf(turns: readonly Turn[], live: readonly LiveText[]): Row[] {
  return turns.flatMap((turn) =>
    rowsOfTurn(
      turn,
      live.filter((l) => l.turn === turn.id),
    ),
  );
}

const cache = new WeakMap<Turn, Row[]>();

/** A turn without streaming text keeps its rows: most turns of a timeline never change again. */
function rowsOfTurn(turn: Turn, live: readonly LiveText[]): Row[] {
  if (live.length === 0) {
    const known = cache.get(turn);
    if (known) return known;
  }
  const rows = build(turn, live);
  if (live.length === 0) cache.set(turn, rows);
  return rows;
}

function build(turn: Turn, live: readonly LiveText[]): Row[] {
  const rows: Row[] = [];
  if (turn.text !== null && !turn.unrequested && (turn.text !== '' || turn.attachments.length > 0)) {
    rows.push({
      key: `${turn.id}/mine`,
      turn: turn.id,
      kind: 'mine',
      text: turn.text,
      files: turn.attachments,
      late: turn.late,
    });
  }
  const problem = turn.end?.problem?.title;
  // The same problem of the agent and of its turn is told once, at the end.
  const told = (r: Row) =>
    r.kind === 'exit' && problem !== undefined && r.part.exit.problem?.title === problem;
  rows.push(...level({ turn, live, ...index(turn, live) }, '').filter((r) => !told(r)));
  if (turn.end && (turn.end.status === 'failed' || turn.end.status === 'interrupted' || turn.end.problem)) {
    rows.push({ key: `${turn.id}/end`, turn: turn.id, kind: 'end', end: turn.end });
  }
  return rows;
}

/** What building the rows of a turn looks up again and again. */
interface Context {
  turn: Turn;
  live: readonly LiveText[];
  /** Parts and streaming texts by the tool call they belong to; "" is the main agent. */
  parts: ReadonlyMap<string, readonly Part[]>;
  texts: ReadonlyMap<string, readonly LiveText[]>;
  asked: boolean;
}

function index(turn: Turn, live: readonly LiveText[]): Pick<Context, 'parts' | 'texts' | 'asked'> {
  const tools = new Set(turn.parts.filter((p) => p.kind === 'tool').map((p) => p.id));
  // What names a parent that is not here belongs to the main agent.
  const owner = (p: { parent: string; id: string }) =>
    tools.has(p.parent) && p.parent !== p.id ? p.parent : '';
  return {
    parts: groupBy(turn.parts, owner),
    texts: groupBy(live, owner),
    asked: turn.parts.some((p) => p.kind === 'question'),
  };
}

function groupBy<V>(list: readonly V[], keyOf: (v: V) => string): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const v of list) {
    const key = keyOf(v);
    const group = groups.get(key);
    if (group) group.push(v);
    else groups.set(key, [v]);
  }
  return groups;
}

/** The parts that one agent did: the main one, or the sub-agent behind a tool call. */
function level(c: Context, parent: string): Row[] {
  const { turn } = c;
  const rows: Row[] = [];
  let run: ToolPart[] = [];
  const flush = () => {
    if (run.length === 1) rows.push(toolRow(c, run[0]!));
    if (run.length > 1)
      rows.push({ key: `${turn.id}/run/${run[0]!.id}`, turn: turn.id, kind: 'run', tools: run });
    run = [];
  };
  for (const part of c.parts.get(parent) ?? []) {
    if (part.kind === 'tool' && isLook(part) && !c.parts.has(part.id)) {
      run.push(part);
      continue;
    }
    if (part.kind === 'tool' && isSilent(part, c.asked)) continue;
    flush();
    const row = rowOf(c, part);
    if (row) rows.push(row);
  }
  flush();
  for (const l of c.texts.get(parent) ?? []) {
    if (!l.text.trim()) continue;
    rows.push(
      l.kind === 'message'
        ? {
            key: `${turn.id}/${l.id}`,
            turn: turn.id,
            kind: 'prose',
            text: l.text,
            live: true,
            partial: false,
          }
        : {
            key: `${turn.id}/${l.id}`,
            turn: turn.id,
            kind: 'think',
            text: l.text,
            durationMS: 0,
            live: true,
          },
    );
  }
  return rows;
}

/** Reads and searches that went well say little each; a run of them is one line. */
function isLook(t: ToolPart): boolean {
  return (t.tool === 'read' || t.tool === 'search') && t.end?.status !== 'failed' && t.files.length === 0;
}

/** A call that shows elsewhere: as a question, or as the plan. A failed one is shown all the same. */
function isSilent(t: ToolPart, asked: boolean): boolean {
  if (t.end?.status === 'failed') return false;
  return t.tool === 'plan' || (t.tool === 'ask' && asked);
}

function toolRow(c: Context, tool: ToolPart): Row {
  const inside = c.parts.has(tool.id) || c.texts.has(tool.id);
  return {
    key: `${c.turn.id}/tool/${tool.id}`,
    turn: c.turn.id,
    kind: 'tool',
    tool,
    children: inside ? level(c, tool.id) : [],
  };
}

function rowOf(c: Context, part: Part): Row | null {
  const at = { key: `${c.turn.id}/${part.id}`, turn: c.turn.id };
  switch (part.kind) {
    case 'message':
      return { ...at, kind: 'prose', text: part.text, live: false, partial: part.partial };
    case 'reasoning':
      return { ...at, kind: 'think', text: part.text, durationMS: part.durationMS, live: false };
    case 'tool':
      return toolRow(c, part);
    case 'file':
      return { ...at, kind: 'file', file: part.file };
    case 'question':
      // While it waits its card stands above the composer.
      return part.interaction.outcome ? { ...at, kind: 'question', part } : null;
    case 'plan':
      return { ...at, kind: 'plan', part };
    case 'notice':
      return { ...at, kind: 'notice', part };
    case 'exit':
      return part.exit.problem || part.exit.reason === 'crashed' ? { ...at, kind: 'exit', part } : null;
    case 'fork':
      return { ...at, kind: 'fork', origin: part.origin };
    case 'steer':
      return { ...at, kind: 'mine', text: part.text, files: part.attachments, late: '' };
  }
}

/** The space above a row: turns are told apart by space alone, lines of one kind stand close. */
export function gapBefore(before: Row | undefined, row: Row): number {
  if (!before) return 0;
  if (before.turn !== row.turn) return 32;
  if (before.kind === 'mine') return 16;
  const line = (r: Row) => r.kind === 'tool' || r.kind === 'run' || r.kind === 'file' || r.kind === 'plan';
  if (line(before) && line(row)) return 0;
  if (before.kind === 'think') return line(row) ? 2 : 6;
  return row.kind === 'mine' ? 16 : 10;
}

/**
 * Whether a title is a sentence of the agent's own ("Read hello.html") instead
 * of a bare argument, so that no verb of ours goes before it.
 */
export function isSentence(kind: ToolPart['tool'], title: string): boolean {
  if (kind === 'run') return false;
  if (kind === 'search' || kind === 'fetch')
    return /^(search|find|grep|list|look|fetch|get|open)\w*\s/i.test(title);
  return /^\p{L}+\s/u.test(title);
}

/** What a run of reads and searches did. */
export function countLooks(tools: readonly ToolPart[]): {
  reads: number;
  searches: number;
  durationMS: number;
  running: boolean;
} {
  return {
    reads: tools.filter((t) => t.tool === 'read').length,
    searches: tools.filter((t) => t.tool === 'search').length,
    durationMS: tools.reduce((sum, t) => sum + (t.end?.durationMS ?? 0), 0),
    running: tools.some((t) => !t.end),
  };
}

/** Lines added and removed by a tool call; zero where unknown. */
export function changedLines(files: readonly FileChanged[]): { added: number; removed: number } {
  return {
    added: files.reduce((n, f) => n + Math.max(0, f.added), 0),
    removed: files.reduce((n, f) => n + Math.max(0, f.removed), 0),
  };
}

/** The turns of the session itself: a fork begins with those of another. */
export function ownTurns(turns: readonly Turn[]): readonly Turn[] {
  return turns.slice(turns.findLastIndex((t) => t.id === 'fork') + 1);
}

/** What came of the demo's last question, for the words that explain it; null while there is none that has ended. */
export function demoEnd(
  turns: readonly Turn[],
): 'after.answered' | 'after.reached' | 'after.notAnswered' | null {
  const own = ownTurns(turns);
  const at = own.findLastIndex((t) => t.parts.some((p) => p.kind === 'question'));
  const asked = own[at]?.parts.findLast((p) => p.kind === 'question')?.interaction;
  if (!asked?.outcome) return null;
  if (asked.outcome.reason !== 'response' && !asked.late) return 'after.notAnswered';
  const wrote = changedFiles(own.slice(at)).some((f) => /(^|\/)hello\.html$/.test(f.path));
  return wrote ? 'after.answered' : 'after.reached';
}

/** Every file a session changed, once, with all that was added and removed; the newest change last. */
export function changedFiles(turns: readonly Turn[]): FileChanged[] {
  const files = new Map<string, FileChanged>();
  for (const turn of turns) {
    for (const part of turn.parts) {
      const list = part.kind === 'tool' ? part.files : part.kind === 'file' ? [part.file] : [];
      for (const f of list) {
        const old = files.get(f.path);
        files.delete(f.path);
        files.set(f.path, old ? merge(old, f) : f);
      }
    }
  }
  return [...files.values()];
}

function merge(a: FileChanged, b: FileChanged): FileChanged {
  const sum = (x: number, y: number) => (x < 0 || y < 0 ? Math.max(x, y) : x + y);
  return {
    ...b,
    change: a.change === 'added' && b.change === 'modified' ? 'added' : b.change,
    added: sum(a.added, b.added),
    removed: sum(a.removed, b.removed),
    diff: [a.diff, b.diff].filter(Boolean).join('\n'),
  };
}

/** How long a session worked and how long it waited for the person, over all ended turns. */
export function workedAndWaited(turns: readonly Turn[]): { workedMS: number; waitedMS: number } {
  let workedMS = 0;
  let waitedMS = 0;
  for (const { end } of turns) {
    if (!end) continue;
    workedMS += Math.max(0, end.duration_ms - end.waited_ms);
    waitedMS += end.waited_ms;
  }
  return { workedMS, waitedMS };
}

/** The searchable text of a row. */
export function rowText(row: Row): string {
  switch (row.kind) {
    case 'mine':
    case 'think':
    case 'prose':
      return row.text;
    case 'tool':
      return `${row.tool.name} ${row.tool.title} ${row.children.map(rowText).join(' ')}`;
    case 'run':
      return row.tools.map((t) => `${t.name} ${t.title}`).join(' ');
    case 'file':
      return row.file.path;
    case 'question': {
      const i = row.part.interaction;
      return `${i.question} ${i.approval?.title ?? ''} ${i.approval?.command ?? ''} ${i.outcome?.response ?? ''}`;
    }
    case 'plan':
      return row.part.plan.plan.map((s) => s.step).join(' ');
    case 'notice':
      return row.part.notice.text;
    case 'exit':
      return row.part.exit.problem?.title ?? '';
    case 'end':
      return row.end.problem?.title ?? '';
    case 'fork':
      return '';
  }
}
