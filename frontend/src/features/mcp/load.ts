import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPEffective, MCPFile, SessionID } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { useLive } from '../../state/live.ts';
import { useMCP } from '../../state/mcp.ts';
import { useSettings } from '../../state/settings.ts';

/**
 * Makes a change that gives the file back. It tells why that was refused, "" when
 * it was not; the page shows it too unless a dialog does.
 */
export type Change = (call: () => Promise<MCPFile>, inDialog?: boolean) => Promise<string>;

export interface Loaded {
  file: MCPFile | null;
  /** What each agent gets, in the order of the file's agents. */
  effective: readonly MCPEffective[];
  /** Sessions whose agents run with other servers than they would get now. */
  outdated: readonly SessionID[];
  error: string;
  /** The revision that a change of this page made last. */
  own: string;
  change: Change;
  /** Makes another change that decides who gets what. */
  save: (call: () => Promise<void>) => void;
  reload: () => void;
}

/** The file and what agents get of it, read anew when it changes. An older reading that comes late is dropped. */
export function useServers(profile: string, cwd: string): Loaded {
  const t = useT();
  const changes = useMCP((s) => s.changes);
  // An agent that starts or ends may be up to date by then.
  const live = useLive((s) =>
    Object.values(s.sessions)
      .filter((v) => v.live)
      .map((v) => v.id)
      .sort()
      .join(' '),
  );
  const leftOut = useSettings((s) => s.settings.leave_out_own);
  const [file, setFile] = useState<MCPFile | null>(null);
  const [effective, setEffective] = useState<readonly MCPEffective[]>([]);
  const [outdated, setOutdated] = useState<readonly SessionID[]>([]);
  const [error, setError] = useState('');
  const [own, setOwn] = useState('');
  const run = useRef(0);

  const read = useCallback(async () => {
    const mine = ++run.current;
    try {
      const f = await api.mcpFile();
      const all = await Promise.all(f.agents.map((a) => api.effectiveMCP(a, profile, cwd)));
      if (mine !== run.current) return;
      setFile(f);
      setEffective(all);
      setError('');
    } catch (e) {
      if (mine === run.current) setError(errorWords(e, t('common.offline')));
    }
  }, [profile, cwd, t]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change is a reason to read, and nothing of it is used
  useEffect(() => {
    void read();
    return () => {
      run.current++;
    };
  }, [read, changes, leftOut]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  useEffect(() => {
    let gone = false;
    api.outdatedMCP().then(
      (l) => !gone && setOutdated(l.sessions),
      () => {}, // the reading of the file tells what is wrong
    );
    return () => {
      gone = true;
    };
  }, [changes, live, leftOut]);

  const change = useCallback<Change>(
    async (call, inDialog = false) => {
      let why = '';
      try {
        const f = await call();
        setOwn(f.revision);
        setFile(f);
        void read();
      } catch (e) {
        why = errorWords(e, t('common.offline'));
      }
      if (!inDialog) setError(why);
      return why;
    },
    [read, t],
  );
  const save = (call: () => Promise<void>) =>
    void call().catch((e) => setError(errorWords(e, t('common.offline'))));
  return { file, effective, outdated, error, own, change, save, reload: () => void read() };
}
