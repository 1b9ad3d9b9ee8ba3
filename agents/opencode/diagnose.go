package opencode

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
	case strings.Contains(lower, "unknown argument"), strings.Contains(lower, "unknown command"), strings.Contains(lower, "not enough non-option arguments"):
		p.Code, p.Title = "too_old", name+" is too old for Parley: it has no server of the kind that is needed."
		p.Advice, p.Command = "Bring it up to date.", adapter{}.Info().InstallCmd
	case strings.Contains(lower, "configinvaliderror"), strings.Contains(lower, "configjsonerror"), strings.Contains(lower, "config file at"),
		strings.Contains(lower, "configuration is invalid"):
		p.Code, p.Title = "broken", name+" cannot read its own configuration."
		p.Advice = "Correct the file that it names."
	case strings.Contains(lower, "glibc"), strings.Contains(lower, "exec format error"), strings.Contains(lower, "cannot execute"),
		strings.Contains(lower, "error while loading shared libraries"), strings.Contains(lower, "illegal instruction"):
		p.Code, p.Title = "broken", name+" cannot be run on this computer."
		p.Advice, p.Command = "Install the build that fits this system.", adapter{}.Info().InstallCmd
	default:
		return agents.Problem{}, false
	}
	return p, true
}
