package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/agents"
	"parley/app"
	"parley/app/mask"
	"parley/mcp"
)

// Config is what the manager stands on. All fields must be set unless they say
// otherwise.
type Config struct {
	Records Records
	Desk    Desk
	Plans   Plans
	Bus     Bus
	// Adapter finds the adapter of a family; false: there is no such family now.
	Adapter func(agents.Family) (agents.Adapter, bool)
	// Install finds the CLI of a family. An unusable one carries a Problem.
	Install func(ctx context.Context, f agents.Family) (agents.Install, error)
	// Env is the person's environment, as an agent gets it before anything else.
	Env func(ctx context.Context) []string
	// Secret is what the keyring adds to it for one agent in one profile, as
	// "NAME=value"; nil adds nothing.
	Secret func(ctx context.Context, agent, profile string) ([]string, error)
	// Profile is what a profile adds to env for one agent, as "NAME=value", with
	// those of the values that are secret; nil adds nothing.
	Profile func(ctx context.Context, agent, profile string, env []string) (vars, secrets []string, err error)
	// Defaults are the model and effort of a profile's new sessions that name none,
	// and an error when there is no such profile; nil has none.
	Defaults func(ctx context.Context, agent, profile string) (model, effort string, err error)
	// Servers decides what MCP servers an agent gets, ours among them unless it
	// is switched off there, and the limits that its overrides leave.
	Servers func(ctx context.Context, l ServerLaunch) (Servers, error)
	// Limits are the times of questions now.
	Limits func() mcp.Limits
	// Branch is the git branch of a folder, "" when it has none.
	Branch func(dir string) string
	// Scratch makes a folder for a session that was given none.
	Scratch func(now time.Time) (string, error)
	// Pictures are those of messages; with nil there are none.
	Pictures Pictures

	// Outputs keeps long outputs of tools whole; with nil they are only cut.
	Outputs Outputs

	RunDir   string // holds one 0700 folder for each running agent
	Launches string // folder of the launch records, or "" to keep none
	Socket   string // of the control channel, for parley-mcp
	MCP      string // path of parley-mcp
	Shim     string // path of parley-run
	Root     bool   // Parley runs as root
	// Secrets learns what agents are given and hides it in what is recorded; nil
	// hides what looks like a secret and nothing else.
	Secrets *mask.Secrets

	Now  func() time.Time // nil is time.Now
	Log  *slog.Logger     // nil is slog.Default
	Wait Waits            // zero fields have their defaults
}

// ServerLaunch is an agent that is about to start.
type ServerLaunch struct {
	Session app.SessionID
	Family  agents.Family
	Profile string
	Cwd     string
	Env     []string // "NAME=value"
	Ours    mcp.Spec // our own server, for this launch
	Limits  mcp.Limits
}

// Servers is what an agent gets.
type Servers struct {
	Catalog mcp.Catalog
	Limits  mcp.Limits
	// LeaveOut starts the agent without the servers of its own files; Own names
	// those that are known.
	LeaveOut bool
	Own      []string
	Notices  []string // what a person should know, such as a raised timeout
	Secrets  []string // values in the catalogue that nobody else may see
}

// Waits are the bounds of everything that is waited for.
type Waits struct {
	Open     time.Duration // an agent's start until it takes a message; 3 min
	Tools    time.Duration // until the CLI has listed our tools; 15 s
	Stop     time.Duration // an interrupted turn's end, then the tree is ended, unless its family asks for longer; 5 s
	Last     time.Duration // what an ended agent still has to say; 2 s
	ToolCall time.Duration // a tool call's place in the stream, to tell a sub-agent; 1 s
	End      time.Duration // an agent's polite end, before its tree is ended; 1 s
	Record   time.Duration // a record that takes nothing, when a session's end has come; 3 s
}

func (w Waits) withDefaults() Waits {
	for _, f := range []struct {
		wait      *time.Duration
		otherwise time.Duration
	}{
		{&w.Open, 3 * time.Minute}, {&w.Tools, 15 * time.Second}, {&w.Stop, 5 * time.Second},
		{&w.Last, 2 * time.Second}, {&w.ToolCall, time.Second}, {&w.End, time.Second},
		{&w.Record, 3 * time.Second},
	} {
		if *f.wait == 0 {
			*f.wait = f.otherwise
		}
	}
	return w
}

func (c Config) withDefaults() (Config, error) {
	if c.Records == nil || c.Desk == nil || c.Plans == nil || c.Bus == nil || c.Install == nil || c.Env == nil ||
		c.Servers == nil || c.Limits == nil || c.Branch == nil || c.Scratch == nil || c.RunDir == "" || c.Adapter == nil {
		return c, errors.New("session: the config is incomplete")
	}
	if c.Pictures == nil {
		c.Pictures = noPictures{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Wait = c.Wait.withDefaults()
	return c, nil
}

// Plans keeps the task cards.
type Plans interface {
	// Update stores the whole plan of a turn and returns it with its revision.
	Update(ctx context.Context, session app.SessionID, turn app.TurnID, explanation string, steps []app.PlanStep) (app.Plan, error)
}
