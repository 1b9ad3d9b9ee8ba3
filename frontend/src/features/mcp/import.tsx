import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPImport } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { shown } from './mcp.logic.ts';

/** Programs whose file can be read, by the names that they give themselves. */
const programs = [
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['opencode', 'OpenCode'],
  ['gemini', 'Gemini CLI'],
  ['cursor', 'Cursor'],
  ['vscode', 'VS Code'],
  ['ekko', 'Ekko Studio'],
] as const;

/** What another program's file holds, and what of it is taken over. That file is only read. */
export function Import({ done, close }: { done: () => void; close: () => void }) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const [from, setFrom] = useState<string>('claude');
  const [typed, setTyped] = useState('');
  const [path, setPath] = useState('');
  const [got, setGot] = useState<MCPImport | null>(null);
  const [left, setLeft] = useState<readonly string[]>([]);
  const [error, setError] = useState('');

  useEffect(() => {
    let gone = false;
    setGot(null);
    setError('');
    api.importMCP({ from, path, names: [], write: false }).then(
      (i) => !gone && setGot(i),
      (e) => !gone && setError(errorWords(e, t('common.offline'))),
    );
    return () => {
      gone = true;
    };
  }, [from, path, t]);

  const fresh = got?.servers.filter((s) => !s.skip) ?? [];
  const names = fresh.map((s) => s.name).filter((n) => !left.includes(n));
  const write = async () => {
    setError('');
    try {
      await api.importMCP({ from, path, names, write: true });
      done();
      close();
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };

  return (
    <Dialog
      title={t('mcp.importTitle')}
      close={close}
      className="mcp-sheet"
      foot={
        <button
          type="button"
          className="btn solid"
          disabled={names.length === 0}
          onClick={() => void write()}
        >
          {t('mcp.importDo', { n: names.length })}
        </button>
      }
    >
      <div className="mcp-tabs" role="tablist" aria-label={t('mcp.importFrom')}>
        {programs.map(([id, name]) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={id === from}
            className="mcp-tab"
            onClick={() => {
              setFrom(id);
              setPath('');
              setTyped('');
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <form
        className="row mcp-import-path"
        onSubmit={(e) => {
          e.preventDefault();
          setPath(typed.trim());
        }}
      >
        <input
          className="field mono"
          value={typed}
          placeholder={got ? shortPath(got.path, home) : t('mcp.importPath')}
          aria-label={t('mcp.importPath')}
          onChange={(e) => setTyped(e.target.value)}
        />
        <button type="submit" className="btn" disabled={typed.trim() === path}>
          {t('mcp.importLook')}
        </button>
      </form>
      {error && (
        <p className="help bad" role="alert">
          {oneLine(error)}
        </p>
      )}
      {got && got.servers.length === 0 && <p className="sec">{t('mcp.importNone')}</p>}
      <ul className="mcp-import">
        {got?.servers.map((s) => (
          <li key={s.name} className={s.skip ? 'skip' : ''}>
            <label>
              <input
                type="checkbox"
                disabled={s.skip !== ''}
                checked={s.skip === '' && !left.includes(s.name)}
                onChange={(e) =>
                  setLeft(e.target.checked ? left.filter((n) => n !== s.name) : [...left, s.name])
                }
              />
              <b>
                <Line text={s.name} />
              </b>
              {s.skip && (
                <span className="mut note">
                  <Line text={s.skip} />
                </span>
              )}
            </label>
            <dl>
              {Object.keys(s.fields)
                .sort()
                .map((f) => (
                  <div key={f}>
                    <dt>{oneLine(f)}</dt>
                    <dd>{oneLine(shown(s.fields[f]!))}</dd>
                  </div>
                ))}
            </dl>
          </li>
        ))}
      </ul>
      {got?.notes.map((n) => (
        <p key={n} className="mcp-why">
          <Icon name="warn" small />
          <span>
            <Line text={n} />
          </span>
        </p>
      ))}
    </Dialog>
  );
}
