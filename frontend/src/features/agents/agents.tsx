import type { Agent } from '../../backend/types.gen.ts';
import { type PlainKey, problemWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { canStart, fixOf, useAgents } from '../../state/agents.ts';
import { useSettings } from '../../state/settings.ts';
import { Command } from '../../ui/command.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { Doctor } from './doctor.tsx';
import { Running } from './running.tsx';

/** Every family: what was found of it, what is wrong with it, and what to do about that. */
export function Agents({ look }: { look: () => void }) {
  const t = useT();
  const { list, looking, error } = useAgents();
  return (
    <main className="main">
      <header className="head">
        <div className="grow">
          <h1>{t('agents.title')}</h1>
        </div>
        <button type="button" className="btn bare" disabled={looking} onClick={look}>
          <Icon name="redo" small />
          {looking ? t('agents.looking') : t('agents.look')}
        </button>
      </header>
      <section className="page" tabIndex={0} aria-label={t('agents.title')}>
        {error && (
          <div className="strip bad page-strip" role="alert">
            <Icon name="warn" />
            <div>{error}</div>
          </div>
        )}
        {list?.problem && (
          <div className="strip plain page-strip">
            <Icon name="warn" />
            <div>{oneLine(list.problem)}</div>
          </div>
        )}
        {!list && looking && <p className="sec">{t('agents.looking')}</p>}
        {list && (
          <table className="tbl inst-t">
            <thead>
              <tr>
                <th>{t('agents.agent')}</th>
                <th>{t('agents.version')}</th>
                <th className="wide-only">{t('agents.program')}</th>
                <th>{t('agents.state')}</th>
              </tr>
            </thead>
            <tbody>
              {list.agents.map((a) => (
                <AgentLine key={a.family} agent={a} />
              ))}
            </tbody>
          </table>
        )}
        {list && <p className="mut note agents-source">{sourceWords(t, list.path_source)}</p>}
        <Doctor />
        <Running />
      </section>
    </main>
  );
}

function sourceWords(t: ReturnType<typeof useT>, source: string): string {
  return source ? t('agents.source', { source: oneLine(source) }) : '';
}

const stateKeys: Record<Agent['state'], PlainKey> = {
  ready: 'agent.ready',
  login_unknown: 'agent.loginUnknown',
  not_logged_in: 'agent.notLoggedIn',
  too_old: 'agent.tooOld',
  broken: 'agent.broken',
  not_found: 'agent.notFound',
};

function AgentLine({ agent: a }: { agent: Agent }) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const good = canStart(a);
  const missing = a.state === 'not_found';
  const words = a.problem && problemWords(a.problem);
  const command = good ? (a.problem?.command ?? '') : fixOf(a);
  // A usable agent's problem stands below its state; an unusable one's is its state.
  const below = [good && words?.title, words?.original, words?.advice].filter(Boolean).join(' ');
  return (
    <tr>
      <td>
        <span className="row">
          <Mark family={a.family} />
          <span>{a.name}</span>
        </span>
      </td>
      <td>{a.version}</td>
      <td className="p wide-only">{shortPath(a.path, home)}</td>
      <td>
        <span className={good ? 'state ok' : missing ? 'state idle' : 'state bad'}>
          <State name={good ? 'ok' : missing ? 'idle' : 'bad'} />
          <span>{!good && !missing && words ? oneLine(words.title) : t(stateKeys[a.state])}</span>
        </span>
        {(below || command) && (
          <div className="fix">
            {below && <span>{oneLine(below)}</span>}
            {command && <Command text={command} />}
          </div>
        )}
      </td>
    </tr>
  );
}
