package claude

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

// explain recognizes what the CLI says when it does not start, on its standard
// error or, in place of its protocol, on its output.
func explain(output string) (agents.Problem, bool) {
	lower := strings.ToLower(output)
	p := agents.Problem{Evidence: agents.LastLines(output)}
	switch {
	case strings.Contains(lower, "cannot be used with root"):
		p.Code, p.Title = "refused_mode", name+" refuses full access when it runs as root."
		p.Advice = "Choose the mode that lets file edits through, or run Parley as an ordinary user."
	case noSession(output):
		return sessionLost(output), true
	case strings.Contains(lower, "not logged in"), strings.Contains(lower, "please run /login"), strings.Contains(lower, "invalid api key"):
		p.Code, p.Title = "not_logged_in", name+" is not logged in."
		p.Advice, p.Command = "Log in once in a terminal, then try again.", loginCommand
	case strings.Contains(lower, "unknown option"), strings.Contains(lower, "invalid mcp config"), strings.Contains(lower, "is invalid. must be"):
		p.Code, p.Title = "broken", name+" does not take the way Parley starts it."
		p.Advice, p.Command = "Bring it up to date; if that does not help, read what it said.", "claude update"
	case strings.Contains(lower, "do you trust"), strings.Contains(lower, "trust this folder"):
		p.Code, p.Title = "broken", name+" asks whether this folder may be trusted."
		p.Advice, p.Command = "Start it once in this folder in a terminal and answer.", "claude"
	case strings.Contains(lower, "glibc"), strings.Contains(lower, "exec format error"), strings.Contains(lower, "cannot execute"), strings.Contains(lower, "error while loading shared libraries"):
		p.Code, p.Title = "broken", name+" cannot be run on this computer."
		p.Advice, p.Command = "Install the build that fits this system.", adapter{}.Info().InstallCmd
	case strings.Contains(lower, "heap out of memory"), strings.Contains(lower, "out of memory"):
		p.Code, p.Title, p.Advice = "exited", name+" ran out of memory.", "Send the message again to start it anew."
	default:
		return agents.Problem{}, false
	}
	return p, true
}

func noSession(text string) bool { return strings.Contains(text, "No conversation found") }

func sessionLost(text string) agents.Problem {
	return agents.Problem{
		Code: "session_lost", Title: name + " no longer has this conversation.",
		Advice: "Begin a new session; what was said here stays readable.", Evidence: agents.LastLines(text),
	}
}
