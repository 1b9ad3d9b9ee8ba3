// Package api is what a user interface may call and hear: one http.Handler
// with one event stream. The window, the browser gateway and the unix socket
// mount the same handler; which door a call came through is told by its
// context, never by the caller. Services are small interfaces of this package.
//
// Types the page shares live here and in package app; their TypeScript is
// generated (go generate ./app/api), never written twice.
package api

import "parley/app"

// The calls are listed in routes.go and described in docs/api.md. All are JSON;
// errors are {"error": app.WireError}.

// Empty is the body of a call that has nothing to say.
type Empty struct{}

// About tells what answers.
type About struct {
	Version  string `json:"version"`
	Home     string `json:"home"`     // the person's home folder, to shorten paths
	DataDir  string `json:"data_dir"` // where the record lies
	Platform string `json:"platform"` // linux, darwin, windows
	Root     bool   `json:"root"`     // runs as root
	// Problems are sentences on what was wrong when this back end came up, such
	// as a damaged record that was kept aside.
	Problems []string `json:"problems,omitempty"`
	Now      int64    `json:"now"`
}

// Frame is one message of the stream: the present first, then batches of
// events, at most one every 33 ms. Resync says that events were lost for this
// client: it must take the Snapshot that comes with it and fetch timelines anew.
type Frame struct {
	Snapshot *app.Snapshot `json:"snapshot,omitempty"`
	Resync   bool          `json:"resync,omitempty"`
	Events   []app.Event   `json:"events,omitempty"`
}

// Agent is one family with what was found of it on this computer.
type Agent struct {
	Family     string       `json:"family"`
	Name       string       `json:"name"`
	Mark       string       `json:"mark"`
	State      AgentState   `json:"state"`
	Path       string       `json:"path"`
	Version    string       `json:"version"`
	Problem    *app.Problem `json:"problem,omitempty"`
	InstallCmd string       `json:"install_cmd"`
	LoginCmd   string       `json:"login_cmd"`
	Models     []Model      `json:"models"`            // never nil; the CLI's own default is always offered beside
	Efforts    []string     `json:"efforts,omitempty"` // of reasoning, least first; absent when there is no choice
	Modes      []string     `json:"modes"`             // never nil
	CanSteer   bool         `json:"can_steer"`
	CanResume  bool         `json:"can_resume"`
	CanImages  bool         `json:"can_images"`
	CanFork    bool         `json:"can_fork"` // a session of its can be forked
}

// AgentState is whether an agent can be started.
type AgentState string

// States of an agent.
const (
	AgentReady       AgentState = "ready"
	AgentNotLoggedIn AgentState = "not_logged_in"
	AgentTooOld      AgentState = "too_old"
	AgentBroken      AgentState = "broken"
	AgentNotFound    AgentState = "not_found"
	AgentUnchecked   AgentState = "login_unknown" // can be started; whether it is logged in shows then
)

// Model is a model a person may choose.
type Model struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Efforts []string `json:"efforts,omitempty"` // of this model; absent leaves those of the agent
}

// AgentList is every family, usable ones first.
type AgentList struct {
	Agents []Agent `json:"agents"`
	// PathSource says where the PATH that was searched came from: the login
	// shell, or known folders when the shell would not tell (with Problem).
	PathSource string `json:"path_source"`
	Problem    string `json:"problem,omitempty"`
	At         int64  `json:"at"`
}

// DoctorRequest names the families to try; none is every CLI that was found.
type DoctorRequest struct {
	Agents []string `json:"agents"`
}

// NewSession starts a session. Prompt may be empty: then it waits, idle.
type NewSession struct {
	Agent   string `json:"agent"`
	Cwd     string `json:"cwd"` // "" only for the demo agent, which makes a scratch folder
	Model   string `json:"model,omitempty"`
	Effort  string `json:"effort,omitempty"`
	Mode    string `json:"mode,omitempty"` // "" is ask
	Profile string `json:"profile,omitempty"`
	Title   string `json:"title,omitempty"` // "" is made from the prompt
	Prompt  string `json:"prompt,omitempty"`
	// Attachments go along with Prompt.
	Attachments []app.Attachment `json:"attachments,omitempty"`
	// Env are variables of the caller that differ from the back end's, kept for
	// this session in memory only. Accepted from the command line alone.
	Env map[string]string `json:"env,omitempty"`
	// Fast shortens the demo agent's pace; tests use it.
	Fast bool `json:"fast,omitempty"`
}

// SessionChange changes what is set; nil leaves a field as it is. Model and
// mode hold from the next request on.
type SessionChange struct {
	Title *string `json:"title,omitempty"`
	Mode  *string `json:"mode,omitempty"`
	Model *string `json:"model,omitempty"`
}

// SessionList is the sessions, newest first.
type SessionList struct {
	Sessions []app.Session `json:"sessions"`
}

// Timeline is a page of a session's durable events in rising order. Through is
// the newest number the page is true for: the stream goes on from there.
type Timeline struct {
	Events  []app.Event `json:"events"`
	Through int64       `json:"through"`
	More    bool        `json:"more"` // there are older ones
	// Live holds the text that is streaming now and is in no durable event yet.
	Live []app.Event `json:"live"`
}

// MessageHow says what happens to a message while a turn runs.
type MessageHow string

// Ways to send.
const (
	HowQueue MessageHow = "queue" // after the running turn; at once when idle
	HowSteer MessageHow = "steer" // into the running turn
)

// NewMessage is the next input.
type NewMessage struct {
	Text        string           `json:"text"`
	How         MessageHow       `json:"how,omitempty"` // "" is queue
	Attachments []app.Attachment `json:"attachments,omitempty"`
}

// NewPicture is a picture that was pasted or dropped. What it is, its bytes say.
type NewPicture struct {
	Name string `json:"name"` // shown, "" is picture
	Data []byte `json:"data"` // in base64
}

// MessageReply says what became of it.
type MessageReply struct {
	TurnID app.TurnID `json:"turn_id"`
	Queued bool       `json:"queued"`
}

// QueueChange edits or moves a queued message; nil leaves it as it is.
type QueueChange struct {
	Text  *string `json:"text,omitempty"`
	Index *int    `json:"index,omitempty"` // new place, from 0
}

// DraftReply is what became of a draft. Saved is false when Draft, what is kept,
// is another one: somebody else has a draft of the same or a higher revision, or
// it can't be answered any more and there is none.
type DraftReply struct {
	Saved bool       `json:"saved"`
	Draft *app.Draft `json:"draft,omitempty"`
}

// InteractionList is interactions, waiting ones by time left, then newest.
type InteractionList struct {
	Interactions []app.Interaction `json:"interactions"`
}

// ProcessList is an agent's tree, parents before children.
type ProcessList struct {
	Processes []app.Process `json:"processes"`
}

// ProcessTrees is what runs for all sessions, newest session first.
type ProcessTrees struct {
	Trees []app.ProcessTree `json:"trees"`
}

// Folder is one folder that can be chosen.
type Folder struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Git  bool   `json:"git"`
}

// FolderList is a folder's parent and children, and the folders used lately.
type FolderList struct {
	Path    string   `json:"path"`
	Parent  string   `json:"parent"` // "" at the top
	Branch  string   `json:"branch"`
	Folders []Folder `json:"folders"`
	More    bool     `json:"more"` // there are more folders than are listed
	Recent  []Folder `json:"recent"`
}

// Presence says whether the person is looking. Front means that the window or
// tab has the focus; Session is what it shows. A question counts as seen when
// its card is in view in front of the person: Visible are the ids of those.
type Presence struct {
	Client  string        `json:"client"`
	Front   bool          `json:"front"`
	Session app.SessionID `json:"session,omitempty"`
	Visible []string      `json:"visible,omitempty"`
}

// NoticeClaim asks for the right to tell the person of questions in a system
// notice, by their ids. The reply names those that nobody has told of yet: a
// question is told of once in its life, whatever windows there are.
type NoticeClaim struct {
	Interactions []string `json:"interactions"`
}

// RuleList is the permissions that the person gave for good, newest first.
type RuleList struct {
	Rules []app.Rule `json:"rules"`
}

// SecretList is what there is, without values, and where a new one would rest.
type SecretList struct {
	Place   app.SecretPlace `json:"place"`
	Secrets []app.Secret    `json:"secrets"`
}

// SecretValue is a secret on its way in.
type SecretValue struct {
	Value string `json:"value"`
}

// ServeRequest asks for the page to be served to browsers for as long as the
// request stays open. Another address than the loopback's needs AllowHosts.
type ServeRequest struct {
	Listen     string   `json:"listen,omitempty"`      // "" is 127.0.0.1:0, a free port
	AllowHosts []string `json:"allow_hosts,omitempty"` // further values of Host, such as "box.lan:8080"
}

// ServeReply says where the page is served. It is one line; further bytes do
// not follow, and the end of the response is the end of the serving.
type ServeReply struct {
	URL       string `json:"url"`
	Link      string `json:"link"`       // lets one browser in, once
	ExpiresAt int64  `json:"expires_at"` // of the link
}

// Environment tells what an agent's environment holds without telling it: sums
// of salt, name, "=" and value, as SHA-256 in hexadecimal digits. The command
// line finds by them which of its own variables differ.
type Environment struct {
	Salt string            `json:"salt"`
	Sums map[string]string `json:"sums"` // by name
}

// Conflict is the body of a refused call: the error, and beside
// already_resolved what was accepted before.
type Conflict struct {
	Error   app.WireError `json:"error"`
	Outcome *app.Outcome  `json:"outcome,omitempty"`
	Late    *app.Late     `json:"late,omitempty"`
}

// ProfileList is the profiles, the default one first.
type ProfileList struct {
	Profiles []app.Profile `json:"profiles"`
}

// ProfileName is the name that a profile gets.
type ProfileName struct {
	Name string `json:"name"`
}

// MCPText is a text of the override file, and the revision that it replaces.
type MCPText struct {
	Text     string `json:"text"`
	Revision string `json:"revision"`
}

// MCPProblems lists what is wrong with a text.
type MCPProblems struct {
	Problems []app.MCPProblem `json:"problems"`
}

// MCPRestored is the file after its last good text was put back.
type MCPRestored struct {
	File  app.MCPFile `json:"file"`
	Aside string      `json:"aside"` // where the broken text is kept
}

// MCPSessions lists sessions whose agent has other servers than it would get now.
type MCPSessions struct {
	Sessions []app.SessionID `json:"sessions"`
}

// MCPTry names a server to try, as it would reach an agent.
type MCPTry struct {
	Agent   string `json:"agent"` // "" is any
	Profile string `json:"profile"`
	Cwd     string `json:"cwd"` // of a project, or ""
}

// MCPTrust trusts a project's file by the content that the person saw.
type MCPTrust struct {
	Cwd string `json:"cwd"`
	Sum string `json:"sum"`
}
