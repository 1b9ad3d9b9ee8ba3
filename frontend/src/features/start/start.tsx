import { useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Agent, NewSession, Session } from '../../backend/types.gen.ts';
import { errorWords, type PlainKey, problemWords, type T, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { canStart, effortsOf, fixOf, useAgents } from '../../state/agents.ts';
import { composerText, setComposerText, useComposer } from '../../state/composer.ts';
import { handOver, hold, letGo, shownHeld, useHeld } from '../../state/held.ts';
import { takeSession, useLive } from '../../state/live.ts';
import { usePictures } from '../../state/pictures.ts';
import { go } from '../../state/route.ts';
import { useSettings } from '../../state/settings.ts';
import { Coded } from '../../ui/bits.tsx';
import { Command } from '../../ui/command.tsx';
import { useGrow } from '../../ui/grow.ts';
import { Icon, State, type StateName } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { Mark } from '../../ui/mark.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ModeMenu } from '../../ui/modes.tsx';
import { AddPicture, Thumbs } from '../../ui/thumbs.tsx';
import { Folders, useFolder } from './folders.tsx';
import { StartProfile } from './profile.tsx';

/** The page for a new session; on the first run it is all there is. */
export function Start({ look }: { look: () => void }) {
  const t = useT();
  const first = useLive((s) => s.known && Object.keys(s.sessions).length === 0);
  const others = useLive((s) => Object.values(s.sessions).some((v) => v.agent !== 'demo'));
  return (
    <main className="main start-page" tabIndex={-1}>
      <div className="fr">
        <StartProblems />
        <section>
          <div className="fr-lead">
            <h1>{first || !others ? t('start.first') : t('start.new')}</h1>
            {!others && <p className="lead">{t('start.lead')}</p>}
          </div>
          {!others && <DemoBox />}
        </section>
        <section>
          {!others && <h2 className="h2">{t('start.orWork')}</h2>}
          <NewSessionForm />
        </section>
        <section>
          <AgentsHere look={look} />
        </section>
        {others && (
          <section>
            <DemoBox />
          </section>
        )}
      </div>
    </main>
  );
}

/** What was wrong when the back end came up, such as a damaged record that was kept aside. */
function StartProblems() {
  const problems = useSettings((s) => s.about.problems);
  if (!problems?.length) return null;
  return (
    <section className="start-problems" role="alert">
      {problems.map((p) => (
        <p key={p} className="note">
          <Icon name="warn" />
          <span>{oneLine(p)}</span>
        </p>
      ))}
    </section>
  );
}

/** Starts the demo: ready at once, without an account. */
export function DemoBox() {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const start = async () => {
    setBusy(true);
    setError('');
    try {
      const session = await api.createSession({ agent: 'demo', cwd: '', prompt: t('start.demoPrompt') });
      takeSession(session);
      go({ page: 'session', id: session.id });
    } catch (e) {
      setError(errorWords(e, t('start.notStarted')));
      setBusy(false);
    }
  };
  return (
    <div className="demo">
      <Mark family="demo" />
      <b>{t('start.demo')}</b>
      <p className="sec note">{error || t('start.demoNote')}</p>
      <button type="button" className="btn solid" disabled={busy} onClick={() => void start()}>
        {t('start.demoButton')}
      </button>
    </div>
  );
}

/** After the demo: what it was, in three lines. end is what came of its question. */
export function WhatHappened({ end }: { end: PlainKey }) {
  const t = useT();
  return (
    <div className="after">
      <h2 className="h2">{t('after.title')}</h2>
      <ul>
        <li>
          <Icon name="form" />
          <span>{t('after.asked')}</span>
        </li>
        <li>
          <Icon name="send" />
          <span>
            <Coded text={t(end)} />
          </span>
        </li>
        <li>
          <Icon name="inbox" />
          <span>{t('after.inbox')}</span>
        </li>
      </ul>
    </div>
  );
}

function NewSessionForm() {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useAgents((s) => s.list);
  const { settings, about } = useSettings();
  const prompt = useComposer((c) => composerText(c.texts, 'new'));
  const [family, setFamily] = useState('');
  const [model, setModel] = useState('');
  const [effort, setEffort] = useState('');
  const [mode, setMode] = useState('');
  const [profile, setProfile] = useState('default');
  const [picking, setPicking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const folder = useFolder();
  useGrow(field, prompt, 0.4);

  const usable = (list?.agents ?? []).filter((a) => canStart(a) && a.family !== 'demo');
  const agent =
    usable.find((a) => a.family === family) ??
    usable.find((a) => a.family === settings.default_agent) ??
    usable[0];
  const chosenMode = mode || settings.default_mode || 'ask';
  const held = useHeld((h) => h.list);
  const pictures = usePictures(
    'new',
    held.length,
    (_, p) => Promise.resolve(hold(p)),
    () => {},
  );
  const said = prompt.trim() !== '' || held.length > 0;
  const ready = agent !== undefined && folder.path !== '' && said && pictures.busy === 0 && !busy;

  const start = async () => {
    if (!ready || !agent) return;
    setBusy(true);
    setError('');
    const made = { agent: agent.family, cwd: folder.path, model, effort, profile, mode: chosenMode };
    const text = prompt.trim();
    try {
      const session =
        held.length > 0 ? await withPictures(made, text) : await api.createSession({ ...made, prompt: text });
      setComposerText('new', '');
      for (const h of held) letGo(h.key);
      takeSession(session);
      go({ page: 'session', id: session.id });
    } catch (e) {
      setError(errorWords(e, t('start.notStarted')));
      setBusy(false);
    }
  };

  return (
    <>
      <div className="start" {...pictures.on}>
        <textarea
          ref={field}
          className="ta"
          dir="auto"
          rows={3}
          value={prompt}
          placeholder={t('start.prompt')}
          aria-label={t('start.promptLabel')}
          data-home-focus=""
          onChange={(e) => setComposerText('new', e.target.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && !composing(e) && !e.repeat) {
              e.preventDefault();
              void start();
            }
          }}
        />
        <Thumbs pictures={shownHeld(held)} busy={pictures.busy} error={pictures.error} remove={letGo} />
        <div className="bar">
          <button
            type="button"
            className="pick pick-folder"
            title={t('folder.choose')}
            onClick={() => setPicking(true)}
          >
            <Icon name="folder" />
            <span className="pick-strong trunc">
              {folder.path ? shortPath(folder.path, about.home) : t('folder.choose')}
            </span>
            {folder.branch && (
              <>
                <Icon name="branch" />
                <span className="trunc">{oneLine(folder.branch)}</span>
              </>
            )}
            <Icon name="down" />
          </button>
          <AgentMenu agents={list?.agents ?? []} chosen={agent} choose={setFamily} />
          {agent && <StartModel agent={agent} model={model} choose={setModel} />}
          {agent && <StartEffort agent={agent} model={model} effort={effort} choose={setEffort} />}
          <StartProfile profile={profile} choose={setProfile} />
          {agent && <ModeMenu className="pick" mode={chosenMode} modes={agent.modes} choose={setMode} />}
          <span className="start-end">
            <AddPicture add={pictures.add} />
            <button
              type="button"
              className={ready ? 'btn solid' : 'btn'}
              aria-disabled={!ready || undefined}
              title={t('start.startKey')}
              onClick={() => void start()}
            >
              {t('start.start')}
            </button>
          </span>
        </div>
      </div>
      {chosenMode === 'full' && (
        <p className="start-full">
          <Icon name="warn" small />
          {about.root ? t('mode.fullRoot') : t('mode.fullWarning')}
        </p>
      )}
      {error && (
        <div className="strip bad start-error" role="alert">
          <Icon name="warn" />
          <div>{error}</div>
        </div>
      )}
      {picking && <Folders at={folder.path} choose={folder.choose} close={() => setPicking(false)} />}
    </>
  );
}

/**
 * Makes a session, gives it the pictures and sends the first message with them.
 * What fails leaves no empty session behind: the page still has all of it.
 */
async function withPictures(made: NewSession, text: string): Promise<Session> {
  const session = await api.createSession(made);
  try {
    const attachments = await handOver((p) => api.savePicture(session.id, p));
    await api.send(session.id, { text, attachments });
  } catch (e) {
    await api.deleteSession(session.id).catch(() => {}); // the cause is what matters
    throw e;
  }
  return session;
}

function AgentMenu({
  agents,
  chosen,
  choose,
}: {
  agents: readonly Agent[];
  chosen: Agent | undefined;
  choose: (f: string) => void;
}) {
  const t = useT();
  const items = agents
    .filter((a) => a.family !== 'demo')
    .map((a) => ({
      id: a.family,
      label: a.name,
      note: canStart(a) ? a.version : t(stateWords(a)),
      checked: a === chosen,
      disabled: !canStart(a),
    }));
  return (
    <Menu
      className="pick"
      title={t('start.agent')}
      items={items}
      choose={choose}
      disabled={items.length === 0}
    >
      {chosen?.name ?? t('start.noAgent')}
      <Icon name="down" />
    </Menu>
  );
}

function StartModel({ agent, model, choose }: { agent: Agent; model: string; choose: (m: string) => void }) {
  const t = useT();
  // A model belongs to its agent.
  // biome-ignore lint/correctness/useExhaustiveDependencies: choose only sets state
  useEffect(() => choose(''), [agent.family]);
  if (agent.models.length === 0) return null;
  const items = [
    { id: '', label: t('composer.ownModel'), checked: model === '' },
    ...agent.models.map((m) => ({ id: m.id, label: m.name || m.id, checked: m.id === model })),
  ];
  return (
    <Menu className="pick" title={t('composer.model')} items={items} choose={choose}>
      {agent.models.find((m) => m.id === model)?.name || t('composer.ownModel')}
      <Icon name="down" />
    </Menu>
  );
}

interface EffortProps {
  agent: Agent;
  model: string;
  effort: string;
  choose: (e: string) => void;
}

function StartEffort({ agent, model, effort, choose }: EffortProps) {
  const t = useT();
  // An effort belongs to its agent and model.
  // biome-ignore lint/correctness/useExhaustiveDependencies: choose only sets state
  useEffect(() => choose(''), [agent.family, model]);
  const efforts = effortsOf(agent, model);
  if (efforts.length === 0) return null;
  const items = [
    { id: '', label: t('composer.ownEffort'), checked: effort === '' },
    ...efforts.map((e) => ({ id: e, label: e, checked: e === effort })),
  ];
  return (
    <Menu className="pick" title={t('composer.effort')} items={items} choose={choose}>
      {effort || t('composer.ownEffort')}
      <Icon name="down" />
    </Menu>
  );
}

function stateWords(a: Agent): PlainKey {
  switch (a.state) {
    case 'ready':
      return 'agent.ready';
    case 'login_unknown':
      return 'agent.loginUnknown';
    case 'not_logged_in':
      return 'agent.notLoggedIn';
    case 'too_old':
      return 'agent.tooOld';
    case 'broken':
      return 'agent.broken';
    case 'not_found':
      return 'agent.notFound';
  }
}

function stateMark(a: Agent): StateName {
  if (canStart(a)) return 'ok';
  return a.state === 'not_found' ? 'idle' : 'bad';
}

/** What to say about an agent: its problem where it has one, else its state. */
export function agentWords(t: T, a: Agent): string {
  return a.problem && a.state !== 'not_found' ? oneLine(problemWords(a.problem).title) : t(stateWords(a));
}

function AgentsHere({ look }: { look: () => void }) {
  const t = useT();
  const { list, looking, error } = useAgents();
  return (
    <>
      <div className="row row-apart">
        <h2 className="h2">{t('start.agentsHere')}</h2>
        <button type="button" className="btn bare sm look" disabled={looking} onClick={look}>
          <Icon name="redo" small />
          {looking ? t('agents.looking') : t('agents.look')}
        </button>
      </div>
      {error && <p className="notice error">{error}</p>}
      <ul className="list">
        {(list?.agents ?? [])
          .filter((a) => a.family !== 'demo')
          .map((a) => (
            <li key={a.family} className="inst">
              <Mark family={a.family} />
              <span>{a.name}</span>
              <span className="v trunc" title={a.version}>
                {a.version}
              </span>
              <span className="inst-state">
                <span
                  className={canStart(a) ? 'state ok' : a.state === 'not_found' ? 'state idle' : 'state bad'}
                >
                  <State name={stateMark(a)} />
                  <span className="inst-words">{agentWords(t, a)}</span>
                </span>
                {!canStart(a) && fixOf(a) && <Command text={fixOf(a)} />}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}
