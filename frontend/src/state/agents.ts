// Store of the agents found on this computer.

import { create } from 'zustand';
import type { Agent, AgentList } from '../backend/types.gen.ts';

interface Agents {
  list: AgentList | null;
  /** A look is under way. */
  looking: boolean;
  error: string;
}

export const useAgents = create<Agents>()(() => ({ list: null, looking: false, error: '' }));

export function setLooking(): void {
  useAgents.setState({ looking: true, error: '' });
}

export function takeAgents(list: AgentList): void {
  useAgents.setState({ list, looking: false, error: '' });
}

export function setLookFailed(error: string): void {
  useAgents.setState({ looking: false, error });
}

const names: Record<string, string> = {
  claude: 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  grok: 'Grok',
  pi: 'Pi',
  dsh: 'DSH',
  acp: 'ACP',
  chat: 'Chat',
  demo: 'Demo',
};

/** The name of a family, also before the agents were looked for. */
export function nameOf(list: AgentList | null, family: string): { name: string } {
  const found = list?.agents.find((a) => a.family === family);
  return found ?? { name: names[family] ?? family };
}

export function useAgentName(family: string): { name: string } {
  return useAgents((s) => s.list?.agents.find((a) => a.family === family)) ?? nameOf(null, family);
}

/** Whether a session can be started with it. */
export function canStart(a: Agent): boolean {
  return a.state === 'ready' || a.state === 'login_unknown';
}

/** The command that makes an agent usable, "" when there is none. */
export function fixOf(a: Agent): string {
  if (a.problem?.command) return a.problem.command;
  if (a.state === 'not_logged_in') return a.login_cmd;
  if (a.state === 'not_found' || a.state === 'too_old') return a.install_cmd;
  return '';
}

/** The efforts that a session may be started with, as the agent calls them; none when there is no choice. */
export function effortsOf(a: Agent, model: string): string[] {
  return a.models.find((m) => m.id === model)?.efforts ?? a.efforts ?? [];
}
