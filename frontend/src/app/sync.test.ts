// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { session } from '../../dev/make.ts';
import { idempotent } from '../../dev/scenes.ts';
import { type BackEnd, begin, eventually } from '../../test/page.tsx';
import type { Event, Frame, Interaction } from '../backend/types.gen.ts';
import { serverNow } from '../state/clock.ts';
import { composerText, setComposerText, useComposer } from '../state/composer.ts';
import { changeDraft, useDrafts } from '../state/drafts.ts';
import { waitingList } from '../state/live.reducer.ts';
import { useLive } from '../state/live.ts';
import { currentRoute, go } from '../state/route.ts';
import { defaults, takeSettings, useSettings } from '../state/settings.ts';
import { open as follow, takeNewer, useTimelines } from '../state/timelines.ts';
import { noticeWaitMS } from './notices.ts';
import { startSync } from './sync.ts';

let says: (f: Frame) => void;
let back: BackEnd;
let stop: () => void;
const notices: { title: string; body: string | undefined }[] = [];
const closed: string[] = [];
let click: () => void;

beforeEach(() => {
  back = begin([], []);
  useLive.setState({ known: false, signedOut: false });
  useTimelines.setState({ opened: {} });
  notices.length = 0;
  closed.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal(
    'EventSource',
    class {
      onmessage: ((m: { data: string }) => void) | null = null;
      constructor() {
        says = (f) => this.onmessage?.({ data: JSON.stringify(f) });
      }
      close() {}
    },
  );
  vi.stubGlobal(
    'Notification',
    class {
      static permission = 'granted';
      onclick: (() => void) | null = null;
      private readonly tag: string;
      constructor(title: string, options: NotificationOptions) {
        notices.push({ title, body: options.body });
        click = () => this.onclick?.();
        this.tag = options.tag ?? '';
      }
      close() {
        closed.push(this.tag);
      }
    },
  );
  stop = startSync();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const present = (interactions: Interaction[], lastSeq = 1): Frame => ({
  snapshot: {
    sessions: [session({ id: 's-idem', title: 'T', agent: 'claude', last_seq: lastSeq })],
    interactions,
    plans: [],
    version: 'x',
    at: Date.now(),
  },
});
const comesUp = (seq: number): Frame => ({
  events: [{ seq, at: 1, session_id: 's-idem', turn_id: 't', type: 'clarify.requested', data: idempotent() }],
});
/** Lets the time pass in which another window might show a question. */
async function passes() {
  await vi.advanceTimersByTimeAsync(noticeWaitMS);
}
const spoken = () => document.querySelector('[role="status"]')?.textContent ?? '';

describe('a question that comes up', () => {
  it('is said politely and noticed when nobody looks, but not what was there at the start', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    says(present([{ ...idempotent(), interaction_id: 'old' }]));
    expect(notices).toEqual([]);
    says(comesUp(2));
    expect(spoken()).toContain('asks: A client reuses');
    expect(notices).toEqual([]); // another window may show it in a moment
    await passes();
    expect(back.told('/noticed')).toEqual([{ interactions: ['q-idem'] }]);
    expect(notices).toEqual([
      {
        title: 'Claude Code waits for you',
        body: expect.stringMatching(/^A client reuses[^\n]*\n1 more waits$/),
      },
    ]);
  });

  it('is said by name, and those that come right behind it by their number', async () => {
    document.querySelector('[role="status"]')?.replaceChildren();
    says(present([]));
    for (const n of [1, 2, 3]) {
      const [e] = comesUp(n + 1).events!;
      says({ events: [{ ...e, data: { ...idempotent(), interaction_id: `q${n}` } } as Event] });
    }
    expect(spoken()).toMatch(/^Claude Code asks: A client reuses[^.]*\. What should the API answer\?$/);
    await passes();
    expect(spoken()).toMatch(/\?2 more wait$/);
  });

  it('is not noticed before the person’s eyes', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    says(present([]));
    says(comesUp(2));
    await passes();
    expect(back.told('/noticed')).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('is left to whoever was told to tell of it, or has seen it', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    back.onNoticed = () => [];
    says(present([]));
    says(comesUp(2));
    await passes();
    expect(back.told('/noticed')).toHaveLength(1);
    expect(notices).toEqual([]);
  });

  it('is told of when the person leaves, if they have not seen it', async () => {
    const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    says(present([]));
    says(comesUp(2));
    await passes();
    expect(notices).toEqual([]);
    focus.mockReturnValue(false);
    window.dispatchEvent(new Event('blur'));
    await passes();
    expect(notices).toHaveLength(1);
    back.onNoticed = () => []; // as the back end does from now on
    window.dispatchEvent(new Event('blur'));
    await passes();
    expect(notices).toHaveLength(1);
  });

  it('is told of though nobody can say who has told of it', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    says(present([]));
    says(comesUp(2));
    back.offline = true;
    await passes();
    expect(notices).toHaveLength(1);
  });

  it('is one notice of many, and goes when its question is settled', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    says(present([]));
    const many = ['q1', 'q2', 'q3'].map((id, n) => ({
      ...idempotent(),
      interaction_id: id,
      requested_at: n,
      question: `Question ${id}?`,
    }));
    says({
      events: many.map((data, n) => ({
        seq: 2 + n,
        at: 1,
        session_id: 's-idem',
        turn_id: 't',
        type: 'clarify.requested',
        data,
      })) as never,
    });
    await passes();
    expect(notices).toEqual([{ title: 'Claude Code waits for you', body: 'Question q3?\n2 more wait' }]);
    // A click opens the one that it names, and decides nothing.
    go({ page: 'settings' });
    click();
    expect(currentRoute()).toEqual({ page: 'inbox', id: 'q3' });
    expect(back.answers).toEqual([]);
    closed.length = 0; // it took the place of the one before
    const ended = (seq: number, interaction_id: string) =>
      says({
        events: [
          {
            seq,
            at: 1,
            session_id: 's-idem',
            turn_id: 't',
            type: 'clarify.resolved',
            data: { interaction_id, reason: 'timeout' },
          } as never,
        ],
      });
    ended(5, 'q1');
    expect(closed).toEqual([]);
    ended(6, 'q3');
    expect(closed).toEqual(['q3']);
  });

  it('is found by a new present too, after the stream was broken', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    says(present([]));
    says(present([idempotent()], 5));
    await passes();
    expect(notices).toHaveLength(1);
    expect(waitingList(useLive.getState())).toHaveLength(1);
  });

  it('is told of when the quiet hours are over, if it still waits', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: new Date(2030, 4, 7, 6, 30) });
    takeSettings({ ...defaults, quiet_from: '22:00', quiet_until: '07:00' });
    says(present([]));
    says(comesUp(2));
    await passes();
    await vi.advanceTimersByTimeAsync(29 * 60_000);
    expect(notices).toEqual([]);
    expect(back.told('/noticed')).toEqual([]); // nobody was told of it
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(notices).toHaveLength(1);
  });

  it('leaves its text out of a notice when the person wants it so', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    takeSettings({ ...defaults, hide_content: true });
    says(present([]));
    says(comesUp(2));
    await passes();
    expect(notices[0]!.body).toBe('A question waits for your answer.');
    takeSettings({ ...defaults, notify: false });
    says(comesUp(3));
    await passes();
    expect(notices).toHaveLength(1);
  });
});

it('fetches anew what an open history has missed', () => {
  says(present([], 3));
  follow('s-idem');
  takeNewer('s-idem', { events: [], through: 3, more: false, live: [] });
  says(present([], 9));
  expect(useTimelines.getState().opened['s-idem']!.stale).toBe(true);
});

it('forgets histories of sessions that are gone', () => {
  says(present([]));
  follow('s-idem');
  says({ snapshot: { sessions: [], interactions: [], plans: [], version: 'x', at: 1 } });
  expect(useTimelines.getState().opened).toEqual({});
});

it('saves drafts that the back end does not have yet, once it is there', async () => {
  const draft = { revision: Date.now(), selected: [], text: 'left over' };
  localStorage.setItem('parley.draft.q-idem', JSON.stringify({ draft, saved: false }));
  localStorage.setItem(
    'parley.draft.ancient',
    JSON.stringify({ draft: { ...draft, revision: 5 }, saved: false }),
  );
  says(present([idempotent()]));
  await eventually(() => expect(back.told('/q-idem/draft')).toEqual([draft]));
  await eventually(() => expect(localStorage.getItem('parley.draft.q-idem')).toContain('"saved":true'));
  expect(localStorage.getItem('parley.draft.ancient')).toBeNull();
});

it('says and shows nothing for what a permission given before has answered', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  says(present([]));
  const i: Interaction = {
    ...idempotent(),
    question: 'May it run what was allowed before?',
    outcome: {
      reason: 'response',
      cause: 'person',
      action: 'allow_once',
      by: 'rule',
      response: '',
      selected: [],
      text: '',
      resolved_at: 1,
    },
  };
  const e = { seq: 2, at: 1, session_id: 's-idem', turn_id: 't', type: 'approval.requested', data: i };
  says({ events: [e as never] });
  expect(waitingList(useLive.getState())).toEqual([]);
  expect(spoken()).not.toContain('May it run');
  await passes();
  expect(notices).toEqual([]);
});

it('keeps quiet in quiet hours, and still counts', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const at = new Date();
  const hm = (d: Date) =>
    `${String(d.getHours()).padStart(2, '0')}:${String(d.getMinutes()).padStart(2, '0')}`;
  takeSettings({
    ...useSettings.getState().settings,
    quiet_from: hm(new Date(at.getTime() - 3600_000)),
    quiet_until: hm(new Date(at.getTime() + 3600_000)),
  });
  says(present([]));
  says(comesUp(2));
  await passes();
  expect(notices).toEqual([]);
  expect(waitingList(useLive.getState())).toHaveLength(1);
});

it('follows when the back end sets its clock, so that what is left stays the same', () => {
  says(present([{ ...idempotent(), deadline_at: Date.now() + 60_000 }]));
  const set = 600_000;
  const at = Date.now() + set;
  says({
    events: [
      {
        seq: 2,
        at,
        session_id: 's-idem',
        turn_id: 't',
        type: 'clarify.updated',
        data: {
          interaction_id: 'q-idem',
          deadline_at: at + 60_000,
          max_deadline_at: at + 900_000,
          remaining_timeout_ms: 60_000,
          cause: 'clock',
        },
      },
    ],
  });
  const left = useLive.getState().interactions['q-idem']!.deadline_at - serverNow();
  expect(left).toBeGreaterThan(55_000);
  expect(left).toBeLessThanOrEqual(60_000);
});

describe('what another window of this browser keeps', () => {
  const heard = (key: string, value: string | null) => {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    window.dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
  };
  const keeps = (revision: number, text: string) =>
    heard('parley.draft.q-idem', JSON.stringify({ draft: { revision, selected: [], text }, saved: false }));

  it('is the draft of its card here too, at once, until it was sent', () => {
    says(present([idempotent()]));
    keeps(5, 'half');
    keeps(7, 'half a thought');
    expect(useDrafts.getState().drafts['q-idem']?.text).toBe('half a thought');
    keeps(6, 'late');
    expect(useDrafts.getState().drafts['q-idem']?.text).toBe('half a thought');
    changeDraft(idempotent(), { text: 'half a thought, and on' });
    expect(useDrafts.getState().drafts['q-idem']!.revision).toBeGreaterThan(7);
    heard('parley.draft.q-idem', null);
    expect(useDrafts.getState().drafts['q-idem']).toBeUndefined();
  });

  it('is the next message here too, and stands nowhere once it was sent', () => {
    setComposerText('s-idem', 'mine');
    const text = () => composerText(useComposer.getState().texts, 's-idem');
    heard('parley.message.s-idem', 'mine, and more');
    expect(text()).toBe('mine, and more');
    heard('parley.message.s-idem', null);
    expect(text()).toBe('');
  });
});
