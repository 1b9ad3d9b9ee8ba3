import { useMemo, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { FileChanged, Process, Session } from '../../backend/types.gen.ts';
import { tokens } from '../../lib/bytes.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { oneLine, splitPath } from '../../lib/text.ts';
import { duration } from '../../lib/time.ts';
import { waitingIn } from '../../state/live.reducer.ts';
import { useLive } from '../../state/live.ts';
import { useTimelines } from '../../state/timelines.ts';
import { setOpen, useView } from '../../state/view.ts';
import { Icon } from '../../ui/icon.tsx';
import { ProcessRows, useProcesses } from '../../ui/processes.tsx';
import { PlanCount, PlanSteps } from './plan.tsx';
import { changedFiles, changedLines, ownTurns, workedAndWaited } from './rows.logic.ts';
import { FileDiff, PlusMinus } from './tool.tsx';

const nothing: never[] = [];

/** What a session adds up to: its plan, the files it changed, what it used, what it runs. */
export function Side({ session }: { session: Session }) {
  const t = useT();
  return (
    <aside className="side" aria-label={t('side.title')} tabIndex={0}>
      <PlanSection session={session} />
      <FilesSection session={session} />
      <UsageSection session={session} />
      <ProcessSection session={session} />
    </aside>
  );
}

function PlanSection({ session }: { session: Session }) {
  const t = useT();
  const plan = useLive((s) => s.plans[session.id]);
  const waits = useLive((s) => waitingIn(s, session.id).length > 0);
  if (!plan || plan.plan.length === 0) return null;
  return (
    <section className="sp">
      <h2>
        <span>{t('plan.title')}</span>
        <span className="m">
          <PlanCount plan={plan} />
        </span>
      </h2>
      <PlanSteps plan={plan} waits={waits} />
    </section>
  );
}

function FilesSection({ session }: { session: Session }) {
  const t = useT();
  const turns = useTimelines((s) => s.opened[session.id]?.turns ?? nothing);
  const files = useMemo(() => changedFiles(ownTurns(turns)), [turns]);
  if (files.length === 0) return null;
  return (
    <section className="sp">
      <h2>
        <span>{t('side.files')}</span>
        <PlusMinus {...changedLines(files)} />
      </h2>
      {files.map((f) => (
        <ChangedFile key={f.path} file={f} session={session.id} />
      ))}
    </section>
  );
}

const letters = { added: 'A', modified: 'M', deleted: 'D' } as const;

function ChangedFile({ file, session }: { file: FileChanged; session: string }) {
  const t = useT();
  const key = `side/${session}/${file.path}`;
  const open = useView((v) => v.open[key] ?? false);
  const { folder, name } = splitPath(file.path);
  return (
    <>
      <button
        type="button"
        className="cf"
        aria-expanded={open}
        title={oneLine(file.path)}
        onClick={() => setOpen(key, !open)}
      >
        <span className="k" title={t(`file.${file.change}`)}>
          {letters[file.change]}
        </span>
        <span className="p">
          <i className="trunc">{folder}</i>
          <span className="trunc">{name}</span>
        </span>
        <PlusMinus added={file.added} removed={file.removed} />
      </button>
      {open && <FileDiff file={file} />}
    </>
  );
}

function UsageSection({ session }: { session: Session }) {
  const t = useT();
  const usage = useTimelines((s) => s.opened[session.id]?.usage ?? null);
  const turns = useTimelines((s) => s.opened[session.id]?.turns ?? nothing);
  const { workedMS, waitedMS } = useMemo(() => workedAndWaited(ownTurns(turns)), [turns]);
  if (!usage && workedMS === 0) return null;
  const known = (n: number | null) => (n === null ? '–' : tokens(n));
  return (
    <section className="sp">
      <h2>
        <span>{t('side.usage')}</span>
        <span className="m">{t('side.thisSession')}</span>
      </h2>
      {usage && usage.context_used !== null && (
        <>
          <div className="kv">
            <span>{t('side.context')}</span>
            <b>
              {known(usage.context_used)}
              {usage.context_window !== null && ` / ${tokens(usage.context_window)}`}
            </b>
          </div>
          {usage.context_window ? (
            <div className="meter">
              <i style={{ width: `${Math.min(100, (usage.context_used / usage.context_window) * 100)}%` }} />
            </div>
          ) : null}
        </>
      )}
      {usage && (usage.input_tokens !== null || usage.output_tokens !== null) && (
        <div className="kv">
          <span>{t('side.tokens')}</span>
          <b>{t('side.tokensValue', { in: known(usage.input_tokens), out: known(usage.output_tokens) })}</b>
        </div>
      )}
      {usage && usage.cost_usd !== null && (
        <div className="kv">
          <span>{t('side.cost')}</span>
          <b>${usage.cost_usd.toFixed(2)}</b>
        </div>
      )}
      {workedMS > 0 && (
        <div className="kv">
          <span>{t('side.worked')}</span>
          <b>{t('side.workedValue', { worked: duration(t, workedMS), waited: duration(t, waitedMS) })}</b>
        </div>
      )}
    </section>
  );
}

const noProcesses: Process[] = [];

function ProcessSection({ session }: { session: Session }) {
  const t = useT();
  const [open, setOpenHere] = useState(true);
  const look = () => api.processes(session.id).then((l) => l.processes);
  const list = useProcesses(open && session.live, noProcesses, look, session.id);
  if (!session.live) return null;
  return (
    <section className="sp">
      <h2>
        <button type="button" className="sp-fold" aria-expanded={open} onClick={() => setOpenHere(!open)}>
          {t('side.processes')}
          <Icon name={open ? 'down' : 'right'} small />
        </button>
        <span className="m">{open && list.length > 0 ? t('side.processCount', { n: list.length }) : ''}</span>
      </h2>
      <ProcessRows list={list} />
    </section>
  );
}
