import { memo } from 'react';
import { api } from '../../backend/client.ts';
import type { Interaction, Problem } from '../../backend/types.gen.ts';
import { problemWords, useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { neutral, oneLine } from '../../lib/text.ts';
import { clockTime, duration } from '../../lib/time.ts';
import { serverNow } from '../../state/clock.ts';
import { useLive } from '../../state/live.ts';
import { shownOf } from '../../state/pictures.ts';
import { href } from '../../state/route.ts';
import { setOpen, useView } from '../../state/view.ts';
import { Paragraphs } from '../../ui/bits.tsx';
import { Command } from '../../ui/command.tsx';
import { Icon, State } from '../../ui/icon.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Thumbs } from '../../ui/thumbs.tsx';
import { PlanLine } from './plan.tsx';
import type { Row } from './rows.logic.ts';
import { FileDiff, PlusMinus, RunRow, ToolRow } from './tool.tsx';

interface Props {
  row: Row;
  session: string;
  progress: Readonly<Record<string, string>>;
  /** A question in its place: the quiet line, or where its card is. */
  renderQuestion: (i: Interaction) => React.ReactNode;
}

/** One row of a timeline. */
export const RowView = memo(function RowView({ row, session, progress, renderQuestion }: Props) {
  switch (row.kind) {
    case 'mine':
      return <Mine row={row} session={session} />;
    case 'prose':
      return (
        <>
          <Prose text={row.text} live={row.live} />
          {row.partial && <CutOff />}
        </>
      );
    case 'think':
      return <Think row={row} />;
    case 'tool':
      return (
        <ToolRow
          tool={row.tool}
          rowKey={row.key}
          progress={progress[row.tool.id] ?? ''}
          insideCount={row.children.length}
          inside={
            row.children.length > 0
              ? row.children.map((c) => (
                  <RowView
                    key={c.key}
                    row={c}
                    session={session}
                    progress={progress}
                    renderQuestion={renderQuestion}
                  />
                ))
              : undefined
          }
        />
      );
    case 'run':
      return <RunRow tools={row.tools} rowKey={row.key} />;
    case 'file':
      return <FileRow row={row} />;
    case 'question':
      return <>{renderQuestion(row.part.interaction)}</>;
    case 'plan':
      return <PlanLine plan={row.part.plan} rowKey={row.key} />;
    case 'notice':
      return <NoticeRow row={row} />;
    case 'exit':
      return <ExitRow row={row} />;
    case 'end':
      return <EndRow row={row} />;
    case 'fork':
      return <Origin id={row.origin} />;
  }
});

/** Parts what was said in the session that this one is a copy of from what was said since. */
function Origin({ id }: { id: string }) {
  const t = useT();
  const title = useLive((s) => s.sessions[id]?.title);
  if (title === undefined) return <p className="tl-origin sec">{t('session.forkedFromGone')}</p>;
  return (
    <p className="tl-origin sec">
      <a href={href({ page: 'session', id })}>{t('session.forkedFrom', { title: oneLine(title) })}</a>
    </p>
  );
}

type Of<K extends Row['kind']> = { row: Extract<Row, { kind: K }> };

function Mine({ row, session }: Of<'mine'> & { session: string }) {
  const t = useT();
  const pictures = shownOf(session, row.files, api.pictureURL);
  const others = row.files.length - pictures.length;
  const long = row.text.length > 2400;
  const open = useView((v) => v.open[row.key] ?? !long);
  return (
    <div className="mine">
      {row.late && (
        <div className="mine-late">
          <Icon name="clock" small />
          {t('turn.late')}
        </div>
      )}
      {row.text && <Paragraphs text={open ? row.text : `${row.text.slice(0, 1200)}…`} />}
      <Thumbs pictures={pictures} />
      {others > 0 && <div className="mine-late">{t('turn.files', { n: others })}</div>}
      {long && (
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(row.key, !open)}>
          {open ? t('common.less') : t('common.all')}
        </button>
      )}
    </div>
  );
}

function Think({ row }: Of<'think'>) {
  const t = useT();
  const open = useView((v) => v.open[row.key] ?? false);
  const words = row.live
    ? t('think.now')
    : row.durationMS >= 1000
      ? t('think.for', { time: duration(t, row.durationMS) })
      : t('think.done');
  return (
    <div className="think-box">
      <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(row.key, !open)}>
        <Icon name={open ? 'down' : 'right'} small />
        <span>{words}</span>
        {row.live && !open && (
          <span className="trunc think-now" dir="auto">
            {oneLine(row.text.slice(-160))}
          </span>
        )}
      </button>
      {open && (
        <div className="think-text" dir="auto">
          {neutral(row.text).trim()}
        </div>
      )}
    </div>
  );
}

function CutOff() {
  const t = useT();
  return <p className="mut note cut-off">{t('turn.cutOff')}</p>;
}

function FileRow({ row }: Of<'file'>) {
  const t = useT();
  const open = useView((v) => v.open[row.key] ?? false);
  const { file } = row;
  const verb =
    file.change === 'added' ? 'tool.wrote' : file.change === 'deleted' ? 'tool.deleted' : 'tool.edited';
  return (
    <div className="tool-box" data-open={open || undefined}>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(row.key, !open)}>
        <Icon name={file.change === 'modified' ? 'pencil' : 'file'} />
        <span>{t(verb)}</span>
        <span className="arg path">
          <bdi>{oneLine(file.path)}</bdi>
        </span>
        <PlusMinus added={file.added} removed={file.removed} />
        <span className="dur" />
        <span className="tool-end">
          <State name="ok" />
        </span>
      </button>
      {open && (
        <div className="tool-more">
          <FileDiff file={file} />
        </div>
      )}
    </div>
  );
}

function NoticeRow({ row }: Of<'notice'>) {
  const { notice } = row.part;
  return (
    <div className={`notice ${notice.level}`} role={notice.level === 'error' ? 'alert' : undefined}>
      <Icon name={notice.level === 'info' ? 'info' : 'warn'} />
      <div>
        {oneLine(notice.text)}
        {notice.advice && <span className="sec"> {oneLine(notice.advice)}</span>}
      </div>
    </div>
  );
}

/** What went wrong, what to do, the command that does it, and what was seen. */
export function ProblemBox({ problem, rowKey }: { problem: Problem; rowKey: string }) {
  const t = useT();
  const language = useLanguage();
  const open = useView((v) => v.open[`${rowKey}/evidence`] ?? false);
  const { title, advice, original } = problemWords(problem);
  return (
    <div className="problem" role="group" aria-label={t('turn.failed')}>
      <State name="bad" />
      <div className="grow">
        <p className="problem-title" dir="auto">
          {oneLine(title)}
        </p>
        {original && (
          <p className="sec" dir="auto">
            {oneLine(original)}
          </p>
        )}
        {advice && (
          <p className="sec" dir="auto">
            {oneLine(advice)}
          </p>
        )}
        {problem.reset_at > 0 && (
          <p className="sec">
            {t('turn.resets', { time: clockTime(problem.reset_at, serverNow(), language) })}
          </p>
        )}
        {problem.command && <Command text={problem.command} />}
        {problem.evidence && (
          <>
            <button
              type="button"
              className="link"
              aria-expanded={open}
              onClick={() => setOpen(`${rowKey}/evidence`, !open)}
            >
              {open ? t('turn.hideEvidence') : t('turn.showEvidence')}
            </button>
            {open && <pre className="out">{neutral(problem.evidence)}</pre>}
          </>
        )}
      </div>
    </div>
  );
}

function ExitRow({ row }: Of<'exit'>) {
  const t = useT();
  const { exit } = row.part;
  if (exit.problem) return <ProblemBox problem={exit.problem} rowKey={row.key} />;
  return (
    <div className="notice error">
      <Icon name="warn" />
      <div>
        {exit.signal ? t('exit.signal', { signal: exit.signal }) : t('exit.code', { code: exit.code })}
      </div>
    </div>
  );
}

function EndRow({ row }: Of<'end'>) {
  const t = useT();
  const { end } = row;
  if (end.problem) return <ProblemBox problem={end.problem} rowKey={row.key} />;
  return (
    <div className="turn-end">
      <State name={end.status === 'interrupted' ? 'halt' : 'bad'} />
      <span>{end.status === 'interrupted' ? t('turn.interrupted') : t('turn.failed')}</span>
    </div>
  );
}
