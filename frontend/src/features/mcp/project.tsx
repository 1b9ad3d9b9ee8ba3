import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPProject } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { shortPath, tailPath } from '../../lib/text.ts';
import { useMCP } from '../../state/mcp.ts';
import { useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';

interface Props {
  /** The folder that is looked at. */
  cwd: string;
  reload: () => void;
  mayTrust: boolean;
}

/** The servers that a folder's own file names. None is started before the person trusted the file as it is. */
export function Project({ cwd, reload, mayTrust }: Props) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const changes = useMCP((s) => s.changes);
  const [project, setProject] = useState<MCPProject | null>(null);
  const [error, setError] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change is a reason to look again
  useEffect(() => {
    let gone = false;
    setProject(null);
    setError('');
    api.projectMCP(cwd).then(
      (p) => !gone && setProject(p),
      (e) => !gone && setError(errorWords(e, t('common.offline'))),
    );
    return () => {
      gone = true;
    };
  }, [cwd, changes, t]);

  const trust = async (p: MCPProject) => {
    setError('');
    try {
      setProject(await api.trustMCP(cwd, p.sum));
      reload();
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };
  if (error || project?.problem)
    return (
      <p className="help bad" role="alert">
        <Line text={error || project!.problem} />
      </p>
    );
  if (!project || project.sum === '') return null;
  return (
    <div className="mcp-trust">
      <Icon name={project.trusted ? 'check' : 'warn'} />
      <div className="grow">
        <p>{t(project.trusted ? 'mcp.trusted' : 'mcp.untrusted', { file: shortPath(project.path, home) })}</p>
        <ul>
          {project.servers.map((s) => (
            <li key={s}>
              <code>
                <Line text={s} />
              </code>
            </li>
          ))}
        </ul>
      </div>
      {!project.trusted && mayTrust && (
        <button type="button" className="btn sm" onClick={() => void trust(project)}>
          {t('mcp.trust')}
        </button>
      )}
    </div>
  );
}

/** Which folder's own servers are looked at beside the person's. */
export function FolderPick({
  cwd,
  folders,
  choose,
}: {
  cwd: string;
  folders: readonly string[];
  choose: (cwd: string) => void;
}) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  if (folders.length === 0) return null;
  return (
    <Menu
      className="pick mcp-pick"
      title={t('mcp.folder')}
      items={[
        { id: '', label: t('mcp.anyFolder'), checked: cwd === '' },
        ...folders.map((f) => ({ id: f, label: shortPath(f, home), checked: f === cwd })),
      ]}
      choose={choose}
    >
      <span className="trunc">{cwd ? tailPath(shortPath(cwd, home), 24) : t('mcp.anyFolder')}</span>
      <Icon name="down" />
    </Menu>
  );
}
