// Package claude is the family of Claude Code: how it is found and launched,
// how its stream of JSON lines is read, and how a conversation is held over it.
// One process serves a whole session. It starts no process, knows no product
// and no other family. What it relies on was measured with Claude Code 2.1.332
// and 2.1.197; docs/agents.md has the tables.
//
// Concurrency: one goroutine reads lines, decodes them and emits their events
// before it looks at the next line, so events have the order of the lines and
// Ended comes after everything of its turn. A second one writes. Every question
// to a person has a goroutine of its own. The decoder belongs to the reader;
// what the methods of a conversation share with it is guarded by a mutex that
// is never held while anything is emitted, asked or written.
package claude

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
		Family:   agents.Claude,
		Name:     name,
		Mark:     "CC",
		Binaries: []string{"claude"},
		Folders: []string{
			"~/.local/bin",    // its own installer
			"~/.claude/local", // its older installer
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
		LeastKnown: "2.1.197",
		InstallCmd: "npm install -g @anthropic-ai/claude-code",
		LoginCmd:   loginCommand,
		Caps: agents.Caps{
			Resume:    true,
			Images:    true,
			Steer:     true,
			Interrupt: true,
			Fork:      true,
			Defer:     agents.DeferCall,
			// Names that the CLI resolves to the newest model of that kind.
			Models:     []agents.ModelInfo{{ID: "opus", Name: "Opus"}, {ID: "sonnet", Name: "Sonnet"}, {ID: "haiku", Name: "Haiku"}},
			Efforts:    []string{"low", "medium", "high", "xhigh", "max"},
			Modes:      []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull},
			NativePlan: true,
			NativeAsk:  true,
		},
	}
}

const (
	name         = "Claude Code"
	loginCommand = "claude auth login"
)
