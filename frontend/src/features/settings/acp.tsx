import { type ReactNode, useId, useState } from 'react';
import { api } from '../../backend/client.ts';
import { inWindow } from '../../backend/shell.ts';
import type { ACPAgent } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { takeAgents, useAgents } from '../../state/agents.ts';
import { takeSettings, useSettings } from '../../state/settings.ts';
import { Coded, Line } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Mark } from '../../ui/mark.tsx';
import { type ACPDraft, type ACPField, agentOf, draftOf, faults, fieldOf, idOf } from './acp.logic.ts';
import { Removable } from './removable.tsx';

/** Saves the whole list, and has the agents looked for that are new in it. */
async function saveAgents(acp_agents: ACPAgent[]): Promise<void> {
  takeSettings(await api.saveSettings({ ...useSettings.getState().settings, acp_agents }));
  takeAgents(await api.agents());
}

/** The person's own agents that speak ACP: added, changed, removed. */
export function ACPAgents() {
  const t = useT();
  const list = useSettings((s) => s.settings.acp_agents);
  const found = useAgents((s) => s.list?.agents);
  const mayChange = inWindow();
  const isMissing = (a: ACPAgent) => found?.find((f) => f.family === `acp:${a.id}`)?.state === 'not_found';

  return (
    <Removable
      title={t('acp.title')}
      note={t(mayChange ? 'acp.note' : 'acp.elsewhere')}
      error=""
      rows={list}
      keyOf={(a) => a.id}
      show={(a) => ({
        mark: <Mark family={`acp:${a.id}`} title={a.name} />,
        name: <Line text={a.name} />,
        note: (
          <>
            <Line text={[a.command, ...a.args].join(' ')} />
            {isMissing(a) && ` · ${t('agent.notFound')}`}
          </>
        ),
      })}
      mayChange={mayChange}
      mayRemove={() => true}
      add={t('acp.add')}
      removeTitle={(a) => t('acp.removeTitle', { name: oneLine(a.name) })}
      removeWords={() => t('acp.removeWords')}
      remove={(gone) => saveAgents(list.filter((a) => a.id !== gone.id))}
      notRemoved={t('settings.notSaved')}
      editor={(a, close) => <Editor list={list} agent={a === 'new' ? null : a} close={close} />}
    />
  );
}

/** One agent of the list; null makes a new one. */
function Editor({
  list,
  agent,
  close,
}: {
  list: readonly ACPAgent[];
  agent: ACPAgent | null;
  close: () => void;
}) {
  const t = useT();
  const [at] = useState(agent ? list.indexOf(agent) : list.length); // as it was when this opened
  const [draft, setDraft] = useState<ACPDraft>(() => draftOf(agent));
  const [ownID, setOwnID] = useState(agent !== null); // it no longer follows the name
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<{ field: ACPField | null; words: string } | null>(null);
  const wrong = faults(
    draft,
    list.filter((_, n) => n !== at).map((a) => a.id),
  );

  const change = (part: Partial<ACPDraft>) => {
    setRefused(null);
    setDraft((d) => {
      const next = { ...d, ...part };
      return 'name' in part && !ownID ? { ...next, id: idOf(next.name) } : next;
    });
  };
  const save = async () => {
    setTried(true);
    if (Object.keys(wrong).length > 0) return;
    const next = [...list];
    next[at] = agentOf(agent, draft);
    try {
      await saveAgents(next);
      close();
    } catch (e) {
      const { field = '' } = e as { field?: string };
      setRefused({ field: fieldOf(field, at), words: errorWords(e, t('settings.notSaved')) });
    }
  };
  const fault = (field: ACPField): string => {
    const key = tried && wrong[field];
    if (key) return t(key);
    return refused?.field === field ? refused.words : '';
  };

  return (
    <Dialog
      title={agent ? t('acp.editTitle', { name: oneLine(agent.name) }) : t('acp.add')}
      close={close}
      className="profile-sheet"
      foot={
        <button type="button" className="btn solid" onClick={() => void save()}>
          {t('common.save')}
        </button>
      }
    >
      <div className="form">
        <Field label={t('acp.name')} fault={fault('name')}>
          {(props) => (
            <input
              {...props}
              className="field"
              value={draft.name}
              onChange={(e) => change({ name: e.target.value })}
            />
          )}
        </Field>
        <Field label={t('acp.id')} fault={fault('id')} note={t(agent ? 'acp.idKept' : 'acp.idNote')}>
          {(props) => (
            <input
              {...props}
              className="field mono"
              value={draft.id}
              readOnly={agent !== null}
              onChange={(e) => {
                setOwnID(true);
                change({ id: e.target.value });
              }}
            />
          )}
        </Field>
        <Field label={t('acp.command')} fault={fault('command')}>
          {(props) => (
            <input
              {...props}
              className="field mono"
              value={draft.command}
              placeholder="my-agent"
              onChange={(e) => change({ command: e.target.value })}
            />
          )}
        </Field>
        <Field label={t('acp.args')} fault={fault('args')}>
          {(props) => (
            <textarea
              {...props}
              className="field mono"
              rows={2}
              value={draft.args}
              placeholder="--acp"
              onChange={(e) => change({ args: e.target.value })}
            />
          )}
        </Field>
        <Field label={t('acp.env')} fault={fault('env')} note={t('acp.envNote')}>
          {(props) => (
            <textarea
              {...props}
              className="field mono"
              rows={3}
              value={draft.env}
              placeholder="API_URL=http://127.0.0.1:8080"
              onChange={(e) => change({ env: e.target.value })}
            />
          )}
        </Field>
        {refused && !refused.field && (
          <p className="help bad" role="alert">
            {refused.words}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  /** What is wrong with it, "" for nothing. */
  fault: string;
  note?: string;
  children: (props: {
    id: string;
    'aria-invalid': true | undefined;
    'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** A field with its label, and below it what is wrong with it or else what it is for. */
function Field({ label, fault, note = '', children }: FieldProps) {
  const id = useId();
  const below = `${id}-below`;
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': fault ? true : undefined,
        'aria-describedby': fault || note ? below : undefined,
      })}
      {fault ? (
        <p id={below} className="help bad" role="alert">
          {fault}
        </p>
      ) : (
        note && (
          <p id={below} className="mut note">
            <Coded text={note} />
          </p>
        )
      )}
    </div>
  );
}
