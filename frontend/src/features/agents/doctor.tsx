import { useEffect } from 'react';
import { api } from '../../backend/client.ts';
import type { DoctorAgent, DoctorReport } from '../../backend/types.gen.ts';
import { errorWords, findingWords, type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { neutral, oneLine } from '../../lib/text.ts';
import { dayName, duration, running } from '../../lib/time.ts';
import { useAgents } from '../../state/agents.ts';
import { setDoctorFailed, takeReport, useDoctor } from '../../state/doctor.ts';
import { go } from '../../state/route.ts';
import { Coded } from '../../ui/bits.tsx';
import { Command } from '../../ui/command.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { type Cell, cellOf, checks, figure, type Said, sayings } from './doctor.logic.ts';

const lookEveryMS = 500;

/** Asks for the report, and again and again while a run goes on. */
function useReport(): { act: (call: Promise<DoctorReport>) => void } {
  const t = useT();
  const going = useDoctor((s) => s.report?.running ?? false);
  const act = (call: Promise<DoctorReport>) => {
    call.then(takeReport, (e) => setDoctorFailed(errorWords(e, t('common.offline'))));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: act is made anew with each render and does the same
  useEffect(() => {
    act(api.doctor());
    if (!going) return;
    const timer = setInterval(() => act(api.doctor()), lookEveryMS);
    return () => clearInterval(timer);
  }, [going]);
  return { act };
}

/** What agents really do with Parley's tools, measured. */
export function Doctor() {
  const t = useT();
  const { report, error } = useDoctor();
  const { act } = useReport();
  if (!report && !error) return null;
  const tried = report?.agents ?? [];
  return (
    <section className="doctor" aria-label={t('doctor.title')}>
      <div className="doctor-head">
        <div className="grow">
          <h2 className="h2">{t('doctor.title')}</h2>
          {report && tried.length > 0 && <When report={report} />}
        </div>
        {report?.running ? (
          <button type="button" className="btn" onClick={() => act(api.stopDoctor())}>
            {t('doctor.stop')}
          </button>
        ) : (
          <button type="button" className="btn" onClick={() => act(api.startDoctor([]))}>
            {t(tried.length ? 'doctor.again' : 'doctor.run')}
          </button>
        )}
      </div>
      {error && (
        <div className="strip bad page-strip" role="alert">
          <Icon name="warn" />
          <div>{error}</div>
        </div>
      )}
      {tried.length === 0 && <p className="sec lead">{t('doctor.what')}</p>}
      {report && !report.running && report.changed.length > 0 && <Changed report={report} act={act} />}
      {tried.length > 0 && (
        <table className="tbl doc">
          <thead>
            <tr>
              <th>{t('agents.agent')}</th>
              {checks.map((c) => (
                <th key={c}>{t(`doctor.${c}`)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tried.map((a) => (
              <Tried key={a.family} agent={a} />
            ))}
          </tbody>
        </table>
      )}
      {report && <Sayings report={report} />}
    </section>
  );
}

function When({ report }: { report: DoctorReport }) {
  const t = useT();
  if (report.running)
    return (
      <span className="mut doctor-when">{t('doctor.trying', { time: running(t, report.duration_ms) })}</span>
    );
  const language = document.documentElement.lang || 'en';
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return (
    <span className="mut doctor-when">
      {t('doctor.tried', {
        day: dayName(t, report.started_at, Date.now(), language),
        time: time.format(report.started_at),
        duration: duration(t, report.duration_ms),
      })}
    </span>
  );
}

/** Another version is installed than was tried: what was found may hold no longer. */
function Changed({ report, act }: { report: DoctorReport; act: (call: Promise<DoctorReport>) => void }) {
  const t = useT();
  const names = report.agents.filter((a) => report.changed.includes(a.family)).map((a) => oneLine(a.name));
  return (
    <div className="strip plain page-strip doctor-changed">
      <Icon name="redo" />
      <div className="grow">{t('doctor.changed', { names: names.join(', ') })}</div>
      <button type="button" className="btn" onClick={() => act(api.startDoctor(report.changed))}>
        {t('doctor.tryChanged')}
      </button>
    </div>
  );
}

function Tried({ agent: a }: { agent: DoctorAgent }) {
  const t = useT();
  const now = useAgents((s) => s.list?.agents.find((i) => i.family === a.family));
  return (
    <tr>
      <td>
        <span className="row">
          <Mark family={a.family} />
          <span>{oneLine(a.name)}</span>
          {now && now.version !== a.version && <span className="mut">{a.version}</span>}
        </span>
      </td>
      {checks.map((c) => (
        <td key={c} data-label={t(`doctor.${c}`)}>
          <CheckCell cell={cellOf(a, c)} />
        </td>
      ))}
    </tr>
  );
}

const looks = { passed: 'm', warning: 'm warn', failed: 'm bad', not_tried: 'm mut' } as const;
const idle: Record<'now' | 'coming' | 'none', PlainKey> = {
  now: 'doctor.now',
  coming: 'doctor.queued',
  none: 'doctor.notTried',
};

function CheckCell({ cell }: { cell: Cell }) {
  const t = useT();
  if (cell.kind !== 'done')
    return (
      <span className="m mut">
        {cell.kind === 'now' && <State name="run" />}
        {t(idle[cell.kind])}
      </span>
    );
  const r = cell.result;
  const tip = r.tried_limit_ms
    ? t('doctor.limitTried', {
        limit: duration(t, r.tried_limit_ms),
        time: duration(t, r.tried_ms),
      })
    : undefined;
  return (
    <span className={looks[r.state]} title={tip}>
      {r.state === 'passed' && <State name="ok" />}
      {r.state === 'failed' && <State name="bad" />}
      {r.state === 'warning' && <Icon name="warn" small />}
      {figure(t, r)}
    </span>
  );
}

function Sayings({ report }: { report: DoctorReport }) {
  const all = sayings(report);
  if (all.length === 0) return null;
  return (
    <ul className="doctor-said">
      {all.map((s) => (
        <Saying key={`${s.agent.family} ${s.finding.code}`} said={s} />
      ))}
    </ul>
  );
}

function Saying({ said: { agent, result, finding: f } }: { said: Said }) {
  const t = useT();
  const text = findingWords(f, {
    name: oneLine(agent.name),
    time: duration(t, f.ms),
    limit: duration(t, f.limit_ms),
  });
  return (
    <li>
      <span className={looks[result.state]}>
        {result.state === 'failed' ? (
          <State name="bad" />
        ) : (
          <Icon name={result.state === 'warning' ? 'warn' : 'info'} small />
        )}
      </span>
      <div>
        <span className="sec">
          <Coded
            text={oneLine([text, f.line ? t('doctor.line', { n: f.line }) : ''].filter(Boolean).join(' '))}
          />
        </span>{' '}
        {f.command && <Command text={f.command} />}
        {f.code === 'waits_override' && (
          <button type="button" className="link" onClick={() => go({ page: 'mcp', id: '' })}>
            {t('doctor.show')}
          </button>
        )}
        {f.detail && (
          <details>
            <summary>{t('doctor.detail')}</summary>
            <pre>{neutral(f.detail)}</pre>
          </details>
        )}
      </div>
    </li>
  );
}
