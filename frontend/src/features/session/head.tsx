import { useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Session } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath, tailPath } from '../../lib/text.ts';
import { running } from '../../lib/time.ts';
import { useAgentName, useAgents } from '../../state/agents.ts';
import { useServerNow } from '../../state/clock.ts';
import { waitingIn } from '../../state/live.reducer.ts';
import { takeSession, useLive } from '../../state/live.ts';
import { go } from '../../state/route.ts';
import { useSettings } from '../../state/settings.ts';
import { useTimelines } from '../../state/timelines.ts';
import { askToFind, toggleSide, useView } from '../../state/view.ts';
import { Coded, Line } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon, State, type StateName } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { Mark } from '../../ui/mark.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';

/** Title, agent, folder and branch, and what the session is doing. */
export function SessionHead({ session }: { session: Session }) {
  const t = useT();
  const { name } = useAgentName(session.agent);
  const home = useSettings((s) => s.about.home);
  const side = useView((v) => v.side);
  return (
    <header className="head">
      <a className="btn icon phone-back" href="#/sessions" title={t('common.back')}>
        <Icon name="left" />
      </a>
      <div className="grow">
        <h1 className="trunc" dir="auto">
          <Coded text={oneLine(session.title)} />
        </h1>
        <div className="sub">
          <Mark family={session.agent} />
          <span className="sub-name">{name}</span>
          <span aria-hidden="true">·</span>
          <Icon name="folder" />
          <span className="trunc" title={oneLine(session.cwd)}>
            {tailPath(shortPath(session.cwd, home), 48)}
          </span>
          {session.branch && (
            <>
              <Icon name="branch" />
              <span className="trunc">
                <Line text={session.branch} />
              </span>
            </>
          )}
        </div>
      </div>
      <StateWords session={session} />
      <div className="head-tools">
        <button type="button" className="btn icon" title={t('find.openKey')} onClick={askToFind}>
          <Icon name="search" />
        </button>
        <button
          type="button"
          className="btn icon side-button"
          title={t('side.toggle')}
          aria-pressed={side}
          onClick={toggleSide}
        >
          <Icon name="panel" />
        </button>
        <More session={session} />
      </div>
    </header>
  );
}

function StateWords({ session }: { session: Session }) {
  const t = useT();
  const now = useServerNow();
  const waits = useLive((s) => waitingIn(s, session.id)[0]?.requested_at ?? 0);
  const started = useTimelines((s) => {
    const turn = s.opened[session.id]?.turns.at(-1);
    return turn && !turn.end ? turn.startedAt : 0;
  });
  if (waits) {
    return <Words name="wait" kind="wait" text={t('session.waiting', { time: running(t, now - waits) })} />;
  }
  switch (session.state) {
    case 'starting':
      return <Words name="run" kind="run" text={t('session.startingShort')} />;
    case 'stopping':
      return <Words name="run" kind="run" text={t('session.stopping')} />;
    case 'running':
    case 'waiting':
      return (
        <Words
          name="run"
          kind="run"
          text={started ? t('session.running', { time: running(t, now - started) }) : t('state.run')}
        />
      );
    case 'idle':
      if (session.closed) return <Words name="off" kind="idle" text={t('session.closed')} />;
      if (session.last_status === 'failed') return <Words name="bad" kind="bad" text={t('session.failed')} />;
      if (session.last_status === 'interrupted')
        return <Words name="halt" kind="idle" text={t('session.stopped')} />;
      if (session.last_status === 'completed')
        return <Words name="ok" kind="idle calm" text={t('session.done')} />;
      return <Words name="idle" kind="idle" text={t('session.idle')} />;
  }
}

function Words({ name, kind, text }: { name: StateName; kind: string; text: string }) {
  return (
    <span className={`state ${kind}`}>
      <State name={name} />
      <span>{text}</span>
    </span>
  );
}

function More({ session }: { session: Session }) {
  const t = useT();
  const [dialog, setDialog] = useState<'' | 'rename' | 'delete'>('');
  const [error, setError] = useState('');
  const agent = useAgents((s) => s.list?.agents.find((a) => a.family === session.agent));
  const items: MenuItem[] = [{ id: 'rename', label: t('session.rename') }];
  if (session.live) items.push({ id: 'close', label: t('session.close'), note: t('session.closeNote') });
  else if (agent?.can_resume && session.native_id) items.push({ id: 'resume', label: t('session.resume') });
  if (agent?.can_fork && session.native_id) {
    const busy = session.state !== 'idle';
    items.push({
      id: 'fork',
      label: t('session.fork'),
      note: t(busy ? 'session.forkBusy' : 'session.forkNote'),
      disabled: busy,
    });
  }
  items.push({ id: 'delete', label: t('session.delete'), danger: true });

  const run = async (call: () => Promise<Session>) => {
    try {
      const s = await call();
      takeSession(s);
      if (s.id !== session.id) go({ page: 'session', id: s.id });
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };
  const choose = (id: string) => {
    if (id === 'rename' || id === 'delete') setDialog(id);
    else if (id === 'close') void run(() => api.close(session.id));
    else if (id === 'resume') void run(() => api.resume(session.id));
    else if (id === 'fork') void run(() => api.fork(session.id));
  };
  return (
    <>
      <Menu className="btn icon" title={t('common.more')} items={items} choose={choose} align="right">
        <Icon name="more" />
      </Menu>
      {dialog === 'rename' && <Rename session={session} close={() => setDialog('')} />}
      {dialog === 'delete' && <Delete session={session} close={() => setDialog('')} />}
      {error && (
        <Dialog title={t('session.notDone')} close={() => setError('')}>
          <p>{error}</p>
        </Dialog>
      )}
    </>
  );
}

function Rename({ session, close }: { session: Session; close: () => void }) {
  const t = useT();
  const [title, setTitle] = useState(session.title);
  const [error, setError] = useState('');
  const save = async () => {
    try {
      takeSession(await api.changeSession(session.id, { title: title.trim() }));
      close();
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };
  return (
    <Dialog
      title={t('session.rename')}
      close={close}
      foot={
        <>
          <button type="button" className="btn" onClick={close}>
            {t('common.cancel')}
          </button>
          <button type="button" className="btn solid" disabled={!title.trim()} onClick={() => void save()}>
            {t('common.save')}
          </button>
        </>
      }
    >
      <input
        className="field"
        value={title}
        aria-label={t('session.title')}
        onChange={(e) => setTitle(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && !composing(e) && !e.repeat && title.trim()) void save();
        }}
      />
      {error && <p className="help bad">{error}</p>}
    </Dialog>
  );
}

function Delete({ session, close }: { session: Session; close: () => void }) {
  const t = useT();
  const [error, setError] = useState('');
  const remove = async () => {
    try {
      await api.deleteSession(session.id);
      close();
      go({ page: 'start' });
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };
  return (
    <Dialog
      title={t('session.deleteTitle')}
      close={close}
      foot={
        <>
          <button type="button" className="btn" onClick={close}>
            {t('common.cancel')}
          </button>
          <button type="button" className="btn risk" onClick={() => void remove()}>
            {t('session.delete')}
          </button>
        </>
      }
    >
      <p className="sec">{t('session.deleteWords', { title: oneLine(session.title) })}</p>
      {error && <p className="help bad">{error}</p>}
    </Dialog>
  );
}
