import { api } from '../../backend/client.ts';
import { useT } from '../../lib/i18n/i18n.ts';
import { shortPath } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { takeSettings, useSettings } from '../../state/settings.ts';
import { Line } from '../../ui/bits.tsx';
import { leaveOut, type Row } from './mcp.logic.ts';
import { AgentSwitches } from './switches.tsx';

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
      <AgentSwitches
        title={t('mcp.ownSwitches')}
        note={t('mcp.ownSwitchesNote')}
        reach={row.reach}
        isOn={(r) => r.state !== 'left_out'}
        fixed={(r) => !mayChange || r.why !== ''}
        flip={(r, on) => choose(r.agent, !on)}
      />
    </>
  );
}
