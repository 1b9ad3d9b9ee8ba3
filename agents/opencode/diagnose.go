package opencode

import (
	"fmt"
	"strings"

	"parley/agents"
)

// Diagnose implements agents.Adapter.
func (adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	if p, known := explain(tail); known {
		return p
	}
	p := agents.Problem{Code: "exited", Advice: "Send the message again to start it anew.", Evidence: lastLines(tail)}
	switch {
	case exit.Signal == "SIGKILL":
		p.Title = name + " was killed."
		p.Advice = "Perhaps the computer ran out of memory. Send the message again to start it anew."
	case exit.Signal != "":
		p.Title = fmt.Sprintf("%s was ended by %s.", name, exit.Signal)
	case exit.Code == 0:
		p.Title = name + " ended by itself."
	case exit.Code == 126 || exit.Code == 127:
		p.Code, p.Title = "broken", name+" cannot be run on this computer."
		p.Advice, p.Command = "Install it again.", adapter{}.Info().InstallCmd
	default:
		p.Title = fmt.Sprintf("%s ended with the exit code %d.", name, exit.Code)
	}
	return p
}

// explain recognizes what the CLI says when it does not start.
func explain(output string) (agents.Problem, bool) {
	lower := strings.ToLower(output)
	p := agents.Problem{Evidence: lastLines(output)}
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

// lastLines is the end of a text, for evidence.
func lastLines(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	text = strings.Join(lines[max(0, len(lines)-most):], "\n")
	if len(text) > 4<<10 {
		text = strings.ToValidUTF8(text[len(text)-4<<10:], "")
	}
	return text
}
