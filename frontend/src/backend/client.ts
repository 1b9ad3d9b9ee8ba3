// The one client of the back end's API: JSON over same-origin paths. Only the
// API and the window's runtime are known here, nothing of stores or components.

import type {
  About,
  AgentList,
  Answer,
  Attachment,
  Code,
  Conflict,
  DoctorReport,
  Draft,
  DraftReply,
  FolderList,
  HistoryPage,
  Interaction,
  InteractionList,
  MCPEdit,
  MCPEffective,
  MCPFile,
  MCPImport,
  MCPImportRequest,
  MCPPreview,
  MCPProblems,
  MCPProject,
  MCPRestored,
  MCPSessions,
  MCPTest,
  MCPTry,
  MessageReply,
  NewMessage,
  NewPicture,
  NewSession,
  NoticeClaim,
  Outcome,
  Presence,
  ProcessList,
  ProcessTrees,
  Profile,
  ProfileList,
  QueueChange,
  Reply,
  RuleList,
  SecretList,
  Session,
  SessionChange,
  Settings,
  Timeline,
} from './types.gen.ts';

/** What a refused or failed call throws. Message is a sentence a person may read. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: Code | 'offline';
  readonly field: string;
  /** What was accepted instead, when an answer came second. */
  readonly outcome: Outcome | undefined;

  constructor(code: Code | 'offline', message: string, field = '', outcome?: Outcome) {
    super(message);
    this.code = code;
    this.field = field;
    this.outcome = outcome;
  }
}

/** Whether the call never reached the back end, so that trying again is safe and useful. */
export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'offline';
}

async function call<R>(method: string, path: string, body?: unknown, keepalive = false): Promise<R> {
  const reply = await text(method, path, body, keepalive);
  return (reply ? JSON.parse(reply) : {}) as R;
}

/** What a call replies, as it is. */
async function text(method: string, path: string, body?: unknown, keepalive = false): Promise<string> {
  const init: RequestInit = { method, credentials: 'same-origin' };
  if (body !== undefined) {
    init.headers = { 'Content-Type': 'application/json' };
    init.body = JSON.stringify(body);
    // Outlives the page, but browsers refuse it for more than 64 KiB.
    init.keepalive = keepalive && init.body.length < 20_000;
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    throw new ApiError('offline', error instanceof Error ? error.message : String(error));
  }
  const reply = await response.text();
  if (response.ok) return reply;
  throw refusal(response.status, reply);
}

/** The error of a response that is not ok. Anything but our own error shape is a proxy's or a crash's. */
export function refusal(status: number, text: string): ApiError {
  try {
    const { error, outcome } = JSON.parse(text) as Conflict;
    if (error?.code) return new ApiError(error.code, error.message, error.field ?? '', outcome);
  } catch {
    // Not JSON: fall through to what the status says.
  }
  if (status === 401) return new ApiError('unauthenticated', '');
  if (status === 502 || status === 503 || status === 504) return new ApiError('offline', `HTTP ${status}`);
  return new ApiError('internal', `HTTP ${status}`);
}

const id = encodeURIComponent;

export const api = {
  about: () => call<About>('GET', '/api/about'),
  agents: () => call<AgentList>('GET', '/api/agents'),
  lookForAgents: () => call<AgentList>('POST', '/api/agents/refresh'),
  doctor: () => call<DoctorReport>('GET', '/api/doctor'),
  startDoctor: (agents: string[]) => call<DoctorReport>('POST', '/api/doctor', { agents }),
  stopDoctor: () => call<DoctorReport>('DELETE', '/api/doctor'),
  settings: () => call<Settings>('GET', '/api/settings'),
  secrets: () => call<SecretList>('GET', '/api/secrets'),
  saveSettings: (s: Settings) => call<Settings>('PUT', '/api/settings', s),
  folders: (path: string) => call<FolderList>('GET', `/api/folders?path=${id(path)}`),
  presence: (p: Presence) => call<object>('POST', '/api/presence', p, true),

  createSession: (s: NewSession) => call<Session>('POST', '/api/sessions', s),
  changeSession: (s: string, change: SessionChange) =>
    call<Session>('PATCH', `/api/sessions/${id(s)}`, change),
  deleteSession: (s: string) => call<object>('DELETE', `/api/sessions/${id(s)}`),
  stop: (s: string) => call<object>('POST', `/api/sessions/${id(s)}/stop`),
  close: (s: string) => call<Session>('POST', `/api/sessions/${id(s)}/close`),
  fork: (s: string) => call<Session>('POST', `/api/sessions/${id(s)}/fork`),
  resume: (s: string) => call<Session>('POST', `/api/sessions/${id(s)}/resume`),
  processes: (s: string) => call<ProcessList>('GET', `/api/sessions/${id(s)}/processes`),
  allProcesses: () => call<ProcessTrees>('GET', '/api/processes'),
  send: (s: string, m: NewMessage) => call<MessageReply>('POST', `/api/sessions/${id(s)}/messages`, m),
  savePicture: (s: string, p: NewPicture) => call<Attachment>('POST', `/api/sessions/${id(s)}/pictures`, p),
  /** Where a kept picture is shown from. */
  pictureURL: (s: string, file: string) => `/api/sessions/${id(s)}/pictures/${id(file)}`,
  changeQueued: (s: string, turn: string, change: QueueChange) =>
    call<Session>('PATCH', `/api/sessions/${id(s)}/queue/${id(turn)}`, change),
  dropQueued: (s: string, turn: string) =>
    call<Session>('DELETE', `/api/sessions/${id(s)}/queue/${id(turn)}`),
  /** Bytes of a tool's whole output, from an offset on; fewer at its end. */
  outputPart: async (s: string, output: string, from: number, length: number): Promise<Uint8Array> => {
    const headers = { Range: `bytes=${from}-${from + length - 1}` };
    const response = await fetch(api.outputURL(s, output), { headers, credentials: 'same-origin' }).catch(
      (e: unknown) => {
        throw new ApiError('offline', e instanceof Error ? e.message : String(e));
      },
    );
    if (!response.ok) throw refusal(response.status, await response.text());
    return new Uint8Array(await response.arrayBuffer());
  },
  /** Where a tool's whole output is. */
  outputURL: (s: string, output: string) => `/api/sessions/${id(s)}/outputs/${id(output)}`,
  /** A page of a timeline: the newest, the one before a number, or what came after one. */
  timeline: (s: string, at: { before?: number; after?: number }, limit: number) => {
    const query = new URLSearchParams({ limit: String(limit) });
    if (at.before !== undefined) query.set('before', String(at.before));
    if (at.after !== undefined) query.set('after', String(at.after));
    return call<Timeline>('GET', `/api/sessions/${id(s)}/events?${query}`);
  },

  interactions: (state: 'waiting' | 'moved_on' | 'all', limit: number) =>
    call<InteractionList>('GET', `/api/interactions?state=${state}&limit=${limit}`),
  interaction: (i: string) => call<Interaction>('GET', `/api/interactions/${id(i)}`),
  /** A page of all decisions, newest first. */
  history: (query: Record<string, string>) =>
    call<HistoryPage>('GET', `/api/history?${new URLSearchParams(query)}`),
  /** The decision log as a text, and where a browser gets it as a file. */
  decisionLog: (query: Record<string, string>) => text('GET', api.decisionLogURL(query)),
  decisionLogURL: (query: Record<string, string>) => `/api/history/export?${new URLSearchParams(query)}`,
  profiles: () => call<ProfileList>('GET', '/api/profiles'),
  setProfile: (p: Profile) => call<ProfileList>('PUT', `/api/profiles/${id(p.name)}`, p),
  renameProfile: (from: string, to: string) =>
    call<ProfileList>('POST', `/api/profiles/${id(from)}/rename`, { name: to }),
  removeProfile: (name: string) => call<ProfileList>('DELETE', `/api/profiles/${id(name)}`),
  mcpFile: () => call<MCPFile>('GET', '/api/mcp/file'),
  replaceMCP: (text: string, revision: string) => call<MCPFile>('PUT', '/api/mcp/file', { text, revision }),
  checkMCP: (text: string) => call<MCPProblems>('POST', '/api/mcp/check', { text, revision: '' }),
  editMCP: (e: MCPEdit) => call<MCPFile>('POST', '/api/mcp/edit', e),
  undoMCP: () => call<MCPFile>('POST', '/api/mcp/undo'),
  restoreMCP: (revision: string) => call<MCPRestored>('POST', '/api/mcp/restore', { text: '', revision }),
  effectiveMCP: (agent: string, profile: string, cwd: string) =>
    call<MCPEffective>('GET', `/api/mcp/effective/${id(agent)}?${new URLSearchParams({ profile, cwd })}`),
  previewMCP: (agent: string, profile: string, cwd: string) =>
    call<MCPPreview>('GET', `/api/mcp/preview/${id(agent)}?${new URLSearchParams({ profile, cwd })}`),
  outdatedMCP: () => call<MCPSessions>('GET', '/api/mcp/outdated'),
  tryMCP: (server: string, t: MCPTry) => call<MCPTest>('POST', `/api/mcp/servers/${id(server)}/test`, t),
  importMCP: (r: MCPImportRequest) => call<MCPImport>('POST', '/api/mcp/import', r),
  projectMCP: (cwd: string) => call<MCPProject>('GET', `/api/mcp/project?cwd=${id(cwd)}`),
  trustMCP: (cwd: string, sum: string) => call<MCPProject>('POST', '/api/mcp/trust', { cwd, sum }),
  /** What the person allowed for good. */
  rules: () => call<RuleList>('GET', '/api/approvals'),
  revokeRule: (rule: string) => call<object>('DELETE', `/api/approvals/${id(rule)}`),
  answer: (a: Answer) => call<Reply>('POST', `/api/interactions/${id(a.interaction_id)}/answer`, a),
  moreTime: (i: string) => call<Interaction>('POST', `/api/interactions/${id(i)}/more-time`),
  typing: (i: string) => call<Interaction>('POST', `/api/interactions/${id(i)}/typing`),
  saveDraft: (i: string, d: Draft) => call<DraftReply>('PUT', `/api/interactions/${id(i)}/draft`, d, true),
  /** Claims the right to tell of questions in a notice. */
  noticed: (n: NoticeClaim) => call<NoticeClaim>('POST', '/api/interactions/noticed', n),
  clear: (i: string) => call<object>('POST', `/api/interactions/${id(i)}/clear`),
};
