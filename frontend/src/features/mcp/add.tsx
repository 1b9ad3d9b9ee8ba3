import { useId, useState } from 'react';
import { api } from '../../backend/client.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { setTest } from '../../state/mcp.ts';
import { Coded } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Change } from './load.ts';
import { addEdit, badLines } from './mcp.logic.ts';

interface Props {
  agents: readonly string[];
  /** Names that are in use. */
  taken: readonly string[];
  change: Change;
  added: (name: string) => void;
  close: () => void;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders as they stand in the file
const placeholders = { env: '${env:NAME}', keyring: '${keyring:NAME}' };
const tableLike = { env: 'KEY=${env:DOCS_KEY}', headers: 'Authorization: Bearer ${keyring:TOKEN}' };
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

/** A new server of the person's own. */
export function AddServer({ agents, taken, change, added, close }: Props) {
  const t = useT();
  const kind = useId();
  const list = useAgents((s) => s.list);
  const [name, setName] = useState('');
  const [overHTTP, setOverHTTP] = useState(false);
  const [target, setTarget] = useState('');
  const [table, setTable] = useState('');
  const [only, setOnly] = useState<readonly string[]>([]);
  const [error, setError] = useState('');
  const used = taken.includes(name.trim());
  const bad = badLines(table, overHTTP)[0];
  const ready = name.trim() !== '' && target.trim() !== '' && !used && !bad;

  const save = async () => {
    const why = await change(
      () => api.editMCP(addEdit({ name, overHTTP, target, table, agents: only })),
      true,
    );
    if (why) return setError(why);
    setTest(name.trim(), undefined);
    added(name.trim());
    close();
  };

  return (
    <Dialog
      title={t('mcp.add')}
      close={close}
      foot={
        <button type="button" className="btn solid" disabled={!ready} onClick={() => void save()}>
          {t('mcp.addDo')}
        </button>
      }
    >
      <div className="mcp-form">
        <label>
          <span>{t('mcp.name')}</span>
          <input
            className="field mono"
            value={name}
            placeholder="docs"
            aria-invalid={used || undefined}
            onChange={(e) => setName(e.target.value)}
          />
        </label>
        {used && <p className="help bad">{t('mcp.taken')}</p>}
        <div className="seg" role="radiogroup" aria-label={t('mcp.kind')}>
          {[false, true].map((http) => (
            <label key={String(http)} className={http === overHTTP ? 'on' : ''}>
              <input
                type="radio"
                className="vh"
                name={kind}
                checked={http === overHTTP}
                onChange={() => setOverHTTP(http)}
              />
              {http === overHTTP && <Icon name="check" small />}
              {t(http ? 'mcp.kindURL' : 'mcp.kindCommand')}
            </label>
          ))}
        </div>
        <label>
          <span>{t(overHTTP ? 'mcp.url' : 'mcp.commandLine')}</span>
          <input
            className="field mono"
            value={target}
            placeholder={overHTTP ? 'https://tracker.example/mcp' : 'uvx docs-mcp --root .'}
            onChange={(e) => setTarget(e.target.value)}
          />
        </label>
        <label>
          <span>{t(overHTTP ? 'mcp.headers' : 'mcp.variables')}</span>
          <textarea
            className="field mono"
            rows={3}
            value={table}
            placeholder={overHTTP ? tableLike.headers : tableLike.env}
            aria-invalid={bad !== undefined || undefined}
            onChange={(e) => setTable(e.target.value)}
          />
        </label>
        {bad ? (
          <p className="help bad">{t('mcp.badLine', { line: bad.trim() })}</p>
        ) : (
          <p className="mut note">
            <Coded text={t('mcp.secretsNote', placeholders)} />
          </p>
        )}
        <fieldset className="mcp-only">
          <legend>{t('mcp.onlyThese')}</legend>
          {agents.map((a) => (
            <label key={a}>
              <input
                type="checkbox"
                checked={only.includes(a)}
                onChange={(e) => setOnly(e.target.checked ? [...only, a] : only.filter((o) => o !== a))}
              />
              {nameOf(list, a).name}
            </label>
          ))}
        </fieldset>
        {error && (
          <p className="help bad" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
