import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPFile, MCPProblem } from '../../backend/types.gen.ts';
import { useLanguage, useT } from '../../lib/i18n/i18n.ts';
import { neutral, shortPath } from '../../lib/text.ts';
import { clockTime } from '../../lib/time.ts';
import { serverNow } from '../../state/clock.ts';
import { setFileDraft, useMCP } from '../../state/mcp.ts';
import { useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { helpOf } from './help.logic.ts';
import { lines, offsetOf, pathAt, repairAt } from './jsonc.logic.ts';
import type { Loaded } from './load.ts';

interface Props {
  loaded: Loaded;
  file: MCPFile;
  mayChange: boolean;
}

const checkAfterMS = 250;
/** How long it is worth saying that somebody else has changed the file. */
const newsMS = 120_000;

/** The file itself: coloured, checked while one types, saved as a whole. */
export function FileEditor({ loaded, file, mayChange }: Props) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const language = useLanguage();
  const draft = useMCP((s) => s.draft);
  const [open, setOpen] = useState(file.exists);
  const [busy, setBusy] = useState(false);
  const [aside, setAside] = useState('');
  const [caret, setCaret] = useState(0);
  const area = useRef<HTMLTextAreaElement>(null);

  const dirty = draft !== null && draft.text !== file.text;
  const text = dirty ? draft.text : file.text;
  const overtaken = dirty && draft.base !== file.revision;
  const problems = useProblems(file, text, dirty);
  const first = problems[0];
  const when = (at: number) => clockTime(at, serverNow(), language);
  const news =
    !dirty &&
    file.revision !== loaded.own &&
    file.exists &&
    serverNow() - file.read_at < newsMS &&
    file.read_at > 0;

  const write = (next: string) =>
    setFileDraft(next === file.text ? null : { base: dirty ? draft.base : file.revision, text: next });
  const act = async (call: () => Promise<MCPFile>) => {
    setBusy(true);
    const why = await loaded.change(call);
    setBusy(false);
    if (!why) setFileDraft(null);
    else loaded.reload();
  };
  const save = (base: string) => act(() => api.replaceMCP(text, base));
  const goTo = (at: number, to = at) => {
    area.current?.focus();
    area.current?.setSelectionRange(at, to);
    setCaret(at);
  };
  const repair = first && repairAt(text, offsetOf(text, first.line, first.column));

  return (
    <section className={open ? 'mcp-file' : 'mcp-file shut'} aria-label={t('mcp.file')}>
      <header className="mcp-file-head">
        <button
          type="button"
          className="btn icon sm"
          aria-expanded={open}
          title={t(open ? 'mcp.fold' : 'mcp.unfold')}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'down' : 'right'} small />
        </button>
        <code className="trunc" title={shortPath(file.path, home)}>
          {shortPath(file.path, home).replace(/^.*[/\\]/, '')}
        </code>
        <span className="mut note trunc" role="status">
          {aside
            ? t('mcp.asideAt', { path: shortPath(aside, home) })
            : dirty
              ? t('mcp.unsaved')
              : !file.exists
                ? t('mcp.noFile')
                : news
                  ? t('mcp.changedOutside', { when: when(file.read_at) })
                  : ''}
        </span>
        <span className="grow" />
        {mayChange && dirty && (
          <>
            <button type="button" className="btn sm bare" onClick={() => setFileDraft(null)}>
              {t('mcp.discard')}
            </button>
            <button
              type="button"
              className="btn sm solid"
              disabled={busy || overtaken}
              title={t('mcp.saveKey')}
              onClick={() => void save(draft.base)}
            >
              {t('common.save')}
            </button>
          </>
        )}
        {mayChange && !dirty && file.in_force === 'last_good' && (
          <button
            type="button"
            className="btn sm bare"
            disabled={busy}
            onClick={() =>
              void act(async () => {
                const back = await api.restoreMCP(file.revision);
                setAside(back.aside);
                return back.file;
              })
            }
          >
            {t('mcp.restore')}
          </button>
        )}
        {mayChange && !dirty && file.can_undo && (
          <button type="button" className="btn sm bare" disabled={busy} onClick={() => void act(api.undoMCP)}>
            {t('mcp.undo')}
          </button>
        )}
      </header>
      {open && overtaken && (
        <div className="mcp-overtaken" role="alert">
          <Icon name="warn" />
          <span className="grow">{t('mcp.overtaken', { when: when(file.read_at) })}</span>
          <button type="button" className="btn sm" onClick={() => setFileDraft(null)}>
            {t('mcp.takeTheirs')}
          </button>
          <button
            type="button"
            className="btn sm risk"
            disabled={busy}
            onClick={() => void save(file.revision)}
          >
            {t('mcp.keepMine')}
          </button>
        </div>
      )}
      {open && (
        <Text
          text={text}
          problems={problems}
          dirty={dirty}
          readOnly={!mayChange}
          area={area}
          write={write}
          save={() => dirty && !overtaken && void save(draft.base)}
          moved={setCaret}
        />
      )}
      {open && first ? (
        <footer className="mcp-file-foot bad">
          <Icon name="warn" />
          <div className="grow" role="status">
            <button
              type="button"
              className="link mcp-place"
              onClick={() => goTo(offsetOf(text, first.line, first.column))}
            >
              {t('mcp.place', { line: first.line, column: first.column })}
            </button>{' '}
            <Line text={first.text} />{' '}
            <span className="sec">
              {problems.length > 1 && t('mcp.moreProblems', { n: problems.length - 1 })}{' '}
              {!dirty &&
                (file.in_force === 'last_good'
                  ? t('mcp.lastGood', { when: when(file.good_at) })
                  : file.in_force === 'nothing' && t('mcp.noGood'))}
            </span>
          </div>
          {repair && mayChange && (
            <button
              type="button"
              className="btn sm"
              onClick={() => {
                write(text.slice(0, repair.from) + repair.put + text.slice(repair.to));
                goTo(repair.from, repair.from + repair.put.length);
              }}
            >
              {t('mcp.fix')}
            </button>
          )}
        </footer>
      ) : (
        open && <Help text={text} caret={caret} />
      )}
    </section>
  );
}

/** What is wrong with the text: of the file as it lies there, the back end has said so already. */
function useProblems(file: MCPFile, text: string, dirty: boolean): readonly MCPProblem[] {
  const own = useMemo(() => [...file.problems, ...file.remarks], [file]);
  const [found, setFound] = useState<{ text: string; list: readonly MCPProblem[] }>({ text: '', list: [] });
  useEffect(() => {
    if (!dirty) return;
    let gone = false;
    const timer = setTimeout(() => {
      api.checkMCP(text).then(
        (r) => !gone && setFound({ text, list: r.problems }),
        () => {}, // saving tells what is wrong
      );
    }, checkAfterMS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text, dirty]);
  if (!dirty) return own;
  return found.text === text ? found.list : [];
}

interface TextProps {
  text: string;
  problems: readonly MCPProblem[];
  dirty: boolean;
  readOnly: boolean;
  area: React.RefObject<HTMLTextAreaElement | null>;
  write: (text: string) => void;
  save: () => void;
  moved: (caret: number) => void;
}

/** The text, its colours below it: what is typed into stays an ordinary text field. */
function Text({ text, problems, dirty, readOnly, area, write, save, moved }: TextProps) {
  const t = useT();
  const parts = useMemo(() => lines(text), [text]);
  const bad = useMemo(() => {
    const at = new Map<number, number>();
    for (const p of problems) if (!at.has(p.line)) at.set(p.line, offsetOf(text, p.line, p.column));
    return at;
  }, [problems, text]);
  // A file that is broken as it lies there is opened at what is wrong; nobody's typing is moved.
  const firstBad = readOnly || !dirty ? (problems[0]?.line ?? 0) : 0;
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (firstBad) frame.current?.querySelector('.ln.err')?.scrollIntoView?.({ block: 'center' });
  }, [firstBad]);
  const onKey = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    if (composing(e)) return;
    if ((e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 's') {
      e.preventDefault();
      save();
    }
  };
  return (
    <div className="mcp-text code" ref={frame}>
      <div className="mcp-lines" aria-hidden="true">
        {parts.map((line, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <div key={n} className={bad.has(n + 1) ? 'ln err' : 'ln'}>
            <i>{n + 1}</i>
            <span>
              {line.map((p) => {
                const at = bad.get(n + 1);
                const wrong = at !== undefined && p.at <= at && at < p.at + p.text.length;
                return (
                  <span key={p.at} className={wrong ? `j-${p.kind} sq` : `j-${p.kind}`}>
                    {p.text}
                  </span>
                );
              })}
            </span>
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        value={text}
        readOnly={readOnly}
        aria-label={t('mcp.file')}
        aria-invalid={problems.length > 0 || undefined}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        wrap="off"
        onChange={(e) => write(e.target.value)}
        onSelect={(e) => moved(e.currentTarget.selectionStart)}
        onKeyDown={onKey}
      />
    </div>
  );
}

/** Where the caret is, and what may stand there. */
function Help({ text, caret }: { text: string; caret: number }) {
  const t = useT();
  const path = useMemo(() => pathAt(text, caret), [text, caret]);
  return (
    <footer className="mcp-file-foot">
      <Icon name="info" />
      <div className="grow">
        {path.length > 0 && <code className="mcp-path">{neutral(path.join('.'))}</code>}{' '}
        <span className="sec">{t(helpOf(path))}</span>
      </div>
    </footer>
  );
}
