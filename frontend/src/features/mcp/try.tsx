import { useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPTest, MCPTry } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';
import { setTest } from '../../state/mcp.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon, State } from '../../ui/icon.tsx';

const failed: MCPTest = {
  ok: false,
  problem: '',
  server: '',
  tools: [],
  prompts: [],
  resources: [],
  stderr: '',
  duration_ms: 0,
};

/** Starts a server, has it list what it offers, and ends it. What it said is kept until it is tried again. */
export async function tryServer(name: string, as: MCPTry, offline: string): Promise<void> {
  setTest(name, null);
  try {
    setTest(name, await api.tryMCP(name, as));
  } catch (e) {
    setTest(name, { ...failed, problem: errorWords(e, offline) });
  }
}

/** What a server said when it was tried; null while that is under way. */
export function TestResult({ test }: { test: MCPTest | null }) {
  const t = useT();
  const seconds = useSeconds(test === null);
  const place = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came in is to be seen, whatever it is
  useEffect(() => {
    place.current?.scrollIntoView?.({ block: 'nearest' });
  }, [test]);
  if (test === null)
    return (
      <section ref={place} className="mcp-test" aria-label={t('mcp.test')}>
        <p className="state run" role="status">
          <State name="run" />
          <span>{seconds > 0 ? t('mcp.testingFor', { n: seconds }) : t('mcp.testing')}</span>
        </p>
      </section>
    );
  return (
    <section ref={place} className="mcp-test" aria-label={t('mcp.test')}>
      <p className={test.ok ? 'state ok' : 'state bad'} role="status">
        <State name={test.ok ? 'ok' : 'bad'} />
        <span>
          {test.ok ? (
            <Line text={t('mcp.answered', { server: test.server, ms: test.duration_ms })} />
          ) : (
            <Line text={test.problem} />
          )}
        </span>
      </p>
      {test.ok && (
        <p className="note sec">
          {t('mcp.tools', { n: test.tools.length })} · {t('mcp.prompts', { n: test.prompts.length })} ·{' '}
          {t('mcp.resources', { n: test.resources.length })}
        </p>
      )}
      <ul className="mcp-tools">
        {test.tools.map((tool) => (
          <li key={tool.name}>
            <Icon name="tool" small />
            <span className="trunc">
              <code>
                <Line text={tool.name} />
              </code>{' '}
              <span className="mut">
                <Line text={tool.description} />
              </span>
            </span>
          </li>
        ))}
        {test.prompts.map((name) => (
          <li key={`p ${name}`}>
            <Icon name="ask" small />
            <span className="trunc">
              <Line text={name} /> <span className="mut">{t('mcp.prompt')}</span>
            </span>
          </li>
        ))}
        {test.resources.map((name) => (
          <li key={`r ${name}`}>
            <Icon name="file" small />
            <span className="trunc">
              <Line text={name} /> <span className="mut">{t('mcp.resource')}</span>
            </span>
          </li>
        ))}
      </ul>
      {test.stderr && (
        <details className="mcp-stderr" open={!test.ok}>
          <summary>{t('mcp.stderr')}</summary>
          <pre tabIndex={0}>{neutral(test.stderr)}</pre>
        </details>
      )}
    </section>
  );
}

/** Whole seconds that something has been under way. */
function useSeconds(running: boolean): number {
  const [n, setN] = useState(0);
  useEffect(() => {
    if (!running) return;
    setN(0);
    const timer = setInterval(() => setN((s) => s + 1), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return n;
}
