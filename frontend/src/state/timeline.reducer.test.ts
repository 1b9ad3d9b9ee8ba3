import { describe, expect, it } from 'vitest';
import type { Event } from '../backend/types.gen.ts';
import { byteLength } from '../lib/bytes.ts';
import { applyEvent, emptyHistory, type History, type ToolPart, withLive } from './timeline.reducer.ts';

let seq = 0;
function ev<E extends Event>(type: E['type'], data: unknown, turn = 't1'): Event {
  return { seq: ++seq, at: 1000 + seq, session_id: 's', turn_id: turn, type, data } as Event;
}
function delta(offset: number, text: string, id = 'm'): Event {
  return {
    at: 1,
    session_id: 's',
    turn_id: 't1',
    type: 'message.delta',
    data: { message_id: id, offset, text },
  };
}
function run(...events: Event[]): History {
  return events.reduce(applyEvent, emptyHistory);
}
const asked = { interaction_id: 'q', kind: 'clarify', question: 'Which?', options: [] };

describe('turns', () => {
  it('puts results with their calls, whatever the order they end in', () => {
    const h = run(
      ev('turn.started', { text: 'go' }),
      ev('tool.started', { tool_id: 'a', name: 'Bash', kind: 'run', title: 'one', input: '' }),
      ev('tool.started', { tool_id: 'b', name: 'Bash', kind: 'run', title: 'two', input: '' }),
      ev('tool.completed', { tool_id: 'b', status: 'failed', output: 'B', truncated: false, duration_ms: 2 }),
      ev('tool.completed', { tool_id: 'a', status: 'ok', output: 'A', truncated: false, duration_ms: 1 }),
    );
    const tools = h.turns[0]!.parts as ToolPart[];
    expect(tools.map((t) => [t.title, t.end?.output, t.end?.status])).toEqual([
      ['one', 'A', 'ok'],
      ['two', 'B', 'failed'],
    ]);
  });

  it('keeps a settled question settled, and takes the first end only', () => {
    const end = (response: string) => ({
      interaction_id: 'q',
      reason: 'response',
      response,
      selected: [],
      text: response,
    });
    const h = run(
      ev('clarify.requested', asked),
      ev('clarify.resolved', end('first')),
      ev('clarify.resolved', end('second')),
      ev('clarify.requested', asked),
    );
    expect(h.turns[0]!.parts).toHaveLength(1);
    expect(h.turns[0]!.parts[0]).toMatchObject({ interaction: { outcome: { response: 'first' } } });
  });

  it('knows when a question was seen, answered and delivered, an answer that came late too', () => {
    const end = { interaction_id: 'q', reason: 'timeout', selected: [], text: '', resolved_at: 30 };
    const late = { interaction_id: 'q', selected: [], text: 'late', answered_at: 50, seen_at: 40 };
    const h = run(
      ev('clarify.requested', asked),
      ev('clarify.resolved', end),
      ev('clarify.late_answered', late),
      ev('clarify.delivered', { interaction_id: 'q', delivered_at: 60 }),
    );
    expect(h.turns[0]!.parts[0]).toMatchObject({
      interaction: { outcome: { resolved_at: 30 }, seen_at: 40, late: { answered_at: 50 }, delivered_at: 60 },
    });
    const first = run(ev('clarify.requested', asked), ev('clarify.resolved', { ...end, seen_at: 20 }));
    expect(first.turns[0]!.parts[0]).toMatchObject({ interaction: { seen_at: 20 } });
  });

  it('drops an older revision of a plan that comes late', () => {
    const plan = (revision: number) => ({ plan_id: 'p', revision, plan: [] });
    const h = run(ev('plan.updated', plan(3)), ev('plan.updated', plan(2)));
    expect(h.turns[0]!.parts).toMatchObject([{ plan: { revision: 3 } }]);
  });

  it('leaves parts that did not change as they are', () => {
    const before = run(
      ev('turn.started', { text: 'go' }),
      ev('message.completed', { message_id: 'm1', text: 'one' }),
    );
    const after = applyEvent(before, ev('message.completed', { message_id: 'm2', text: 'two' }));
    expect(after.turns[0]!.parts[0]).toBe(before.turns[0]!.parts[0]);
  });

  it('shows a turn whose beginning lies in an older page', () => {
    const h = run(
      ev('message.completed', { message_id: 'm', text: 'tail' }),
      ev('turn.completed', { status: 'completed' }),
    );
    expect(h.turns).toHaveLength(1);
    expect(h.turns[0]).toMatchObject({ text: null, end: { status: 'completed' } });
  });
});

describe('streaming text', () => {
  const text = '问题🤔: how? e\u0301nd';

  it('is whole after duplicates and overlaps', () => {
    const h = run(delta(0, '问题'), delta(0, '问题'), delta(3, '题🤔'), delta(10, ': how?'));
    expect(h.live[0]).toMatchObject({ text: '问题🤔: how?', later: [] });
  });

  it('keeps what came behind a gap and joins it to what is fetched', () => {
    const cut = byteLength('问题🤔');
    let h = run(delta(0, '问'), delta(cut, ': how?'), delta(cut + 6, ' e\u0301nd'));
    expect(h.live[0]!.text).toBe('问');
    expect(h.live[0]!.later).toHaveLength(2);
    h = withLive(h, [delta(0, '问题🤔: h')]);
    expect(h.live[0]).toMatchObject({ text, later: [] });
  });

  it('is never shorter after a fetch that was answered a moment ago', () => {
    const h = withLive(run(delta(0, 'Hello wor'), delta(9, 'ld')), [delta(0, 'Hello')]);
    expect(h.live[0]!.text).toBe('Hello world');
  });

  it('gives way to the completed message, and stragglers change nothing', () => {
    let h = run(delta(0, 'Hel'), ev('message.completed', { message_id: 'm', text: 'Hello' }));
    expect(h.live).toEqual([]);
    h = applyEvent(h, delta(3, 'lo'));
    expect(h.live).toEqual([]);
    expect(h.turns[0]!.parts).toMatchObject([{ text: 'Hello' }]);
  });

  it('comes out the same for any cut into pieces, any one piece missing until the fetch', () => {
    const chars = Array.from(text);
    for (let missing = 0; missing < chars.length; missing++) {
      let at = 0;
      const pieces = chars.map((c) => {
        const d = delta(at, c);
        at += byteLength(c);
        return d;
      });
      let h = run(...pieces.filter((_, n) => n !== missing));
      h = withLive(h, [delta(0, chars.slice(0, missing + 1).join(''))]);
      expect(h.live[0]!.text).toBe(text);
    }
  });
});
