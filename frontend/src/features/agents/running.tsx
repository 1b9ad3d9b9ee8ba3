import { api } from '../../backend/client.ts';
import type { ProcessTree } from '../../backend/types.gen.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { go } from '../../state/route.ts';
import { ProcessRows, useProcesses } from '../../ui/processes.tsx';

const none: ProcessTree[] = [];

/** Everything that runs for all sessions, and what it waits for. */
export function Running() {
  const t = useT();
  const agents = useAgents((s) => s.list);
  const trees = useProcesses(true, none, () => api.allProcesses().then((l) => l.trees), '');
  return (
    <section className="running" aria-label={t('running.title')}>
      <h2 className="h2">{t('running.title')}</h2>
      {trees.length === 0 && <p className="sec">{t('running.none')}</p>}
      {trees.map((tree) => (
        <div key={tree.session_id} className="running-tree">
          <button
            type="button"
            className="btn bare trunc"
            onClick={() => go({ page: 'session', id: tree.session_id })}
          >
            {oneLine(tree.title) || nameOf(agents, tree.agent).name}
          </button>
          <ProcessRows list={tree.processes} />
        </div>
      ))}
    </section>
  );
}
