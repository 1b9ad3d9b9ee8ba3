import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { Folder, FolderList } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { readStored, store } from '../../lib/storage.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { useSettings } from '../../state/settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';

interface Chosen {
  path: string;
  branch: string;
  choose: (path: string) => void;
}

/** The folder for a new session: the last one chosen here, else the one used last. */
export function useFolder(): Chosen {
  const [path, setPath] = useState(() => readStored('folder'));
  const [branch, setBranch] = useState('');
  useEffect(() => {
    let gone = false;
    api.folders(path).then(
      (l) => {
        if (gone) return;
        setBranch(path ? l.branch : '');
        if (!path && l.recent[0]) setPath(l.recent[0].path);
      },
      () => {
        // A folder that is gone is no choice any more.
        if (!gone && path) setPath('');
      },
    );
    return () => {
      gone = true;
    };
  }, [path]);
  return {
    path,
    branch,
    choose: (p) => {
      store('folder', p);
      setPath(p);
    },
  };
}

interface Props {
  at: string;
  choose: (path: string) => void;
  close: () => void;
}

/** Chooses a folder of the computer that the back end runs on. */
export function Folders({ at, choose, close }: Props) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const [list, setList] = useState<FolderList | null>(null);
  const [path, setPath] = useState(at);
  const [typed, setTyped] = useState(at);
  const [error, setError] = useState('');

  useEffect(() => {
    let gone = false;
    api.folders(path).then(
      (l) => {
        if (gone) return;
        setList(l);
        setTyped(l.path);
        setError('');
      },
      (e) => !gone && setError(errorWords(e, t('folder.notRead'))),
    );
    return () => {
      gone = true;
    };
  }, [path, t]);

  const take = () => {
    if (!list) return;
    choose(list.path);
    close();
  };
  const row = (f: Folder, name: string) => (
    <li key={f.path}>
      <button type="button" className="folder" title={oneLine(f.path)} onClick={() => setPath(f.path)}>
        <Icon name="folder" />
        <span className="trunc grow">{name}</span>
        {f.git && <Icon name="branch" small />}
      </button>
    </li>
  );
  return (
    <Dialog
      title={t('folder.choose')}
      close={close}
      className="dialog-folders"
      foot={
        <>
          <span className="grow trunc mut note">{list ? shortPath(list.path, home) : ''}</span>
          <button type="button" className="btn" onClick={close}>
            {t('common.cancel')}
          </button>
          <button type="button" className="btn solid" disabled={!list || error !== ''} onClick={take}>
            {t('folder.take')}
          </button>
        </>
      }
    >
      <div className="row folder-path">
        <button
          type="button"
          className="btn icon"
          title={t('folder.up')}
          disabled={!list?.parent}
          onClick={() => list && setPath(list.parent)}
        >
          <Icon name="up" />
        </button>
        <input
          className="field"
          value={typed}
          aria-label={t('folder.path')}
          spellCheck={false}
          onChange={(e) => setTyped(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && !composing(e) && !e.repeat) setPath(typed.trim());
          }}
        />
      </div>
      {error && <p className="help bad">{error}</p>}
      <div className="folder-lists">
        {list && list.recent.length > 0 && (
          <section>
            <h3 className="grp">
              <b>{t('folder.recent')}</b>
            </h3>
            <ul>{list.recent.map((f) => row(f, shortPath(f.path, home)))}</ul>
          </section>
        )}
        <section>
          <h3 className="grp">
            <b>{t('folder.inside')}</b>
          </h3>
          <ul>{list?.folders.map((f) => row(f, oneLine(f.name)))}</ul>
          {list?.folders.length === 0 && <p className="grp">{t('folder.none')}</p>}
        </section>
      </div>
    </Dialog>
  );
}
