import { api } from '../../backend/client.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { oneLine, shortPath } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { takeSettings, useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { Mark } from '../../ui/mark.tsx';
import { leaveOut, type Row } from './mcp.logic.ts';

interface Props {
  row: Row;
  mayChange: boolean;
  /** Makes a change and reads everything anew; the page shows why it was refused. */
  save: (call: () => Promise<void>) => void;
}

/** A server that an agent has in its own file: its file is left alone, and the agent can be started without it. */
export function OwnServer({ row, mayChange, save }: Props) {
  const t = useT();
  const agents = useAgents((s) => s.list);
  const home = useSettings((s) => s.about.home);
  const choose = (agent: string, out: boolean) =>
    save(async () => {
      const { settings } = useSettings.getState();
      const leave_out_own = leaveOut(settings.leave_out_own, agent, out);
      takeSettings(await api.saveSettings({ ...settings, leave_out_own }));
    });
  return (
    <>
      <div className="row mcp-head">
        <h2 className="h2 trunc">
          <Line text={row.name} />
        </h2>
      </div>
      <p className="lead">
        {t('mcp.ownWords', {
          name: row.reach.map((r) => nameOf(agents, r.agent).name).join(t('mcp.comma')),
          file: shortPath(row.what, home),
        })}
      </p>
      <section className="mcp-who" aria-label={t('mcp.ownSwitches')}>
        <h3 className="mcp-sub">{t('mcp.ownSwitches')}</h3>
        <ul className="mcp-switches">
          {row.reach.map((r) => {
            const { name } = nameOf(agents, r.agent);
            const on = r.state !== 'left_out';
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
                  disabled={!mayChange || r.why !== ''}
                  onClick={() => choose(r.agent, on)}
                >
                  <span />
                </button>
              </li>
            );
          })}
        </ul>
        <p className="mut note">{t('mcp.ownSwitchesNote')}</p>
      </section>
    </>
  );
}
