package acp

import (
	"cmp"
	"strings"

	"parley/agents"
)

// Prefix is what the name of an ACP agent's family begins with; the agent's own
// id follows.
const Prefix = string(agents.ACP) + ":"

// folders are where package managers put programs, beside PATH.
var folders = []string{
	"~/.local/bin",
	"~/.npm-global/bin",
	"~/.bun/bin",
	"~/.volta/bin",
	"~/.nvm/versions/node/*/bin",
	"~/.cargo/bin",
	"/opt/homebrew/bin",
	"/usr/local/bin",
}

// Known are ACP agents whose arguments are known. They are offered where they
// are installed. client is Parley's version.
func Known(client string) []Entry {
	asking := map[agents.Mode]string{agents.ModeAsk: ""}
	known := []Entry{
		{
			Family: "gemini", Name: "Gemini CLI", Binaries: []string{"gemini"}, Args: []string{"--acp"},
			VersionArgs: []string{"--version"}, InstallCmd: "npm install -g @google/gemini-cli", LoginCmd: "gemini",
			Modes:  map[agents.Mode]string{agents.ModePlan: "plan", agents.ModeAsk: "default", agents.ModeEdits: "autoEdit", agents.ModeFull: "yolo"},
			Images: true, Resume: true,
		},
		{
			Family: "qwen", Name: "Qwen Code", Binaries: []string{"qwen"}, Args: []string{"--acp"},
			VersionArgs: []string{"--version"}, InstallCmd: "npm install -g @qwen-code/qwen-code", LoginCmd: "qwen",
			Modes:  map[agents.Mode]string{agents.ModePlan: "plan", agents.ModeAsk: "default", agents.ModeEdits: "auto-edit", agents.ModeFull: "yolo"},
			Images: true, Resume: true,
		},
		{
			Family: "copilot", Name: "GitHub Copilot", Mark: "Co", Binaries: []string{"copilot"}, Args: []string{"--acp"},
			VersionArgs: []string{"--version"}, InstallCmd: "npm install -g @github/copilot", LoginCmd: "copilot login",
			Modes: asking, Resume: true,
		},
		{
			Family: "kimi", Name: "Kimi CLI", Binaries: []string{"kimi"}, Args: []string{"acp"},
			VersionArgs: []string{"--version"}, InstallCmd: "uv tool install kimi-cli", LoginCmd: "kimi",
			Modes: asking, Resume: true,
		},
		{
			Family: "goose", Name: "Goose", Binaries: []string{"goose"}, Args: []string{"acp"},
			VersionArgs: []string{"--version"}, LoginCmd: "goose configure",
			Modes: asking, Resume: true,
		},
		{
			Family: "hermes", Name: "Hermes", Binaries: []string{"hermes"}, Args: []string{"acp"},
			VersionArgs: []string{"--version"}, LoginCmd: "hermes setup",
			Modes: asking, Resume: true, PlanOnly: true,
		},
	}
	for i := range known {
		e := &known[i]
		e.Family = agents.Family(Prefix) + e.Family
		e.Mark = cmp.Or(e.Mark, Mark(e.Name))
		e.Folders, e.WhenFound, e.Client = folders, true, client
	}
	return known
}

// Mark makes the two letters for lists from a name.
func Mark(name string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return r
	}, name))
	if len(letters) > 2 {
		letters = letters[:2]
	}
	return string(letters)
}
