// Package opencode is the family of OpenCode: how it is found and launched, how
// the events of its server are read, and how a conversation is held over it. One
// process, a server on the loopback with a password of its own, serves a whole
// session. It starts no process, knows no product and no other family. What it
// relies on was measured with OpenCode 1.18.33; docs/agents.md has the tables.
//
// Concurrency: one goroutine reads the server's events, another handles them one
// by one and emits what they mean before it looks at the next, so events have
// the order in which the server sent them and Ended comes after everything of its
// turn. Every question to a person has a goroutine of its own. The decoder
// belongs to the handler; what the methods of a conversation share with it is
// guarded by a mutex that is never held while anything is emitted, asked or sent.
package opencode

import (
	"parley/agents"
)

// adapter implements agents.Adapter. It has no state.
type adapter struct{}

// New returns the family.
func New() agents.Adapter { return adapter{} }

// Info implements agents.Adapter.
func (adapter) Info() agents.Info {
	return agents.Info{
		Family:   agents.OpenCode,
		Name:     name,
		Mark:     "Oc",
		Binaries: []string{"opencode"},
		Folders: []string{
			"~/.opencode/bin",
			"~/.local/bin",
			"~/bin",
			"~/.npm-global/bin",
			"~/.bun/bin",
			"~/.volta/bin",
			"~/.nvm/versions/node/*/bin",
			"~/.local/share/fnm/node-versions/*/installation/bin",
			"~/.local/share/mise/shims",
			"~/.asdf/shims",
			"~/go/bin",
			"/opt/homebrew/bin",
			"/usr/local/bin",
		},
		LeastKnown: "1.18.33",
		InstallCmd: "npm install -g opencode-ai",
		LoginCmd:   loginCommand,
		StopWithin: stopWithin,
		Caps: agents.Caps{
			Resume:     true,
			Images:     true,
			Steer:      true,
			Interrupt:  true,
			Fork:       true,
			Modes:      []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull},
			NativePlan: true,
			NativeAsk:  true,
		},
	}
}

const (
	name         = "OpenCode"
	loginCommand = "opencode auth login"
)
