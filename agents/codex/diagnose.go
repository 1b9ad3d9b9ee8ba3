package codex

import (
	"strings"

	"parley/agents"
)

// Diagnose implements agents.Adapter.
func (adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	if p, known := explain(tail); known {
		return p
	}
	return agents.Exited(name, adapter{}.Info().InstallCmd, exit, tail)
}

// explain recognizes what the CLI says when it does not start.
func explain(output string) (agents.Problem, bool) {
	lower := strings.ToLower(output)
	p := agents.Problem{Evidence: agents.LastLines(output)}
	switch {
	case noThread(output):
		return sessionLost(output), true
	case strings.Contains(lower, "required mcp servers failed"):
		p.Code, p.Title, p.Advice = "broken", name+" could not start a tool server of Parley.", "Read what it said."
	case strings.Contains(lower, "unrecognized subcommand"), strings.Contains(lower, "unexpected argument"):
		p.Code, p.Title = "too_old", name+" is too old for Parley."
		p.Advice, p.Command = "Bring it up to date.", adapter{}.Info().InstallCmd
	case strings.Contains(lower, "error loading config"), strings.Contains(lower, "config.toml"):
		p.Code, p.Title = "broken", name+" cannot read its own configuration."
		p.Advice = "Correct the file that it names."
	case strings.Contains(lower, "glibc"), strings.Contains(lower, "exec format error"), strings.Contains(lower, "cannot execute"),
		strings.Contains(lower, "error while loading shared libraries"), strings.Contains(lower, "missing optional dependency"):
		p.Code, p.Title = "broken", name+" cannot be run on this computer."
		p.Advice, p.Command = "Install the build that fits this system.", adapter{}.Info().InstallCmd
	default:
		return agents.Problem{}, false
	}
	return p, true
}
