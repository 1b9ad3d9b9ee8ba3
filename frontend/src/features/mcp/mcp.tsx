import { type ReactNode, useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import { inWindow } from '../../backend/shell.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { useLive } from '../../state/live.ts';
import { profileNames, takeProfiles, useProfiles } from '../../state/profiles.ts';
import { go } from '../../state/route.ts';
import { Coded } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { AddServer } from './add.tsx';
import { FileEditor } from './editor.tsx';
import { Import } from './import.tsx';
import { ServerList } from './list.tsx';
import { useServers } from './load.ts';
import { rowsOf } from './mcp.logic.ts';
import { Outdated } from './outdated.tsx';
import { Preview } from './preview.tsx';
import { FolderPick, Project } from './project.tsx';
import { ServerDetail } from './server.tsx';

type Sheet = '' | 'add' | 'import' | 'preview';

/** Which MCP servers agents get, where each value comes from, and the file that says so. */
export function MCP({ id, connection }: { id: string; connection: ReactNode }) {
  const t = useT();
  const [agent, setAgent] = useState('');
  const [profile, setProfile] = useState('default');
  const [cwd, setCwd] = useState('');
  const [sheet, setSheet] = useState<Sheet>('');
  const loaded = useServers(profile, cwd);
  const sessions = useLive((s) => s.sessions);
  const known = useProfiles((s) => s.list);
  useEffect(() => {
    // Names of sessions are there without it; nothing else hangs on it.
    api.profiles().then(
      (l) => takeProfiles(l.profiles),
      () => {},
    );
  }, []);
  const { file, effective } = loaded;

  const rows = rowsOf(effective);
  const row = rows.find((r) => r.id === id) ?? rows.find((r) => r.group === 'yours') ?? rows[0];
  const shownAgent =
    (row?.reach.some((r) => r.agent === agent) && agent) ||
    row?.reach.find((r) => r.state === 'on')?.agent ||
    row?.reach[0]?.agent ||
    '';
  const view = effective.find((e) => e.agent === shownAgent);
  const server = view?.servers.find((s) => s.name === row?.name);
  const mayChange = inWindow();
  const profiles = profileNames(
    known,
    ...Object.values(sessions).map((s) => s.profile || 'default'),
    profile,
  );
  const folders = [...new Set(Object.values(sessions).map((s) => s.cwd))].filter(Boolean).slice(0, 20);

  return (
    <main className="main">
      <header className="head">
        <div className="grow">
          <h1>{t('mcp.title')}</h1>
        </div>
        {mayChange && (
          <>
            <button type="button" className="btn bare" onClick={() => setSheet('import')}>
              {t('mcp.import')}
            </button>
            <button type="button" className="btn bare" onClick={() => setSheet('add')}>
              <Icon name="plus" small />
              {t('mcp.add')}
            </button>
          </>
        )}
      </header>
      {connection}
      <div className="mcp">
        <ServerList
          rows={rows}
          current={row?.id ?? ''}
          known={file !== null}
          add={mayChange ? () => setSheet('add') : undefined}
          take={mayChange ? () => setSheet('import') : undefined}
        />
        <div className="mcp-right">
          <section className="mcp-detail" tabIndex={0} aria-label={row?.name ?? t('mcp.title')}>
            {!mayChange && (
              <p className="notice mcp-strip">
                <span>
                  <Coded text={t('mcp.elsewhere')} />
                </span>
              </p>
            )}
            {loaded.error && (
              <p className="notice error mcp-strip" role="alert">
                <Icon name="warn" />
                {loaded.error}
              </p>
            )}
            <Outdated ids={loaded.outdated} reload={loaded.reload} />
            {cwd && <Project cwd={cwd} reload={loaded.reload} mayTrust={mayChange} />}
            {row && view && (
              <ServerDetail
                key={row.id}
                row={row}
                server={server}
                view={view}
                profile={profile}
                profiles={profiles}
                cwd={cwd}
                mayChange={mayChange && !file?.problems.length}
                chooseAgent={setAgent}
                chooseProfile={setProfile}
                folderPick={<FolderPick cwd={cwd} folders={folders} choose={setCwd} />}
                change={loaded.change}
                save={loaded.save}
                preview={() => setSheet('preview')}
              />
            )}
          </section>
          {file && <FileEditor loaded={loaded} file={file} mayChange={mayChange} />}
        </div>
      </div>
      {sheet === 'add' && file && (
        <AddServer
          agents={file.agents}
          taken={rows.filter((r) => r.group !== 'own').map((r) => r.name)}
          change={loaded.change}
          added={(name) => go({ page: 'mcp', id: name })}
          close={() => setSheet('')}
        />
      )}
      {sheet === 'import' && <Import done={loaded.reload} close={() => setSheet('')} />}
      {sheet === 'preview' && file && (
        <Preview
          agents={file.agents}
          first={shownAgent}
          profile={profile}
          cwd={cwd}
          close={() => setSheet('')}
        />
      )}
    </main>
  );
}
