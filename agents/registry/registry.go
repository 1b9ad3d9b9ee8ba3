// Package registry lists the families that Parley knows. It does nothing else,
// and adding a family is one line here.
package registry

import (
	"path/filepath"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/claude"
	"parley/agents/codex"
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

// All returns the adapters in the order of lists.
func All(bin Programs) []agents.Adapter {
	return []agents.Adapter{
		claude.New(),
		codex.New(bin.Version),
		pi.New(),
		acp.New(demoEntry(bin)),
	}
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
		Images: true, Resume: true, Client: bin.Version,
	}
	if bin.State != "" {
		e.Env = []string{"PARLEY_DEMO_STATE=" + filepath.Join(bin.State, "demo")}
	}
	return e
}
