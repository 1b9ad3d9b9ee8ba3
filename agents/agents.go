// Package agents is the contract between Parley and a family of agent CLIs:
// what a family tells about itself, how it plans a launch, how a live
// conversation is held, and what an agent may say and ask. It starts nothing
// and reads nothing; processes are agents/proc's, protocols the families'.
package agents

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"parley/mcp"
)

// Family is a kind of agent CLI.
type Family string

// The closed set of families.
const (
	Claude   Family = "claude"
	Codex    Family = "codex"
	OpenCode Family = "opencode"
	Grok     Family = "grok"
	Pi       Family = "pi"
	DSH      Family = "dsh"
	ACP      Family = "acp"
	Chat     Family = "chat"
	Demo     Family = "demo"
)

// Mode is a permission mode; each family documents its mapping in one table.
type Mode string

// Permission modes.
const (
	ModePlan  Mode = "plan"  // read only, plan first
	ModeAsk   Mode = "ask"   // default: whatever changes something is asked
	ModeEdits Mode = "edits" // file edits in the workspace go through
	ModeFull  Mode = "full"  // nothing is asked
)

// Caps is what a family can do.
type Caps struct {
	Resume    bool // continue a session after its process ended
	Images    bool // pictures in a message
	Steer     bool // a message into the running turn
	Interrupt bool // stop a turn and keep the process
	Fork      bool // copy a conversation and go on in the copy; see SessionSpec.Fork
	Defer     Defer
	Models    []ModelInfo
	Efforts   []string // of reasoning that a session may be started with, least first; nil when there is no choice
	Modes     []Mode
	// NativePlan and NativeAsk: the CLI has such tools of its own.
	NativePlan bool
	NativeAsk  bool
}

// Defer is how a form ends the run.
type Defer string

// Ways to end a run for a form.
const (
	// DeferInterrupt stops the turn as a person would. The answer goes out as the
	// text of the next turn. It needs nothing of a family beyond Interrupt.
	DeferInterrupt Defer = ""
	// DeferCall has the CLI put the call itself aside: it asks Host.Defer before
	// it makes the call, ends the turn with StopDefer, and makes the call when it
	// is started again with that conversation. The answer is the call's result.
	DeferCall Defer = "call"
)

// ModelInfo is one model a person may choose.
type ModelInfo struct {
	ID      string
	Name    string
	Efforts []string // where the CLI tells them for each model; nil leaves those of the family
}

// Info is what a family tells about itself.
type Info struct {
	Family   Family
	Name     string   // "Claude Code"
	Mark     string   // two letters for lists
	Binaries []string // names to look for, best first
	// Folders are places where its installers put the CLI, beside PATH; "~/" is
	// the home folder.
	Folders    []string
	Args       []string // with which each of them is started, before all others; nil for none
	LeastKnown string   // oldest version this adapter was run with, "" when any
	InstallCmd string   // a command that installs it
	LoginCmd   string   // a command that logs in
	WhenFound  bool     // nobody is told of the family where it is not installed
	PlanOnly   bool     // its agents get the tool for plans and may not ask the person
	// StopWithin is how long its agents may take to heed a stop before their
	// processes are ended, where the usual limit is too short for them; 0 else.
	StopWithin time.Duration
	Caps       Caps
}

// Run runs a short probe of an install to its end: argv and environment in,
// output (each capped at 1 MiB) and exit code out. It has a limit of its own
// and an empty stdin. Families get it handed in, so that they start nothing.
type Run func(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error)

// Login says whether a CLI is logged in.
type Login string

// States of login.
const (
	LoginYes     Login = "yes"
	LoginNo      Login = "no"
	LoginUnknown Login = "unknown" // it cannot be told without asking a model
	LoginNone    Login = "none"    // none is needed
)

// Install is one found CLI.
type Install struct {
	Family  Family
	Path    string   // absolute; "" when none was found
	Args    []string // fixed arguments before all others, such as {"agent", "demo"}
	Version string   // "" when it would not tell
	Login   Login
	Models  []ModelInfo // as the CLI itself lists them; nil when it does not, then the family's own
	Problem *Problem    // why it cannot be used as it is, or nil
	// Once says that it can be launched only as one whose process answers a single
	// message; see Launch.Once. Such an install neither steers nor forks.
	Once bool
}

// Problem says what went wrong, what to do, and what was seen.
type Problem struct {
	Code     string // not_installed, not_logged_in, too_old, broken, exited, rate_limited, overloaded, refused_mode, garbage, network …
	Title    string // one sentence: what happened
	Advice   string // one sentence: what to do
	Command  string // a command that fixes it, or ""
	Evidence string // last lines of output, or ""
	ResetAt  time.Time
}

// SessionSpec is what a session starts an agent with.
type SessionSpec struct {
	SessionID string
	NativeID  string // the CLI's own id to resume, "" for a new conversation
	// Fork says that NativeID is the conversation of another session: it is copied
	// as it is now, and the copy goes on under an id of its own, which a Started
	// tells once there is something to come back to. The other one stays as it is.
	// It is set for families with Caps.Fork alone.
	Fork    bool
	Cwd     string
	Model   string // "" is the CLI's own default
	Effort  string
	Mode    Mode
	Catalog mcp.Catalog
	Limits  mcp.Limits
	MCP     string   // absolute path of parley-mcp
	RunDir  string   // absolute 0700 folder for generated files, ours alone
	Env     []string // full environment of the child before the family's additions
	// Guidance is our text for the system prompt, for CLIs that drop the MCP
	// server's instructions; "" when the server is not handed out.
	Guidance string
	// Deferred is the tool id of a call that the CLI put aside in this
	// conversation and will make now; "" when there is none. See Turn.Deferred.
	Deferred string
	// OwnServers keeps the person's own MCP servers in force (the default).
	OwnServers bool
	// Own names those servers, as far as Parley finds them in the CLI's files: some
	// CLIs leave out nothing but what is named.
	Own  []string
	Root bool // Parley runs as root, which some CLIs treat differently
}

// File is one generated file of a launch.
type File struct {
	Path string // absolute, inside RunDir
	Data []byte
	Mode uint32 // permission bits, 0600 unless it must run
}

// Connect is how an agent is spoken to.
type Connect string

// Ways to connect.
const (
	ConnectStdio Connect = "stdio" // lines on stdin and stdout
	ConnectHTTP  Connect = "http"  // a loopback server that the agent prints or is given
)

// Launch is a plan: everything that starting an agent needs, decided without
// touching anything.
type Launch struct {
	Argv    []string // Argv[0] is absolute; never holds a secret
	Env     []string // the full environment
	Dir     string
	Files   []File
	Connect Connect
	// Masked lists texts that must not be printed: values of secret variables
	// and headers.
	Masked []string
	// Once says that the process answers one message and ends with its turn. It
	// does nothing before that message, its MCP servers included, and the next
	// one resumes the conversation in a process of its own. It cannot be
	// interrupted but by its end.
	Once bool
}

// Turn is one input.
type Turn struct {
	ID    string
	Text  string // as typed
	Files []Attachment
	// Deferred begins the turn with the call of SessionSpec.Deferred in place of a
	// message: its result holds all that the agent is told. Text is the same as a
	// message, for a CLI that turns out to have lost the call.
	Deferred bool
	// Context is the block that goes to the end of the input, "" when this turn
	// may not ask or is a slash command of the CLI. It is never stored or shown.
	Context string
}

// Attachment is a file or picture that goes along with an input.
type Attachment struct {
	Name string
	Mime string
	Path string
}

// Conn is a started agent as its adapter sees it.
type Conn struct {
	In   io.WriteCloser  // its stdin
	Out  io.Reader       // its stdout
	Done <-chan struct{} // closed when the process tree has ended
	Once bool            // it was started by a Launch with Once
}

// Adapter is one family. All methods may be called from any goroutine; Plan,
// Diagnose and Info are pure.
type Adapter interface {
	Info() Info
	// Inspect looks at a found binary: version, login state, problem. env is
	// the environment the agent would get.
	Inspect(ctx context.Context, run Run, path string, env []string) Install
	// Plan decides a launch. It returns a *PlanError when the wish cannot be
	// fulfilled, such as full access as root.
	Plan(Install, SessionSpec) (Launch, error)
	// Open begins the conversation on a started process and returns when the
	// agent can take a Prompt. ctx ends the opening, not the conversation,
	// which lives until Close or until the connection ends. It returns a
	// *PlanError when the agent answered and cannot hold this conversation: not
	// logged in, another protocol version, a session it does not know.
	Open(ctx context.Context, conn Conn, spec SessionSpec, host Host) (Agent, error)
	// Diagnose turns an unexpected end into a sentence and advice. tail is the
	// end of its stderr.
	Diagnose(exit Exit, tail string) Problem
}

// PlanError is a wish that a family cannot fulfil.
type PlanError struct{ Problem Problem }

// Error implements error.
func (e *PlanError) Error() string { return e.Problem.Title }

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 when it was ended by a signal
	Signal string // "" when it exited by itself
}

// Agent is a live conversation. Its methods return once the request is on its
// way; what follows comes as events. They may be called from any goroutine and
// return an error when the conversation is over.
type Agent interface {
	// Prompt begins a turn. An Ended event follows in every case.
	Prompt(ctx context.Context, t Turn) error
	// Steer puts a message into the running turn; ErrUnsupported where the
	// protocol cannot.
	Steer(ctx context.Context, t Turn) error
	// Interrupt asks the running turn to stop and keeps the process. The turn
	// ends with an Ended event.
	Interrupt(ctx context.Context) error
	// SetMode changes the permission mode from the next request on.
	SetMode(ctx context.Context, m Mode) error
	// Close ends the conversation politely (end of input); the process tree is
	// ended by its owner afterwards.
	Close(ctx context.Context) error
}

// Host is what an agent may tell and ask. Emit never blocks on a person. Ask
// blocks until the interaction is settled or ctx ends (the agent withdrew it);
// call it on a goroutine of its own, never on the reader's. Emit keeps its
// order; an Ask takes effect after every event emitted before it.
type Host interface {
	Emit(Event)
	Ask(ctx context.Context, in Interaction) Outcome
	// Defer tells of a call of the form tool before a CLI with DeferCall makes it.
	// It reports true once the form is recorded: then the call is put aside and
	// the turn ends. Otherwise the call is made; its result says what was wrong.
	// It keeps its order like Ask and waits for no person.
	Defer(ctx context.Context, call FormCall) bool
}

// FormCall is a call of the form tool that a CLI is about to make.
type FormCall struct {
	ToolID string
	Input  json.RawMessage
}

// Event is what an agent does. It is a closed set.
type Event interface{ event() }

// Started says that the conversation is up. It may come again, for instance
// when the native id changes on resume.
type Started struct {
	NativeID string
	Model    string
	Version  string
	Servers  []ServerState // MCP servers as the CLI reports them
}

// ServerState is an MCP server as the CLI sees it.
type ServerState struct{ Name, State, Error string }

// TurnBegan says that the CLI began a turn that nobody requested.
type TurnBegan struct{ Reason string }

// Text is a piece of the agent's message, or its whole when Done. With Done,
// Text holds the full text, which repairs lost pieces.
type Text struct {
	MessageID string
	Text      string
	Done      bool
	Partial   bool   // with Done: cut off
	Parent    string // tool id of the sub-agent that speaks, "" for the agent itself
}

// Thought is the same for reasoning.
type Thought struct {
	MessageID string
	Text      string
	Done      bool
	Parent    string
}

// ToolStarted says that a tool call began. A second one with the same ID
// replaces title and input.
type ToolStarted struct {
	ID     string
	Name   string
	Kind   string // app.ToolKind: read, search, edit, write, run, fetch, agent, ask, plan, mcp, other
	Title  string
	Input  json.RawMessage
	Parent string
}

// ToolProgress is output or a remark while a tool runs.
type ToolProgress struct {
	ID     string
	Text   string
	Output string // appended
}

// ToolEnded says how a tool call ended.
type ToolEnded struct {
	ID     string
	Status string // ok, failed, cancelled
	Output string
}

// FileChanged is a change to a file, as the CLI reports it.
type FileChanged struct {
	Path    string // absolute or relative to the session's folder
	Change  string // added, modified, deleted
	Added   int    // lines, -1 unknown
	Removed int
	ToolID  string
	Diff    string
}

// Plan is the CLI's own task list, the whole each time.
type Plan struct{ Steps []PlanStep }

// PlanStep is one line of it.
type PlanStep struct{ ID, Step, Status string } // pending, in_progress, completed

// Usage is what was used in this session so far; nil is unknown.
type Usage struct {
	Input, Output, Cached *int64
	CostUSD               *float64
	ContextUsed, Window   *int64
}

// CallLost says that the call of SessionSpec.Deferred does not come, so that the
// input of the turn went out as a message in its place.
type CallLost struct{ ToolID string }

// Notice is a remark a person should see: a retry, a compaction, a rate limit.
type Notice struct {
	Level  string // info, warning, error
	Code   string
	Text   string
	Advice string
}

// Unknown is a line that was not understood. It never ends a turn.
type Unknown struct{ Raw string }

// Stop is why a turn ended.
type Stop string

// Stops.
const (
	StopDone    Stop = "done"
	StopStopped Stop = "stopped" // interrupted
	StopLimit   Stop = "limit"   // turns, budget, context
	StopRefused Stop = "refused"
	StopFailed  Stop = "failed"
	StopDefer   Stop = "tool_deferred"
)

// Ended says that the turn is over. Every event of the turn was emitted before.
type Ended struct {
	Stop    Stop
	Usage   *Usage
	Problem *Problem // with StopFailed, StopLimit, StopRefused
	Native  string   // the CLI's own word for the reason
	// Unrequested says that no Prompt had a part in the turn: it began with a
	// TurnBegan, perhaps while a Prompt was on its way, which then begins another.
	Unrequested bool
}

func (Started) event()      {}
func (TurnBegan) event()    {}
func (Text) event()         {}
func (Thought) event()      {}
func (ToolStarted) event()  {}
func (ToolProgress) event() {}
func (ToolEnded) event()    {}
func (FileChanged) event()  {}
func (Plan) event()         {}
func (Usage) event()        {}
func (CallLost) event()     {}
func (Notice) event()       {}
func (Unknown) event()      {}
func (Ended) event()        {}

// Ask is the kind of an interaction that an agent raises over its own
// protocol. (Our own tools arrive over parley-mcp instead.)
type Ask string

// Kinds.
const (
	AskApproval    Ask = "approval"
	AskElicitation Ask = "elicitation"
	AskNative      Ask = "native"
)

// Interaction is a question that an agent puts to the person.
type Interaction struct {
	Kind     Ask
	ToolID   string
	Parent   string // set when a sub-agent asks
	Title    string // the question, or what an elicitation says
	Server   string // the MCP server that asks through the agent, or ""
	Fields   []Field
	URL      string
	Approval *Approval
}

// Field is one question.
type Field struct {
	ID          string
	Question    string
	Header      string
	Description string
	Type        string // choice, text, boolean, number, integer
	Options     []Option
	Multi       bool
	Required    bool
	FreeText    bool
	Default     []string
	Format      string
	Minimum     *float64
	Maximum     *float64
	MinLength   *int
	MaxLength   *int
	MinItems    *int // of a choice with several answers
	MaxItems    *int
}

// Option is one proposed answer.
type Option struct {
	Label, Value, Description, Preview string
	Recommended                        bool
}

// Approval is a permission request.
type Approval struct {
	Tool    string
	Title   string
	Detail  string
	Diff    string
	Why     string
	Command string
	Path    string // file or folder touched, "" if none
	// Lasting says that Tool is the tool's true name, and that the same tool, or
	// exactly the same Command, may be allowed for longer. It is false for what
	// is decided once, such as a plan, and where only a title is known.
	Lasting bool
	Scopes  []string // allow_once, allow_session, allow_always: what the CLI can carry out
	Input   json.RawMessage
}

// Outcome is what became of an Ask. Answers are by field id: labels or values
// chosen, with typed text joined in; Typed repeats the typed part.
type Outcome struct {
	Reason  string // response, dismissed, timeout, cancelled
	Action  string // allow_once, allow_session, allow_always, deny, accept, decline
	Answers map[string][]string
	Typed   map[string]string
	Note    string // a person's reason with a deny
	Refused string // a sentence for the agent when the session may not ask at all
}
