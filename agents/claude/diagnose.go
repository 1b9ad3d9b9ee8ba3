package claude

import (
	"fmt"
	"strings"

	"parley/agents"
)

// Diagnose implements agents.Adapter.
func (adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	p, known := explain(tail)
	if known {
		return p
	}
	p = agents.Problem{Code: "exited", Advice: "Send the message again to start it anew.", Evidence: lastLines(tail)}
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

// explain recognizes what the CLI says when it does not start, on its standard
// error or, in place of its protocol, on its output.
func explain(output string) (agents.Problem, bool) {
	lower := strings.ToLower(output)
	p := agents.Problem{Evidence: lastLines(output)}
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
		Advice: "Begin a new session; what was said here stays readable.", Evidence: lastLines(text),
	}
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
