// What is photographed: every state of the card on the real page, and the pages.

import { type Act as CardAct, cells } from '../dev/cells.ts';
import { takesLate } from '../src/state/live.reducer.ts';

export interface View {
  id: string;
  name: string;
  /** Of the address: which scene, and where in the page. */
  query: string;
  hash: string;
  act?: CardAct | 'test' | 'doctor' | undefined;
  /** Shown as the desktop window shows it, which may do more than a browser. */
  inWindow?: boolean;
  /** What has to be there before anything else is done. */
  wait: string;
}

const cards: View[] = cells(false).map((c) => {
  const inInbox = !c.i.outcome || takesLate(c.i);
  const fate = { send: '&answers=stuck', refuse: '&answers=lost', reject: '&answers=refused' };
  const answers = fate[c.act as keyof typeof fate] ?? '';
  return {
    id: `card-${c.id}`,
    name: c.name,
    query: `cell=${c.id}${answers}`,
    hash: inInbox ? `inbox/${c.i.interaction_id}` : `session/${c.i.session_id}`,
    act: c.act,
    wait: inInbox ? '.card' : '.quiet',
  };
});

const pages: View[] = [
  { id: 'inbox', name: 'Inbox', query: '', hash: 'inbox', wait: '.ilist .item' },
  { id: 'inbox-crowd', name: 'Inbox, 20 wait', query: 'scene=crowd', hash: 'inbox', wait: '.ilist .item' },
  { id: 'inbox-empty', name: 'Inbox, empty', query: 'scene=first', hash: 'inbox', wait: '.inbox-empty' },
  { id: 'session', name: 'Session', query: '', hash: 'session/s-idem', wait: '.card' },
  {
    id: 'session-quiet',
    name: 'Session, no card',
    query: 'scene=quiet',
    hash: 'session/s-idem',
    wait: '.tl-row',
  },
  {
    id: 'session-streaming',
    name: 'Session that writes, 20 in the rail',
    query: 'scene=day',
    hash: 'session/s-idem',
    wait: '.tl-row',
  },
  {
    id: 'session-soon',
    name: 'Session, card under 30 s',
    query: 'cell=soon',
    hash: 'session/s-hook',
    wait: '.card.soon .strip',
  },
  {
    id: 'sessions',
    name: 'Sessions, 20 at once',
    query: 'scene=day',
    hash: 'sessions',
    wait: '.start, .sess',
  },
  { id: 'history', name: 'History', query: '', hash: 'history', wait: '.page' },
  { id: 'settings', name: 'Settings', query: '', hash: 'settings', wait: '.settings' },
  { id: 'mcp', name: 'MCP servers', query: '', hash: 'mcp/docs', wait: '.mcp-tbl', inWindow: true },
  {
    id: 'mcp-broken',
    name: 'MCP servers, broken file',
    query: 'servers=broken',
    hash: 'mcp/postgres',
    wait: '.mcp-file-foot.bad',
    inWindow: true,
  },
  {
    id: 'mcp-none',
    name: 'MCP servers, none yet',
    query: 'servers=none&scene=first',
    hash: 'mcp',
    wait: '.mcp-none',
    inWindow: true,
  },
  {
    id: 'mcp-test',
    name: 'MCP server that fails',
    query: '',
    hash: 'mcp/sentry',
    wait: '.mcp-tbl',
    inWindow: true,
    act: 'test',
  },
  { id: 'mcp-browser', name: 'MCP servers in a browser', query: '', hash: 'mcp', wait: '.mcp-tbl' },
  { id: 'agents', name: 'Agents', query: '', hash: 'agents', wait: '.doc' },
  {
    id: 'agents-doctor',
    name: 'What the doctor found',
    query: '',
    hash: 'agents',
    wait: '.doc',
    act: 'doctor',
  },
  {
    id: 'agents-trying',
    name: 'Agents, the doctor at work',
    query: 'doctor=goes-on',
    hash: 'agents',
    wait: '.doc',
    act: 'doctor',
  },
  {
    id: 'agents-untried',
    name: 'Agents, the doctor never called',
    query: 'doctor=never',
    hash: 'agents',
    wait: '.doctor',
    act: 'doctor',
  },
  { id: 'start', name: 'New session', query: '', hash: '', wait: '.start' },
  { id: 'first-run', name: 'First run', query: 'scene=first', hash: '', wait: '.start' },
];

export const views: View[] = [...cards, ...pages];

/** Few that stand for many: what is checked whenever the tests run. */
export const often = ['card-both', 'card-risky', 'card-many', 'inbox', 'session', 'settings'];

export const sizes = [
  { width: 1280, height: 800 },
  { width: 900, height: 600 },
  { width: 390, height: 844 },
] as const;
