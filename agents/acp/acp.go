// Package acp is the family of agents that speak ACP, the Agent Client Protocol,
// without a family of their own: an Entry says what a family says, and the
// conversation is acpclient's. Nothing is written for such an agent; it gets its
// MCP servers over the protocol. It starts no process and knows no other family.
//
// An adapter has no state and may be used from any goroutine.
package acp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"parley/agents"
	"parley/agents/acpclient"
)

// Entry describes one ACP agent.
type Entry struct {
	Family   agents.Family
	Name     string   // "Demo agent"
	Mark     string   // two letters for lists
	Binaries []string // names to look for, or absolute paths, best first
	Folders  []string // to look in beside PATH
	Args     []string // what makes the program speak ACP, such as {"agent", "demo"}
	// VersionArgs make the program print its version and end. Nil asks nothing,
	// and the version stays unknown.
	VersionArgs []string
	Env         []string // added to the agent's environment
	Login       agents.Login
	InstallCmd  string
	LoginCmd    string
	// Modes maps permission modes to the agent's own ids; "" is the mode it
	// starts in. A mode that is absent is refused.
	Modes     map[agents.Mode]string
	Images    bool
	Resume    bool
	Fork      bool // as far as is known; one that then does not announce it says so
	NativeAsk bool
	WhenFound bool // nobody is told of it where it is not installed
	PlanOnly  bool // it gets the tool for plans and may not ask the person
	// Client is Parley's version, told to the agent.
	Client string
}

// New returns the adapter of an entry.
func New(e Entry) agents.Adapter { return adapter{e} }

type adapter struct{ entry Entry }

// modes in the order of lists.
var modes = []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull}

// Info implements agents.Adapter.
func (a adapter) Info() agents.Info {
	e := a.entry
	info := agents.Info{
		Family: e.Family, Name: e.Name, Mark: e.Mark,
		Binaries: e.Binaries, Args: e.Args, Folders: e.Folders, InstallCmd: e.InstallCmd, LoginCmd: e.LoginCmd,
		WhenFound: e.WhenFound, PlanOnly: e.PlanOnly,
		Caps: agents.Caps{Resume: e.Resume, Fork: e.Fork, Images: e.Images, Interrupt: true, NativeAsk: e.NativeAsk},
	}
	for _, m := range modes {
		if _, ok := e.Modes[m]; ok {
			info.Caps.Modes = append(info.Caps.Modes, m)
		}
	}
	return info
}

// version is the first thing in a program's output that looks like one.
var version = regexp.MustCompile(`\d+\.\d+(\.\d+)?[0-9A-Za-z.+-]*`)

// Inspect implements agents.Adapter. An agent that will not tell its version can
// still be used; one that cannot be run cannot.
func (a adapter) Inspect(ctx context.Context, run agents.Run, path string, env []string) agents.Install {
	e := a.entry
	install := agents.Install{Family: e.Family, Path: path, Args: e.Args, Login: e.Login}
	if install.Login == "" {
		install.Login = agents.LoginUnknown
	}
	if e.VersionArgs == nil {
		return install
	}
	stdout, stderr, code, err := run(ctx, append([]string{path}, e.VersionArgs...), append(slices.Clip(env), e.Env...))
	switch {
	case errors.Is(err, context.DeadlineExceeded): // slow to start on a busy computer, which is no fault
	case err != nil:
		install.Problem = &agents.Problem{Code: "broken", Title: fmt.Sprintf("%s could not be run.", e.Name),
			Advice: "Install it again.", Command: e.InstallCmd, Evidence: evidence(err.Error() + "\n" + string(stderr))}
	case code == 0:
		install.Version = version.FindString(string(stdout))
	}
	return install
}

// Plan implements agents.Adapter.
func (a adapter) Plan(in agents.Install, spec agents.SessionSpec) (agents.Launch, error) {
	if _, ok := a.entry.Modes[spec.Mode]; !ok && spec.Mode != "" {
		return agents.Launch{}, &agents.PlanError{Problem: agents.Problem{Code: "refused_mode",
			Title:  fmt.Sprintf("%s has nothing that Parley's mode “%s” could stand for.", a.entry.Name, spec.Mode),
			Advice: "Choose another permission mode."}}
	}
	return agents.Launch{
		Argv:    append([]string{in.Path}, in.Args...),
		Env:     append(slices.Clip(in.Environ(spec.Env)), a.entry.Env...),
		Dir:     spec.Cwd,
		Connect: agents.ConnectStdio,
	}, nil
}

// Open implements agents.Adapter.
func (a adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	c, err := acpclient.Open(ctx, conn, spec, host, acpclient.Config{
		Name: a.entry.Name, Version: a.entry.Client, LoginCmd: a.entry.LoginCmd, Modes: a.entry.Modes,
	})
	if err != nil {
		return nil, err // not c, which would be a nil that is none
	}
	return c, nil
}
