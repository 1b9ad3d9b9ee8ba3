import { describe, expect, it } from 'vitest';
import { question } from '../../../dev/make.ts';
import type { FileChanged, Interaction, Late, Outcome } from '../../backend/types.gen.ts';
import type { LiveText, Part, ToolPart, Turn } from '../../state/timeline.reducer.ts';
import {
  changedFiles,
  demoEnd,
  gapBefore,
  isSentence,
  ownTurns,
  type Row,
  rowsOf,
  rowText,
  workedAndWaited,
} from './rows.logic.ts';

const tool = (id: string, kind: ToolPart['tool'], more: Partial<ToolPart> = {}): ToolPart => ({
  kind: 'tool',
  id,
  name: kind,
  tool: kind,
  title: `${kind} ${id}`,
  input: '',
  parent: '',
  startedAt: 0,
  end: { status: 'ok', output: '', truncated: false, durationMS: 100 },
  files: [],
  ...more,
});
const text = (id: string, parent = ''): Part => ({
  kind: 'message',
  id,
  text: `text ${id}`,
  partial: false,
  durationMS: 0,
  parent,
});
const turn = (parts: Part[], more: Partial<Turn> = {}): Turn => ({
  id: 't',
  text: 'do it',
  attachments: [],
  unrequested: false,
  late: '',
  startedAt: 0,
  parts,
  end: null,
  ...more,
});
const kinds = (rows: readonly Row[]) => rows.map((r) => r.kind);

describe('rowsOf', () => {
  it('folds a run of reads and searches to one line, and nothing else', () => {
    const rows = rowsOf(
      [turn([tool('1', 'read'), tool('2', 'search'), tool('3', 'run'), tool('4', 'read')])],
      [],
    );
    expect(kinds(rows)).toEqual(['mine', 'run', 'tool', 'tool']);
  });

  it('shows a read that failed on its own', () => {
    const failed = tool('2', 'read', {
      end: { status: 'failed', output: 'no', truncated: false, durationMS: 1 },
    });
    expect(kinds(rowsOf([turn([tool('1', 'read'), failed, tool('3', 'read')])], []))).toEqual([
      'mine',
      'tool',
      'tool',
      'tool',
    ]);
  });

  it('credits a sub-agent with its own work', () => {
    const parts = [
      tool('sub', 'agent'),
      tool('a', 'run'),
      tool('b', 'run', { parent: 'sub' }),
      text('c', 'sub'),
      text('d'),
    ];
    const rows = rowsOf([turn(parts)], []);
    expect(kinds(rows)).toEqual(['mine', 'tool', 'tool', 'prose']);
    const sub = rows[1] as Extract<Row, { kind: 'tool' }>;
    expect(kinds(sub.children)).toEqual(['tool', 'prose']);
    expect(rowText(rows[3]!)).toBe('text d');
  });

  it('loses nothing that names a parent which is not there, or itself', () => {
    const rows = rowsOf([turn([text('x', 'gone'), tool('loop', 'run', { parent: 'loop' })])], []);
    expect(kinds(rows)).toEqual(['mine', 'prose', 'tool']);
  });

  it('leaves out the calls that show as a question or a plan, unless they failed', () => {
    const question: Part = {
      kind: 'question',
      id: 'q',
      parent: '',
      interaction: { interaction_id: 'q', question: 'Which?', outcome: { reason: 'dismissed' } } as never,
    };
    const refused = tool('2', 'ask', {
      end: { status: 'failed', output: 'bad', truncated: false, durationMS: 1 },
    });
    const rows = rowsOf([turn([tool('1', 'ask'), question, tool('p', 'plan'), refused])], []);
    expect(kinds(rows)).toEqual(['mine', 'question', 'tool']);
    expect(kinds(rowsOf([turn([tool('1', 'ask')])], []))).toEqual(['mine', 'tool']);
  });

  it('puts streaming text last, in its own turn', () => {
    const live: LiveText = {
      id: 'm',
      turn: 't',
      kind: 'message',
      text: 'growing',
      bytes: 7,
      parent: '',
      later: [],
      startedAt: 0,
    };
    const rows = rowsOf([turn([text('a')]), turn([text('b')], { id: 't2' })], [live]);
    expect(kinds(rows)).toEqual(['mine', 'prose', 'prose', 'mine', 'prose']);
    expect(rows[2]).toMatchObject({ live: true, text: 'growing', turn: 't' });
  });

  it('gives every row a key of its own, and the same one while it grows', () => {
    const parts = [tool('1', 'read'), tool('2', 'read')];
    const before = rowsOf([turn(parts)], []);
    const after = rowsOf([turn([...parts, tool('3', 'read'), text('x')])], []);
    expect(new Set(after.map((r) => r.key)).size).toBe(after.length);
    expect(after[1]!.key).toBe(before[1]!.key);
  });

  it('says how a turn ended only when that matters', () => {
    const end = (status: 'completed' | 'interrupted' | 'failed') =>
      turn([], { end: { status, stop_reason: '', duration_ms: 1, waited_ms: 0, at: 1 } });
    expect(kinds(rowsOf([end('completed')], []))).toEqual(['mine']);
    expect(kinds(rowsOf([end('interrupted')], []))).toEqual(['mine', 'end']);
    expect(kinds(rowsOf([end('failed')], []))).toEqual(['mine', 'end']);
  });

  it('tells a problem of the agent and of its turn once', () => {
    const problem = {
      code: 'exited',
      title: 'It ended.',
      advice: '',
      command: '',
      evidence: '',
      reset_at: 0,
    };
    const exit: Part = {
      kind: 'exit',
      id: 'x',
      at: 1,
      parent: '',
      exit: { code: 3, signal: '', reason: 'crashed', problem },
    };
    const end = { status: 'failed' as const, stop_reason: '', duration_ms: 1, waited_ms: 0, at: 1, problem };
    expect(kinds(rowsOf([turn([exit], { end })], []))).toEqual(['mine', 'end']);
    expect(kinds(rowsOf([turn([exit])], []))).toEqual(['mine', 'exit']);
  });

  it('builds the rows of a finished turn once', () => {
    const t = turn([text('a')]);
    expect(rowsOf([t], [])[1]).toBe(rowsOf([t], [])[1]);
  });
});

it.each([
  ['read', 'internal/a.go', false],
  ['read', 'Read hello.html', true],
  ['edit', 'Write hello.html', true],
  ['run', 'go test ./...', false],
  ['search', 'func main', false],
  ['search', 'Search for main', true],
  ['mcp', 'docs', false],
] as const)('%s %j is a sentence: %s', (kind, title, want) => {
  expect(isSentence(kind, title)).toBe(want);
});

it('tells turns apart by space', () => {
  const [a, b] = rowsOf([turn([tool('1', 'run'), tool('2', 'run')]), turn([], { id: 't2' })], []).slice(1);
  expect(gapBefore(undefined, a!)).toBe(0);
  expect(gapBefore(a, b!)).toBe(0);
  expect(gapBefore(b, { ...b!, turn: 't2' })).toBe(32);
});

it('adds changes of one file up', () => {
  const file = (path: string, change: FileChanged['change'], added: number, removed: number): Part => ({
    kind: 'file',
    id: `${path}${added}`,
    parent: '',
    file: { path, change, added, removed },
  });
  const files = changedFiles([
    turn([file('a', 'added', 3, 0), file('b', 'modified', -1, -1)]),
    turn([file('a', 'modified', 2, 1)]),
  ]);
  expect(files.map((f) => [f.path, f.change, f.added, f.removed])).toEqual([
    ['b', 'modified', -1, -1],
    ['a', 'added', 5, 1],
  ]);
});

it('keeps waiting out of the time worked', () => {
  const end = { status: 'completed' as const, stop_reason: '', duration_ms: 1000, waited_ms: 400, at: 1 };
  expect(workedAndWaited([turn([], { end }), turn([])])).toEqual({ workedMS: 600, waitedMS: 400 });
});

it('counts of a fork what came after it began', () => {
  const turns = [turn([], { id: 'a' }), turn([], { id: 'fork' }), turn([], { id: 'b' })];
  expect(ownTurns(turns).map((t) => t.id)).toEqual(['b']);
  expect(ownTurns(turns.slice(0, 1))).toHaveLength(1);
});

describe('what came of the demo', () => {
  const asked = (change: Partial<Interaction>): Part => ({
    kind: 'question',
    id: 'q',
    parent: '',
    interaction: question({ interaction_id: 'q', agent: 'demo', session_id: 's', ...change }, 1000),
  });
  const outcome = (reason: Outcome['reason']): Outcome => ({
    reason,
    cause: 'person',
    response: '',
    selected: [],
    text: '',
    resolved_at: 1,
  });
  const page: Part = {
    kind: 'file',
    id: 'f',
    parent: '',
    file: { path: '/w/hello.html', change: 'added', added: 1, removed: 0 },
  };
  const answered = asked({ outcome: outcome('response') });
  const unanswered = asked({ outcome: outcome('timeout') });
  const late = {
    answered_at: 2,
    by: 'window',
    selected: [],
    text: 'Hello',
  } as unknown as Late;
  it.each([
    ['its page', [turn([answered, page])], 'after.answered'],
    ['the page of an earlier turn', [turn([answered, page]), turn([answered])], 'after.reached'],
    ['no answer', [turn([page]), turn([unanswered])], 'after.notAnswered'],
    ['a late answer', [turn([asked({ outcome: outcome('timeout'), late })]), turn([page])], 'after.answered'],
    ['what waits', [turn([asked({})])], null],
    ['what a fork began with', [turn([answered, page]), turn([], { id: 'fork' })], null],
    ['nothing asked', [turn([page])], null],
  ])('%s', (_, turns, end) => {
    expect(demoEnd(turns)).toBe(end);
  });
});
