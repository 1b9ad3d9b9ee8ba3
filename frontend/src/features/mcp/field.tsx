import { useId, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPServer } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { composing } from '../../ui/keys.ts';
import { fieldHelp } from './help.logic.ts';
import type { Change } from './load.ts';
import { edit, isList, jsonOf, type Scope, scopeOf, scopesOf, typedOf } from './mcp.logic.ts';

interface Props {
  server: MCPServer;
  /** A field, or "env" and "headers" for a new row of them. */
  field: string;
  agent: string;
  profile: string;
  change: Change;
  close: () => void;
}

/** Changes one field, for the server itself, an agent, or an agent and profile. */
export function FieldDialog({ server, field, agent, profile, change, close }: Props) {
  const t = useT();
  const valueID = useId();
  const list = useAgents((s) => s.list);
  const now = server.settings.find((s) => s.field === field);
  const newRow = field === 'env' || field === 'headers';
  const [name, setName] = useState('');
  const [typed, setTyped] = useState(now ? typedOf(now) : '');
  const scopes = scopesOf(server, field, agent, profile);
  const start = scopeOf(now);
  const [scope, setScope] = useState<Scope>(scopes.find((s) => s.id === start) ?? scopes[0]!);
  const [error, setError] = useState('');

  const save = async (value: string) => {
    const key = newRow ? `${field}.${name.trim()}` : field;
    const why = await change(
      () => api.editMCP(edit({ ...scope.edit, name: server.name, fields: { [key]: value } })),
      true,
    );
    setError(why);
    if (!why) close();
  };
  const ready = !newRow || name.trim() !== '';
  const words: Record<Scope['id'], string> = {
    server: t('mcp.scope.server'),
    all: t('mcp.scope.all'),
    agent: t('mcp.scope.agent', { name: nameOf(list, agent).name }),
    profile: t('mcp.scope.profile', {
      name: nameOf(list, agent).name,
      profile: profile === 'default' ? t('start.defaultProfile') : profile,
    }),
  };
  const help = fieldHelp(field);

  return (
    <Dialog
      title={t('mcp.changeTitle', { field, server: server.name })}
      close={close}
      foot={
        <>
          {now && now.layer !== 'built_in' && (
            <button type="button" className="btn" onClick={() => void save('')}>
              {t('mcp.takeOut')}
            </button>
          )}
          <button
            type="button"
            className="btn solid"
            disabled={!ready}
            onClick={() => void save(jsonOf(field, typed))}
          >
            {t('common.save')}
          </button>
        </>
      }
    >
      <div className="mcp-form">
        {newRow && (
          <label>
            <span>{t('mcp.name')}</span>
            <input className="field mono" value={name} onChange={(e) => setName(e.target.value)} />
          </label>
        )}
        <div className="mcp-labelled">
          <span id={valueID}>{t(isList(field) ? 'mcp.valueLines' : 'mcp.value')}</span>
          {isList(field) ? (
            <textarea
              className="field mono"
              aria-labelledby={valueID}
              rows={4}
              value={typed}
              onChange={(e) => setTyped(e.target.value)}
            />
          ) : (
            <input
              className="field mono"
              aria-labelledby={valueID}
              value={typed}
              onChange={(e) => setTyped(e.target.value)}
              onKeyDown={(e) => {
                if (e.key === 'Enter' && !composing(e) && ready) void save(jsonOf(field, typed));
              }}
            />
          )}
        </div>
        {help && <p className="mut note">{t(help)}</p>}
        {scopes.length > 1 && (
          <fieldset className="mcp-scopes">
            <legend>{t('mcp.scope')}</legend>
            {scopes.map((s) => (
              <label key={s.id}>
                <input type="radio" name="scope" checked={s.id === scope.id} onChange={() => setScope(s)} />
                {words[s.id]}
              </label>
            ))}
          </fieldset>
        )}
        {error && (
          <p className="help bad" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
