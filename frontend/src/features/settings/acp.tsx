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
import { Icon } from '../../ui/icon.tsx';
import { Mark } from '../../ui/mark.tsx';
import { Menu } from '../../ui/menu.tsx';
import { type ACPDraft, type ACPField, agentOf, draftOf, faults, fieldOf, idOf } from './acp.logic.ts';
import { Group } from './parts.tsx';

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
  /** Its place in the list; the length of the list is a new one. */
  const [editing, setEditing] = useState<number | null>(null);
  const [removing, setRemoving] = useState<ACPAgent | null>(null);
  const [error, setError] = useState('');
  const mayChange = inWindow();

  const remove = async (gone: ACPAgent) => {
    setRemoving(null);
    setError('');
    try {
      await saveAgents(list.filter((a) => a.id !== gone.id));
    } catch (e) {
      setError(errorWords(e, t('settings.notSaved')));
    }
  };

  return (
    <Group title={t('acp.title')}>
      <p className="mut note rules-note">
        <Coded text={t(mayChange ? 'acp.note' : 'acp.elsewhere')} />
      </p>
      {error && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {list.map((a, at) => (
        <div key={a.id} className="set-row">
          <Mark family={`acp:${a.id}`} title={a.name} />
          <div className="grow">
            <div className="set-label">
              <Line text={a.name} />
            </div>
            <div className="mut note">
              <Line text={[a.command, ...a.args].join(' ')} />
              {found?.find((f) => f.family === `acp:${a.id}`)?.state === 'not_found' &&
                ` · ${t('agent.notFound')}`}
            </div>
          </div>
          {mayChange && (
            <span className="row">
              <button type="button" className="btn sm" onClick={() => setEditing(at)}>
                {t('profiles.edit')}
              </button>
              <Menu
                className="btn icon sm"
                title={t('common.more')}
                align="right"
                items={[{ id: 'remove', label: t('profiles.remove'), danger: true }]}
                choose={() => setRemoving(a)}
              >
                <Icon name="more" />
              </Menu>
            </span>
          )}
        </div>
      ))}
      {mayChange && (
        <p className="profiles-add">
          <button type="button" className="btn sm" onClick={() => setEditing(list.length)}>
            <Icon name="plus" small />
            {t('acp.add')}
          </button>
        </p>
      )}
      {editing !== null && <Editor list={list} at={editing} close={() => setEditing(null)} />}
      {removing && (
        <Dialog
          title={t('acp.removeTitle', { name: oneLine(removing.name) })}
          close={() => setRemoving(null)}
          foot={
            <>
              <button type="button" className="btn" onClick={() => setRemoving(null)}>
                {t('common.cancel')}
              </button>
              <button type="button" className="btn risk" onClick={() => void remove(removing)}>
                {t('profiles.remove')}
              </button>
            </>
          }
        >
          <p>{t('acp.removeWords')}</p>
        </Dialog>
      )}
    </Group>
  );
}

/** The agent at a place of the list; the place behind the last makes a new one. */
function Editor({ list, at, close }: { list: readonly ACPAgent[]; at: number; close: () => void }) {
  const t = useT();
  const before = list[at] ?? null;
  const [draft, setDraft] = useState<ACPDraft>(() => draftOf(before));
  const [ownID, setOwnID] = useState(before !== null); // it no longer follows the name
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<{ field: ACPField | null; words: string } | null>(null);
  const wrong = faults(
    draft,
    list.filter((a) => a !== before).map((a) => a.id),
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
    next[at] = agentOf(before, draft);
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
      title={before ? t('acp.editTitle', { name: oneLine(before.name) }) : t('acp.add')}
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
        <Field label={t('acp.id')} fault={fault('id')} note={t(before ? 'acp.idKept' : 'acp.idNote')}>
          {(props) => (
            <input
              {...props}
              className="field mono"
              value={draft.id}
              readOnly={before !== null}
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
