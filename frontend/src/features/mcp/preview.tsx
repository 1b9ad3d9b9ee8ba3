import { useEffect, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPPreview } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { Line } from '../../ui/bits.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Mark } from '../../ui/mark.tsx';

interface Props {
  agents: readonly string[];
  /** The agent that is shown at first. */
  first: string;
  profile: string;
  cwd: string;
  close: () => void;
}

/** Exactly what each agent is handed when it starts, secrets hidden. */
export function Preview({ agents, first, profile, cwd, close }: Props) {
  const t = useT();
  const list = useAgents((s) => s.list);
  const [agent, setAgent] = useState(first);
  const [got, setGot] = useState<MCPPreview | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let gone = false;
    setError('');
    api.previewMCP(agent, profile, cwd).then(
      (p) => !gone && setGot(p),
      (e) => !gone && setError(errorWords(e, t('common.offline'))),
    );
    return () => {
      gone = true;
    };
  }, [agent, profile, cwd, t]);
  return (
    <Dialog title={t('mcp.previewTitle')} close={close} className="mcp-sheet">
      <div className="mcp-tabs" role="tablist" aria-label={t('mcp.agent')}>
        {agents.map((a) => (
          <button
            key={a}
            type="button"
            role="tab"
            aria-selected={a === agent}
            className="mcp-tab"
            onClick={() => setAgent(a)}
          >
            <Mark family={a} />
            {nameOf(list, a).name}
          </button>
        ))}
      </div>
      {error && (
        <p className="help bad" role="alert">
          {error}
        </p>
      )}
      {got && (
        <div role="tabpanel" aria-label={nameOf(list, got.agent).name}>
          <p className="sec note">
            <Line text={got.how} />
          </p>
          <CodeBlock text={neutral(got.text)} language="json" live={false} />
          <p className="mut note">{t('mcp.previewNote')}</p>
        </div>
      )}
    </Dialog>
  );
}
