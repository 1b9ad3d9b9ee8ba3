// Package registry lists the families that Parley knows. It does nothing else,
// and adding a family is one line here.
package registry

import (
	"maps"
	"path/filepath"
	"slices"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/claude"
	"parley/agents/codex"
	"parley/agents/dsh"
	"parley/agents/grok"
	"parley/agents/opencode"
	"parley/agents/pi"
)

// Programs says where Parley's own agents come from.
type Programs struct {
	Parley  string // absolute path of the program `parley`
	Version string // of Parley, told to agents
	// State is the folder in which our own agents may keep their sessions, each
	// in a folder below it; "" leaves them the user's cache folder.
	State string
}

// Own is an ACP agent that the person named.
type Own struct {
	ID      string // its family is "acp:" and this
	Name    string
	Command string // a program on PATH, or by its whole path
	Args    []string
	Env     map[string]string
	Modes   map[string]string // permission modes and the agent's own; nil is asking alone
}

// All returns the adapters in the order of lists: the families, the person's own
// ACP agents, and those that are known. One of their own with the id of a known
// one takes its place.
func All(bin Programs, own ...Own) []agents.Adapter {
	all := []agents.Adapter{
		claude.New(),
		codex.New(bin.Version),
		opencode.New(),
		pi.New(),
		grok.New(bin.Version),
		dsh.New(bin.Version),
		acp.New(demoEntry(bin)),
	}
	named := map[agents.Family]bool{}
	for _, o := range own {
		e := ownEntry(bin, o)
		named[e.Family] = true
		all = append(all, acp.New(e))
	}
	for _, e := range acp.Known(bin.Version) {
		if !named[e.Family] {
			all = append(all, acp.New(e))
		}
	}
	return all
}

func ownEntry(bin Programs, o Own) acp.Entry {
	e := acp.Entry{
		Family: agents.Family(acp.Prefix + o.ID), Name: o.Name, Mark: acp.Mark(o.Name),
		Binaries: []string{o.Command}, Args: o.Args, Images: true, Resume: true, Fork: true, Client: bin.Version,
		Modes: map[agents.Mode]string{},
	}
	for _, name := range slices.Sorted(maps.Keys(o.Env)) {
		e.Env = append(e.Env, name+"="+o.Env[name])
	}
	for mode, native := range o.Modes {
		e.Modes[agents.Mode(mode)] = native
	}
	if len(e.Modes) == 0 {
		e.Modes[agents.ModeAsk] = ""
	}
	return e
}

func demoEntry(bin Programs) acp.Entry {
	e := acp.Entry{
		Family: agents.Demo, Name: "Demo agent", Mark: "De",
		Binaries: []string{bin.Parley}, Args: []string{"agent", "demo"}, VersionArgs: []string{"agent", "demo", "--version"},
		Login: agents.LoginNone,
		// The demo agent calls its modes as Parley does and starts in "ask".
		Modes: map[agents.Mode]string{
			agents.ModePlan: "plan", agents.ModeAsk: "ask", agents.ModeEdits: "edits", agents.ModeFull: "full",
		},
		Images: true, Resume: true, Fork: true, Client: bin.Version,
	}
	if bin.State != "" {
		e.Env = []string{"PARLEY_DEMO_STATE=" + filepath.Join(bin.State, "demo")}
	}
	return e
}
