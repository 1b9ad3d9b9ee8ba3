import { memo } from 'react';
import type { FileChanged, ToolKind } from '../../backend/types.gen.ts';
import { type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { neutral, oneLine } from '../../lib/text.ts';
import { duration, running } from '../../lib/time.ts';
import { useServerNow } from '../../state/clock.ts';
import type { ToolPart } from '../../state/timeline.reducer.ts';
import { setOpen, useView } from '../../state/view.ts';
import { Diff } from '../../ui/diff.tsx';
import { Icon, type IconName, State } from '../../ui/icon.tsx';
import { changedLines, countLooks, isSentence } from './rows.logic.ts';
import { Whole } from './whole.tsx';

const icons: Record<ToolKind, IconName> = {
  read: 'file',
  search: 'search',
  edit: 'pencil',
  write: 'file',
  run: 'term',
  fetch: 'globe',
  agent: 'agent',
  ask: 'ask',
  plan: 'list',
  mcp: 'plug',
  other: 'tool',
};

const verbs: Partial<Record<ToolKind, { now: PlainKey; done: PlainKey }>> = {
  read: { now: 'tool.reading', done: 'tool.read' },
  search: { now: 'tool.searching', done: 'tool.searched' },
  edit: { now: 'tool.editing', done: 'tool.edited' },
  write: { now: 'tool.writing', done: 'tool.wrote' },
  run: { now: 'tool.running', done: 'tool.ran' },
  fetch: { now: 'tool.fetching', done: 'tool.fetched' },
  agent: { now: 'tool.delegating', done: 'tool.delegated' },
};

/** Those whose title is a path. */
const onFiles: ReadonlySet<ToolKind> = new Set(['read', 'edit', 'write']);

interface Props {
  tool: ToolPart;
  rowKey: string;
  /** Last words while it runs. */
  progress: string;
  /** What a sub-agent did, shown inside when unfolded. */
  inside?: React.ReactNode;
  /** How many rows that is. */
  insideCount?: number;
}

/** A tool call on one line; it unfolds to its input, changes and output. */
export const ToolRow = memo(function ToolRow({ tool, rowKey, progress, inside, insideCount = 0 }: Props) {
  const t = useT();
  const open = useView((v) => v.open[rowKey] ?? false);
  const verb = verbs[tool.tool];
  const { added, removed } = changedLines(tool.files);
  const path = tool.title || tool.files.map((f) => f.path).join(', ');
  return (
    <div className="tool-box" data-open={open || undefined}>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(rowKey, !open)}>
        <Icon name={icons[tool.tool]} />
        {isSentence(tool.tool, path) ? (
          <span className="run-words trunc">{oneLine(path)}</span>
        ) : (
          <>
            <span>{verb ? t(tool.end ? verb.done : verb.now) : oneLine(tool.name)}</span>
            <span className={onFiles.has(tool.tool) ? 'arg path' : 'arg'}>
              <bdi>{oneLine(path)}</bdi>
            </span>
          </>
        )}
        {insideCount > 0 ? (
          <span className="dur">{t('tool.steps', { n: insideCount })}</span>
        ) : (
          <PlusMinus added={added} removed={removed} />
        )}
        <Took tool={tool} />
        <End tool={tool} />
      </button>
      {open && <Details tool={tool} progress={progress} inside={inside} />}
      {!open && !tool.end && progress && <div className="tool-now trunc">{lastLine(progress)}</div>}
    </div>
  );
});

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split('\n').at(-1) ?? '');
}

export function PlusMinus({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="pm">
      {added > 0 && <span className="add">+{added}</span>}
      {removed > 0 && <span className="del">−{removed}</span>}
    </span>
  );
}

function Took({ tool }: { tool: ToolPart }) {
  const t = useT();
  const now = useServerNow(!tool.end);
  if (tool.end)
    return <span className="dur">{tool.end.durationMS > 0 ? duration(t, tool.end.durationMS) : ''}</span>;
  const ms = now - tool.startedAt;
  return <span className="dur">{ms >= 1000 ? running(t, ms) : ''}</span>;
}

function End({ tool }: { tool: ToolPart }) {
  const t = useT();
  const [name, words] = !tool.end
    ? (['run', t('state.run')] as const)
    : tool.end.status === 'ok'
      ? (['ok', t('tool.ok')] as const)
      : tool.end.status === 'failed'
        ? (['bad', t('tool.failed')] as const)
        : (['halt', t('tool.cancelled')] as const);
  return (
    <span className="tool-end" title={words}>
      <State name={name} />
      <span className="vh">{words}</span>
    </span>
  );
}

function Details({ tool, progress, inside }: Pick<Props, 'tool' | 'progress' | 'inside'>) {
  const t = useT();
  const input = prettyInput(tool.input);
  const output = tool.end ? tool.end.output : progress;
  const diffs = tool.files.filter((f) => f.diff);
  return (
    <div className="tool-more">
      {inside && <div className="tool-inside">{inside}</div>}
      {diffs.map((f) => (
        <FileDiff key={f.path} file={f} />
      ))}
      {input && diffs.length === 0 && <Block label={t('tool.input')} text={input} />}
      {output && <Block label={t('tool.output')} text={output} />}
      {tool.end?.whole ? (
        <Whole {...tool.end.whole} />
      ) : (
        tool.end?.truncated && <p className="mut note">{t('tool.truncated')}</p>
      )}
      {!input && !output && !inside && diffs.length === 0 && <p className="mut note">{t('tool.nothing')}</p>}
    </div>
  );
}

export function FileDiff({ file }: { file: FileChanged }) {
  const t = useT();
  return (
    <figure>
      <figcaption className="mut note">{oneLine(file.path)}</figcaption>
      {file.diff ? (
        <Diff text={file.diff} label={t('tool.diff')} />
      ) : (
        <p className="mut note">{t('tool.noDiff')}</p>
      )}
    </figure>
  );
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    <figure>
      <figcaption className="mut note">{label}</figcaption>
      <pre className="out" tabIndex={0}>
        {neutral(text)}
      </pre>
    </figure>
  );
}

/** Input as a person reads it: one field a line when it is a plain object, else as it came. */
export function prettyInput(input: string): string {
  const text = input.trim();
  if (!text || text === '{}' || text === 'null') return '';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      return Object.entries(value)
        .map(([k, v]) => `${k}: ${typeof v === 'string' ? v : JSON.stringify(v)}`)
        .join('\n');
    }
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

/** A run of reads and searches: what was looked at, in one line. */
export const RunRow = memo(function RunRow({
  tools,
  rowKey,
}: {
  tools: readonly ToolPart[];
  rowKey: string;
}) {
  const t = useT();
  const open = useView((v) => v.open[rowKey] ?? false);
  const { reads, searches, durationMS, running: busy } = countLooks(tools);
  const words =
    reads && searches
      ? t('tool.runBoth', {
          reads: t('tool.reads', { n: reads }),
          searches: t('tool.searches', { n: searches }),
        })
      : reads
        ? t('tool.readsOnly', { n: reads })
        : t('tool.searchesOnly', { n: searches });
  return (
    <div className="tool-box" data-open={open || undefined}>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(rowKey, !open)}>
        <Icon name="search" />
        <span className="run-words">{words}</span>
        <span className="pm" />
        <span className="dur">{durationMS > 0 ? duration(t, durationMS) : ''}</span>
        <span className="tool-end">
          <State name={busy ? 'run' : 'ok'} />
        </span>
      </button>
      {open && (
        <div className="tool-nest">
          {tools.map((tool) => (
            <ToolRow key={tool.id} tool={tool} rowKey={`${rowKey}/${tool.id}`} progress="" />
          ))}
        </div>
      )}
    </div>
  );
});
