import type { ReactNode } from 'react';
import { oneLine } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { Mark } from '../../ui/mark.tsx';
import type { Reach } from './mcp.logic.ts';

interface Props {
  title: string;
  /** Behind the title, quieter. */
  aside?: ReactNode;
  /** Below the switches. */
  note: string;
  reach: readonly Reach[];
  isOn: (r: Reach) => boolean;
  fixed: (r: Reach) => boolean;
  flip: (r: Reach, on: boolean) => void;
}

/** A switch for each agent that a server may reach; one that is fixed says why where it can. */
export function AgentSwitches({ title, aside, note, reach, isOn, fixed, flip }: Props) {
  const agents = useAgents((s) => s.list);
  return (
    <section className="mcp-who" aria-label={title}>
      <h3 className="mcp-sub">
        {title}
        {aside}
      </h3>
      <ul className="mcp-switches">
        {reach.map((r) => {
          const { name } = nameOf(agents, r.agent);
          const on = isOn(r);
          return (
            <li key={r.agent}>
              <Mark family={r.agent} title={name} />
              <span className="grow trunc">{name}</span>
              <button
                type="button"
                className="switch"
                role="switch"
                aria-checked={on}
                aria-label={name}
                title={r.why ? oneLine(r.why) : undefined}
                disabled={fixed(r)}
                onClick={() => flip(r, !on)}
              >
                <span />
              </button>
            </li>
          );
        })}
      </ul>
      {note && <p className="mut note">{note}</p>}
    </section>
  );
}
