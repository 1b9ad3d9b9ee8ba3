// Package mcp holds the nouns of managed MCP servers: what a server is, the
// set an agent gets, the time limits that set must be given, and the words that
// models are told about our own. It does no I/O and imports nothing of Parley,
// so every part may speak in its terms. Everything in it is a value.
package mcp

import (
	"maps"
	"slices"
	"time"
)

// Transport is how a server is reached.
type Transport string

// Transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"  // the older one, where a CLI still takes it
)

// Spec is one MCP server as it is handed to an agent CLI.
type Spec struct {
	Name      string
	Transport Transport
	Command   string            // stdio: absolute path or a name on PATH
	Args      []string          // stdio
	Env       map[string]string // stdio; never holds a secret of ours
	Cwd       string            // stdio; "" is the agent's own folder
	URL       string            // http, sse
	SecretURL bool              // it was filled in with what only this agent may see
	Headers   map[string]string // http, sse; may hold secrets
	Timeout   time.Duration     // of one tool call; 0 leaves the CLI's own
	Managed   bool              // ours
	// AlwaysLoad keeps the tools visible where a CLI hides tools behind search.
	AlwaysLoad bool
	// AutoAllow names the tools that must not ask for permission, in the
	// server's own spelling. For our asking tools: a permission card in front
	// of a question helps nobody.
	AutoAllow []string
}

// Start is a server that parley-mcp starts for a CLI which would show the server's
// environment to everybody: the JSON of a file that its owner alone may read.
type Start struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Clone returns a copy that shares nothing with s.
func (s Spec) Clone() Spec {
	s.Args = slices.Clone(s.Args)
	s.Env = maps.Clone(s.Env)
	s.Headers = maps.Clone(s.Headers)
	s.AutoAllow = slices.Clone(s.AutoAllow)
	return s
}

// Catalog is the ordered set of servers that one agent gets. Names are unique.
type Catalog []Spec

// Names of the managed server. The older name stays understood in stored
// overrides and disable lists and is never registered.
const (
	InteractionServer      = "parley-interaction"
	OlderInteractionServer = "parley-plan"
)

// Names of its tools.
const (
	ToolUpdatePlan = "parley_update_plan"
	ToolClarify    = "parley_clarify"
	ToolForm       = "interactive_form_question"
)

// Environment of parley-mcp. None of them ever holds a secret.
const (
	EnvRunCredential     = "PARLEY_RUN_CREDENTIAL"         // path of a 0600 file
	EnvToolset           = "PARLEY_MCP_TOOLSET"            // toolset when no argument is given
	EnvUserClarification = "PARLEY_MCP_USER_CLARIFICATION" // "1" offers the asking tools
	EnvNativeTaskPlan    = "PARLEY_MCP_NATIVE_TASK_PLAN"   // "1" offers none of ours
	EnvManaged           = "PARLEY_MANAGED_MCP"            // "1" marks the entry as ours
)

// Interaction returns the managed server for one launch. command is the path
// of parley-mcp, credential that of the launch's credential file; mayAsk offers
// the asking tools, nativePlan withholds all of ours.
func Interaction(command, credential string, mayAsk, nativePlan bool, limits Limits) Spec {
	flag := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	return Spec{
		Name:      InteractionServer,
		Transport: Stdio,
		Command:   command,
		Args:      []string{"interaction"},
		Env: map[string]string{
			EnvRunCredential:     credential,
			EnvUserClarification: flag(mayAsk),
			EnvNativeTaskPlan:    flag(nativePlan),
			EnvManaged:           "1",
		},
		Timeout:    limits.ToolBudget(),
		Managed:    true,
		AlwaysLoad: true,
		AutoAllow:  []string{ToolUpdatePlan, ToolClarify, ToolForm},
	}
}

// Limits are the times of a question, in rising order: its deadline, the longest
// it may be moved to, the transport's patience, and what the CLI is told to
// allow for a tool call. Each must outlast the one before, or a clock that the
// person can't see ends the question.
type Limits struct {
	Deadline time.Duration // default 300 s, setting 60 s to 24 h
	MaxWait  time.Duration // default 60 min, never under Deadline
}

// Bounds and defaults.
const (
	DefaultDeadline = 300 * time.Second
	MinDeadline     = 60 * time.Second
	MaxDeadline     = 24 * time.Hour
	DefaultMaxWait  = 60 * time.Minute
	MinToolBudget   = 360 * time.Second
)

// DefaultLimits are the times without any setting.
func DefaultLimits() Limits { return Limits{Deadline: DefaultDeadline, MaxWait: DefaultMaxWait} }

// Clamp brings the limits into their bounds; zero means default.
func (l Limits) Clamp() Limits {
	if l.Deadline == 0 {
		l.Deadline = DefaultDeadline
	}
	l.Deadline = min(max(l.Deadline, MinDeadline), MaxDeadline)
	if l.MaxWait == 0 {
		l.MaxWait = DefaultMaxWait
	}
	l.MaxWait = max(l.MaxWait, l.Deadline)
	return l
}

// Transport is how long parley-mcp and the app keep a waiting call open.
func (l Limits) Transport() time.Duration { return l.MaxWait + 30*time.Second }

// ToolBudget is the time limit that the CLI gets for a call of our tools.
func (l Limits) ToolBudget() time.Duration { return max(MinToolBudget, l.MaxWait+budgetMargin) }

// Within shortens the times so that ToolBudget is at most budget, which is
// never under MinToolBudget.
func (l Limits) Within(budget time.Duration) Limits {
	l.MaxWait = min(l.MaxWait, max(budget, MinToolBudget)-budgetMargin)
	l.Deadline = min(l.Deadline, l.MaxWait)
	return l
}

// budgetMargin is how much longer a CLI waits for a call than the question
// may: the answer still has to travel.
const budgetMargin = 60 * time.Second
