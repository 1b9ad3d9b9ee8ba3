// Package codex is the family of OpenAI's Codex CLI: how it is found and
// launched, how the messages of its app server are read, and how a conversation
// is held over it. One process serves a whole session. Versions whose app server
// is another are run by `codex exec`, a process for each message. It starts no
// process, knows no product and no other family. What it relies on was measured
// with Codex 0.171.0 and 0.99.0; docs/agents.md has the tables.
//
// Concurrency: one goroutine reads lines, decodes them and emits their events
// before it looks at the next line, so events have the order of the lines and
// Ended comes after everything of its turn. A second one writes. Every question
// to a person has a goroutine of its own. The decoder belongs to the reader;
// what the methods of a conversation share with it is guarded by a mutex that
// is never held while anything is emitted, asked or written.
package codex

import (
	"parley/agents"
)

// adapter implements agents.Adapter. It has no state but what it tells the CLI
// about Parley.
type adapter struct{ version string }

// New returns the family. version is that of Parley, told to the CLI.
func New(version string) agents.Adapter { return adapter{version} }

// Info implements agents.Adapter.
func (adapter) Info() agents.Info {
	return agents.Info{
		Family:   agents.Codex,
		Name:     name,
		Mark:     "Cx",
		Binaries: []string{"codex"},
		Folders: []string{
			"~/.local/bin",
			"~/.codex/bin",
			"~/.npm-global/bin",
			"~/.bun/bin",
			"~/.volta/bin",
			"~/.nvm/versions/node/*/bin",
			"~/.local/share/fnm/node-versions/*/installation/bin",
			"~/.local/share/mise/shims",
			"~/.asdf/shims",
			"/opt/homebrew/bin",
			"/usr/local/bin",
		},
		LeastKnown: "0.99.0",
		InstallCmd: "npm install -g @openai/codex",
		LoginCmd:   loginCommand,
		Caps: agents.Caps{
			Resume:     true,
			Images:     true,
			Steer:      true,
			Interrupt:  true,
			Fork:       true,
			Efforts:    []string{"low", "medium", "high", "xhigh"},
			Modes:      []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull},
			NativePlan: true,
			NativeAsk:  true,
		},
	}
}

const (
	name         = "Codex"
	loginCommand = "codex login"
)
