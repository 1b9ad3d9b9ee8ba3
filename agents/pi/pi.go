// Package pi is the family of the Pi coding agent: how it is found and launched,
// how the records of its RPC mode are read, and how a conversation is held over
// it. One process serves a whole session. It starts no process, knows no product
// and no other family. What it relies on was measured with Pi 1.6.0, and with
// 0.74.2 for the generation that has no MCP of its own; docs/agents.md has the
// tables.
//
// Pi asks for nothing by itself, so an extension of ours goes along with every
// launch (extension.mjs): it registers the MCP servers, and it asks over Pi's own
// dialogs before a tool runs. Everything that is decided is decided here.
//
// Concurrency: one goroutine reads lines, decodes them and emits their events
// before it looks at the next line, so events have the order of the lines and
// Ended comes after everything of its turn. A second one writes. Every question
// to a person has a goroutine of its own. The decoder belongs to the reader;
// what the methods of a conversation share with it is guarded by a mutex that
// is never held while anything is emitted, asked or written.
package pi

import "parley/agents"

// adapter implements agents.Adapter. It has no state.
type adapter struct{}

// New returns the family.
func New() agents.Adapter { return adapter{} }

// Info implements agents.Adapter.
func (adapter) Info() agents.Info {
	return agents.Info{
		Family:   agents.Pi,
		Name:     name,
		Mark:     "Pi",
		Binaries: []string{"pi"},
		Folders: []string{
			"~/.local/bin",
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
		LeastKnown: "0.74.2",
		InstallCmd: "npm install -g @earendil-works/pi-coding-agent",
		LoginCmd:   loginCommand,
		Caps: agents.Caps{
			Resume:    true,
			Images:    true,
			Steer:     true,
			Interrupt: true,
			Fork:      true,
			Efforts:   []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"},
			Modes:     []agents.Mode{agents.ModePlan, agents.ModeAsk, agents.ModeEdits, agents.ModeFull},
			NativeAsk: true, // dialogs of its extensions
		},
	}
}

const (
	name = "Pi"
	// loginCommand opens Pi; there, /login logs in.
	loginCommand = "pi"
)
