// Package grok is the family of Grok, xAI's coding agent: `grok agent stdio`,
// which speaks ACP with extensions of its own. The conversation is acpclient's;
// here is what differs: time limits of tools, the permission modes, the CLI's
// questions and those of MCP servers, its login, and what it says of itself.
//
// The adapter has no state and may be used from any goroutine.
package grok

import (
	"context"
	"slices"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/acpclient"
)

// New returns the adapter. version is Parley's, told to the CLI.
func New(version string) agents.Adapter {
	return adapter{Adapter: acp.New(acp.Entry{
		Family: agents.Grok, Name: "Grok", Mark: "Gr",
		Binaries: []string{"grok"},
		Folders: []string{
			"~/.grok/bin", // every installer of its own
			"~/.local/bin",
			"~/.npm-global/bin",
			"~/.bun/bin",
			"~/.volta/bin",
			"~/.nvm/versions/node/*/bin",
			"/opt/homebrew/bin",
			"/usr/local/bin",
		},
		VersionArgs: []string{"--version"},
		InstallCmd:  "npm install -g @xai-official/grok",
		LoginCmd:    "grok login",
		Modes:       map[agents.Mode]string{agents.ModePlan: "plan", agents.ModeAsk: "default", agents.ModeEdits: "default", agents.ModeFull: "default"},
		Resume:      true, NativeAsk: true,
	}), version: version}
}

type adapter struct {
	agents.Adapter // what holds for every ACP agent
	version        string
}

// Info implements agents.Adapter.
func (a adapter) Info() agents.Info {
	info := a.Adapter.Info()
	info.LeastKnown = "1.0.41"
	info.Caps.NativePlan = true
	return info
}

// Plan implements agents.Adapter. The process must be one of its own: the
// person's configuration may have all sessions share one.
func (a adapter) Plan(in agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	launch, err := a.Adapter.Plan(in, spec)
	if err != nil {
		return launch, err
	}
	var before, after []string
	switch spec.Mode {
	case agents.ModeEdits:
		before = []string{"--permission-mode", "acceptEdits"}
	case agents.ModeFull:
		after = []string{"--always-approve"}
	}
	launch.Argv = slices.Concat([]string{in.Path, "--no-auto-update"}, before, []string{"agent", "--no-leader"}, after, []string{"stdio"})
	return launch, nil
}

// Open implements agents.Adapter.
func (a adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	c, err := acpclient.Open(ctx, conn, spec, host, acpclient.Config{
		Name: "Grok", Version: a.version, LoginCmd: a.Info().LoginCmd, Modes: nativeModes(spec.Mode), Extension: extension(spec),
	})
	if err != nil {
		return nil, err // not c, which would be a nil that is none
	}
	return c, nil
}

// nativeModes are the CLI's own modes that a running process can be switched to.
// Planning is a mode of the conversation, which outlasts the process; what is
// asked for is decided when the process starts.
func nativeModes(launched agents.Mode) map[agents.Mode]string {
	modes := map[agents.Mode]string{launched: "default"}
	if launched == agents.ModePlan || launched == agents.ModeAsk {
		modes[agents.ModePlan], modes[agents.ModeAsk] = "plan", "default"
	}
	return modes
}
