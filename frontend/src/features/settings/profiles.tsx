import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import { inWindow } from '../../backend/shell.ts';
import type { Profile, ProfileList } from '../../backend/types.gen.ts';
import { errorWords, type T, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { useAgents } from '../../state/agents.ts';
import { takeProfiles, useProfiles } from '../../state/profiles.ts';
import { Line } from '../../ui/bits.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { badVariables, contents, draftOf, type ProfileDraft } from './profiles.logic.ts';
import { Removable } from './removable.tsx';

/** What agents start with, by a name: made, changed, renamed, removed. */
export function Profiles() {
  const t = useT();
  const list = useProfiles((s) => s.list);
  const [error, setError] = useState('');
  const mayChange = inWindow();

  useEffect(() => {
    let gone = false;
    api.profiles().then(
      (l) => !gone && takeProfiles(l.profiles),
      (e) => !gone && setError(errorWords(e, t('profiles.notRead'))),
    );
    return () => {
      gone = true;
    };
  }, [t]);

  return (
    <Removable
      title={t('profiles.title')}
      note={t(mayChange ? 'profiles.note' : 'profiles.elsewhere')}
      error={error}
      rows={list}
      keyOf={(p) => p.name}
      show={(p) => ({
        name: <Line text={p.name === 'default' ? t('start.defaultProfile') : p.name} />,
        note: summary(t, p),
      })}
      mayChange={mayChange}
      mayRemove={(p) => p.name !== 'default'}
      add={t('profiles.add')}
      removeTitle={(p) => t('profiles.removeTitle', { name: oneLine(p.name) })}
      removeWords={(p) => t('profiles.removeWords', { n: p.sessions })}
      remove={async (p) => takeProfiles((await api.removeProfile(p.name)).profiles)}
      notRemoved={t('common.offline')}
      editor={(p, close) => <Editor profile={p === 'new' ? null : p} close={close} />}
    />
  );
}

/** What a profile holds, in a line. */
function summary(t: T, p: Profile): string {
  const agents = Object.values(p.agents);
  const variables = [p.env, ...agents.map((a) => a.env ?? {})].reduce((n, e) => n + Object.keys(e).length, 0);
  const models = agents.map((a) => a.model).filter((m): m is string => !!m);
  return [
    t('profiles.sessions', { n: p.sessions }),
    variables > 0 ? t('profiles.variables', { n: variables }) : '',
    p.secrets.length > 0 ? t('profiles.secrets', { n: p.secrets.length }) : '',
    models.map(oneLine).join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** A profile's name and contents; null makes a new one. */
function Editor({ profile, close }: { profile: Profile | null; close: () => void }) {
  const t = useT();
  const agents = useAgents((s) => s.list?.agents ?? []);
  const [draft, setDraft] = useState<ProfileDraft>(() => draftOf(profile));
  const [error, setError] = useState('');
  const change = (part: Partial<ProfileDraft>) => setDraft((d) => ({ ...d, ...part }));
  const bad = badVariables(draft.env)[0];
  const name = draft.name.trim();

  const save = async () => {
    setError('');
    try {
      let list: ProfileList | undefined;
      if (profile && profile.name !== name) list = await api.renameProfile(profile.name, name);
      list = await api.setProfile(contents(profile, draft)).catch((e: unknown) => {
        if (list) takeProfiles(list.profiles); // the new name holds all the same
        throw e;
      });
      takeProfiles(list.profiles);
      close();
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };

  return (
    <Dialog
      title={profile ? t('profiles.editTitle', { name: oneLine(profile.name) }) : t('profiles.add')}
      close={close}
      className="profile-sheet"
      foot={
        <button
          type="button"
          className="btn solid"
          disabled={name === '' || bad !== undefined}
          onClick={() => void save()}
        >
          {t('common.save')}
        </button>
      }
    >
      <div className="form">
        {profile?.name !== 'default' && (
          <label>
            <span>{t('profiles.name')}</span>
            <input
              className="field"
              value={draft.name}
              maxLength={64}
              onChange={(e) => change({ name: e.target.value })}
            />
          </label>
        )}
        <label>
          <span>{t('profiles.env')}</span>
          <textarea
            className="field mono"
            rows={4}
            value={draft.env}
            aria-invalid={bad !== undefined || undefined}
            onChange={(e) => change({ env: e.target.value })}
          />
        </label>
        <p className={bad ? 'help bad' : 'mut note'}>
          {bad ? t('profiles.badLine', { line: bad.trim() }) : t('profiles.envNote', placeholders)}
        </p>
        <table className="tbl profile-agents">
          <thead>
            <tr>
              <th>{t('agents.agent')}</th>
              <th>{t('profiles.model')}</th>
              <th>{t('profiles.effort')}</th>
            </tr>
          </thead>
          <tbody>
            {agents
              .filter((a) => a.family !== 'demo')
              .map((a) => (
                <tr key={a.family}>
                  <td>{a.name}</td>
                  {(['model', 'effort'] as const).map((what) => (
                    <td key={what}>
                      <input
                        className="field"
                        aria-label={`${a.name}: ${t(`profiles.${what}`)}`}
                        placeholder={t('profiles.own')}
                        value={draft.agents[a.family]?.[what] ?? ''}
                        onChange={(e) =>
                          change({
                            agents: {
                              ...draft.agents,
                              [a.family]: { ...draft.agents[a.family], [what]: e.target.value },
                            },
                          })
                        }
                      />
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
        <p className="mut note">{t('profiles.keepNote')}</p>
        {error && (
          <p className="help bad" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders as they stand in the file
const placeholders = { env: '${env:NAME}', keyring: '${keyring:NAME}' };
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
