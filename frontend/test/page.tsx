// A page for component tests: stores with a present, and a back end that is
// asked over fetch and keeps what it was told.

import { cleanup, configure, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import type { StoreApi } from 'zustand';
import type {
  Answer,
  Interaction,
  NewPicture,
  NewSession,
  NoticeClaim,
  Reply,
  Rule,
  Session,
} from '../src/backend/types.gen.ts';
import { useAgents } from '../src/state/agents.ts';
import { useAnswers } from '../src/state/answers.ts';
import { useComposer } from '../src/state/composer.ts';
import { useDoctor } from '../src/state/doctor.ts';
import { useDrafts } from '../src/state/drafts.ts';
import { useHeld } from '../src/state/held.ts';
import { useInView } from '../src/state/inview.ts';
import { takeSnapshot, useLive } from '../src/state/live.ts';
import { useProfiles } from '../src/state/profiles.ts';
import { defaults, takeSettings, useSettings } from '../src/state/settings.ts';
import { useTimelines } from '../src/state/timelines.ts';
import { useView } from '../src/state/view.ts';

// Waits are bounded, and generous: nothing passes or fails by being quick.
const patience = { timeout: 15_000 };
configure({ asyncUtilTimeout: patience.timeout });

/** Waits until the check no longer throws. */
export const eventually = (check: () => unknown) => vi.waitFor(check, patience);

interface Call {
  method: string;
  path: string;
  body: unknown;
}

export class BackEnd {
  calls: Call[] = [];
  /** The session that a call to make one gets. */
  onCreate: (n: NewSession) => unknown = () => ({});
  /** How an answer is met; accepted as it is by default. */
  onAnswer: (a: Answer) => Promise<Response> | Response = (a) => json(200, accepted(a));
  /** How a message is met. */
  onMessage: () => Response = () => json(200, { turn_id: 'new', queued: true });
  /** What typing near the end is told. */
  onTyping: (id: string) => Response = (id) => this.onInteraction(id);
  /** How a picture is met. */
  onPicture: (p: NewPicture) => Promise<Response> | Response = () => json(200, {});
  /** What the person allowed for good. */
  rules: Rule[] = [];
  /** A page of the history; empty by default. */
  onHistory: (q: URLSearchParams) => Promise<Response> | Response = () =>
    json(200, { interactions: [], next: '' });
  /** One question that is asked for by its id: as it is. */
  onInteraction: (id: string) => Response = (id) => {
    const known = useLive.getState().interactions[id];
    return known ? json(200, known) : json(404, { error: { code: 'not_found', message: '' } });
  };
  /** Which of the questions this page may tell of. */
  onNoticed: (ids: string[]) => string[] = (ids) => ids;
  /** What saving a draft is told. */
  onDraft: (d: unknown) => Response = () => json(200, { saved: true });
  /** What the doctor found, or what becomes of a run. */
  onDoctor: () => Response = () =>
    json(200, { running: false, started_at: 0, duration_ms: 0, agents: [], changed: [] });
  /** The session that a fork of this one becomes. */
  onFork: (id: string) => Response = () => json(200, {});
  /** What saving the settings is told. */
  onSettings: (s: unknown) => Response = (s) => json(200, s);
  /** Every call fails as if the network were gone. */
  offline = false;

  constructor() {
    vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
      const body: unknown = init.body ? JSON.parse(String(init.body)) : undefined;
      const call = { method: init.method ?? 'GET', path, body };
      this.calls.push(call);
      if (this.offline) throw new TypeError('network gone');
      if (path.endsWith('/answer')) return this.onAnswer(body as Answer);
      if (path.startsWith('/api/history?')) return this.onHistory(new URLSearchParams(path.split('?')[1]));
      if (path.endsWith('/noticed'))
        return json(200, { interactions: this.onNoticed((body as NoticeClaim).interactions) });
      if (/^\/api\/interactions\/[^/?]+$/.test(path)) return this.onInteraction(path.split('/')[3]!);
      if (path.endsWith('/draft')) return this.onDraft(body);
      if (path.endsWith('/pictures')) return this.onPicture(body as NewPicture);
      if (path.endsWith('/typing')) return this.onTyping(path.split('/')[3]!);
      if (path.endsWith('/more-time')) return this.onInteraction(path.split('/')[3]!);
      if (path.endsWith('/messages')) return this.onMessage();
      if (path.includes('/events?')) return json(200, { events: [], through: 0, more: false, live: [] });
      if (path === '/api/processes') return json(200, { trees: [] });
      if (path.endsWith('/processes')) return json(200, { processes: [] });
      if (path.startsWith('/api/folders'))
        return json(200, { path: '/', parent: '', branch: '', folders: [], recent: [] });
      if (path === '/api/agents') return json(200, { agents: [], path_source: '', at: 0 });
      if (path === '/api/doctor') return this.onDoctor();
      if (path.endsWith('/fork')) return this.onFork(path.split('/')[3]!);
      if (path === '/api/sessions') return json(200, this.onCreate(body as NewSession));
      if (path === '/api/settings')
        return body ? this.onSettings(body) : json(200, useSettings.getState().settings);
      if (path === '/api/profiles')
        return json(200, { profiles: [{ name: 'default', env: {}, agents: {}, sessions: 0, secrets: [] }] });
      if (path === '/api/approvals') return json(200, { rules: this.rules });
      if (path === '/api/secrets') return json(200, { place: 'keyring', secrets: [] });
      if (path === '/api/about') return json(200, { ...useSettings.getState().about, version: 'test' });
      return json(200, {});
    });
  }

  /** Bodies of the calls to paths that end so. */
  told(end: string): unknown[] {
    return this.calls.filter((c) => c.path.endsWith(end)).map((c) => c.body);
  }

  get answers(): Answer[] {
    return this.told('/answer') as Answer[];
  }
}

export function json(status: number, value: unknown): Response {
  return new Response(JSON.stringify(value), { status });
}

export function accepted(a: Answer): Reply {
  return {
    accepted: true,
    late: false,
    outcome: {
      reason: a.status === 'cancelled' ? 'dismissed' : 'response',
      cause: 'person',
      response: [...(a.selected ?? []), a.text ?? ''].join('\n'),
      selected: a.selected ?? [],
      text: a.text ?? '',
      by: 'browser',
      resolved_at: Date.now(),
    },
  };
}

const stores = [
  useAgents,
  useAnswers,
  useComposer,
  useDoctor,
  useDrafts,
  useHeld,
  useInView,
  useLive,
  useProfiles,
  useSettings,
  useTimelines,
  useView,
];

/** Begins anew: stores, storage and address as at the start, this present, and a back end. */
export function begin(sessions: Session[], interactions: Interaction[]): BackEnd {
  cleanup();
  localStorage.clear();
  window.location.hash = '';
  for (const s of stores as StoreApi<unknown>[]) s.setState(s.getInitialState(), true);
  takeSettings(defaults);
  takeSnapshot({ sessions, interactions, plans: [], version: 'test', at: Date.now() });
  return new BackEnd();
}

export function show(children: ReactNode) {
  return render(children);
}
