import { type ReactNode, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MCPEffective, MCPOrigin, MCPServer, MCPSetting } from '../../backend/types.gen.ts';
import { type T, useT } from '../../lib/i18n/i18n.ts';
import { neutral, oneLine } from '../../lib/text.ts';
import { nameOf, useAgents } from '../../state/agents.ts';
import { useMCP } from '../../state/mcp.ts';
import { Line } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { FieldDialog } from './field.tsx';
import { fieldHelp } from './help.logic.ts';
import type { Change } from './load.ts';
import { canChange, edit, isFilledIn, type Row, shown, switchEdit, unsetFields } from './mcp.logic.ts';
import { OwnServer } from './own.tsx';
import { AgentSwitches } from './switches.tsx';
import { TestResult, tryServer } from './try.tsx';

interface Props {
  row: Row;
  /** As it reaches the agent; undefined for a server of the agent's own. */
  server: MCPServer | undefined;
  view: MCPEffective;
  profile: string;
  profiles: readonly string[];
  cwd: string;
  mayChange: boolean;
  chooseAgent: (agent: string) => void;
  chooseProfile: (profile: string) => void;
  folderPick: ReactNode;
  change: Change;
  /** Makes a change of the settings that decides who gets what. */
  save: (call: () => Promise<void>) => void;
  preview: () => void;
}

/** One server as it reaches an agent and a profile, and who else gets it. */
export function ServerDetail(p: Props) {
  const t = useT();
  const { row, server, view, profile, cwd } = p;
  const agents = useAgents((s) => s.list);
  const test = useMCP((s) => s.tests[row.name]);
  const [field, setField] = useState('');
  if (!server) return <OwnServer row={row} mayChange={p.mayChange} save={p.save} />;
  return (
    <>
      <div className="row mcp-head">
        <h2 className="h2 trunc">
          <Line text={row.name} />
        </h2>
        <span className="mut">{t('mcp.asItReaches')}</span>
        <Menu
          className="pick mcp-pick"
          title={t('mcp.agent')}
          items={row.reach.map((r) => ({
            id: r.agent,
            label: nameOf(agents, r.agent).name,
            note: r.state === 'on' ? undefined : t(`mcp.is.${reachWord(r.state)}`),
            checked: r.agent === view.agent,
          }))}
          choose={p.chooseAgent}
        >
          <span className="trunc">{nameOf(agents, view.agent).name}</span>
          <Icon name="down" />
        </Menu>
        <Menu
          className="pick mcp-pick"
          title={t('start.profile')}
          items={p.profiles.map((id) => ({ id, label: profileName(t, id), checked: id === profile }))}
          choose={p.chooseProfile}
        >
          <span className="trunc">{profileName(t, profile)}</span>
          <Icon name="down" />
        </Menu>
        {p.folderPick}
        <span className="row mcp-acts">
          {p.mayChange && row.group !== 'managed' && (
            <button
              type="button"
              className="btn sm"
              disabled={test === null}
              onClick={() =>
                void tryServer(row.name, { agent: view.agent, profile, cwd }, t('common.offline'))
              }
            >
              {t('mcp.test')}
            </button>
          )}
          <button type="button" className="btn sm bare" onClick={p.preview}>
            {t('mcp.preview')}
          </button>
          {p.mayChange && row.group === 'yours' && (
            <Menu
              className="btn icon sm"
              title={t('common.more')}
              align="right"
              items={[{ id: 'remove', label: t('mcp.remove'), note: t('mcp.removeNote'), danger: true }]}
              choose={() =>
                void p.change(() => api.editMCP(edit({ name: row.name, server: true, remove: true })))
              }
            >
              <Icon name="more" />
            </Menu>
          )}
        </span>
      </div>
      {server.state !== 'on' && server.why && (
        <p className="mcp-why">
          <Icon name={server.state === 'incomplete' ? 'warn' : 'info'} small />
          <span>
            <Line text={server.why} />
          </span>
        </p>
      )}
      <table className="tbl mcp-tbl">
        <thead>
          <tr>
            <th>{t('mcp.field')}</th>
            <th>{t('mcp.value')}</th>
            <th>{t('mcp.comesFrom')}</th>
            <th>
              <span className="vh">{t('mcp.change')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {server.settings.map((s) => (
            <SettingRow
              key={s.field}
              server={row.name}
              setting={s}
              change={p.mayChange && canChange(server, s.field) ? () => setField(s.field) : undefined}
            />
          ))}
        </tbody>
      </table>
      {p.mayChange && row.group === 'yours' && unsetFields(server).length > 0 && (
        <Menu
          className="btn sm bare mcp-more"
          title={t('mcp.addField')}
          items={unsetFields(server).map((id) => ({
            id,
            label: id,
            note: t(fieldHelp(id) ?? 'mcp.help.server'),
          }))}
          choose={setField}
        >
          <Icon name="plus" small />
          {t('mcp.addField')}
        </Menu>
      )}
      <Switches {...p} server={server} />
      {test !== undefined && <TestResult test={test} />}
      {view.notices.map((n) => (
        <p key={n} className="mcp-why">
          <Icon name="warn" small />
          <span>
            <Line text={n} />
          </span>
        </p>
      ))}
      {field && (
        <FieldDialog
          server={server}
          field={field}
          agent={view.agent}
          profile={profile}
          change={p.change}
          close={() => setField('')}
        />
      )}
    </>
  );
}

interface SettingProps {
  server: string;
  setting: MCPSetting;
  change: (() => void) | undefined;
}

function SettingRow({ server, setting: s, change }: SettingProps) {
  const t = useT();
  const value = shown(s.value);
  return (
    <tr>
      <td className="mcp-field">{oneLine(s.field)}</td>
      <td className="mcp-value">
        {value ? (
          neutral(value)
        ) : (
          <span className="mut mcp-unset">
            {t(s.field === 'timeout' ? 'mcp.agentsOwn' : 'mcp.takenAway')}
          </span>
        )}
      </td>
      <td className="mcp-origin">
        {originWords(t, server, s)}
        {isFilledIn(s.value) && t('mcp.filledIn')}
        {s.hides
          .filter((h) => h.layer !== 'built_in')
          .map((h) => (
            <span key={`${h.layer}${h.line}${h.value}`} className="mcp-past">
              {t('mcp.insteadOf')} <s>{oneLine(shown(h.value)) || '–'}</s>
            </span>
          ))}
      </td>
      <td className="mcp-act">
        {change && (
          <button
            type="button"
            className="btn icon sm"
            title={t('mcp.changeField', { field: s.field })}
            aria-label={t('mcp.changeField', { field: s.field })}
            onClick={change}
          >
            <Icon name="pencil" small />
          </button>
        )}
      </td>
    </tr>
  );
}

/** Where a value stands, as one finds it in the file. */
function originWords(t: T, server: string, o: MCPOrigin): string {
  const scope = o.agent ? `${o.layer}.${o.agent}.${o.profile}` : o.layer;
  const path = o.layer === 'disabled' ? scope : `${scope}.${server}`;
  switch (o.layer) {
    case 'built_in':
      return t('mcp.from.builtIn');
    case 'managed':
      return t('mcp.from.managed');
    case 'raised':
      return t('mcp.from.raised');
    case 'project':
      return t('mcp.from.project');
  }
  return o.line > 0 ? t('mcp.from.line', { path: oneLine(path), line: o.line }) : oneLine(path);
}

/** Who gets it. A project's servers are trusted or not, for all agents alike. */
function Switches({ row, server, mayChange, profile, change }: Props & { server: MCPServer }) {
  const t = useT();
  if (row.group === 'project') return null;
  return (
    <AgentSwitches
      title={t('mcp.whoGets')}
      aside={profile !== 'default' && <span className="mut"> {t('mcp.allProfiles')}</span>}
      note={row.group === 'managed' ? t('mcp.managedWords') : ''}
      reach={row.reach}
      isOn={(r) => r.state === 'on'}
      fixed={(r) => !mayChange || r.state === 'own' || r.state === 'incomplete'}
      flip={(r, on) => void change(() => api.editMCP(switchEdit({ ...server, state: r.state }, r.agent, on)))}
    />
  );
}

function profileName(t: T, id: string): string {
  return id === 'default' ? t('start.defaultProfile') : oneLine(id);
}

type ReachWord = 'off' | 'incomplete' | 'untrusted' | 'elsewhere' | 'own';

function reachWord(state: string): ReachWord {
  return ['off', 'incomplete', 'untrusted', 'own'].includes(state) ? (state as ReachWord) : 'elsewhere';
}
