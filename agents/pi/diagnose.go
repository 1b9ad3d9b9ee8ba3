package pi

import (
	"fmt"
	"strings"

	"parley/agents"
)

// Diagnose implements agents.Adapter.
func (adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	tail = agents.Redact(tail)
	lower := strings.ToLower(tail)
	switch {
	case strings.Contains(lower, "no session found"):
		return sessionLost(tail)
	case strings.Contains(lower, "unknown option"):
		return agents.Problem{Code: "too_old", Title: "This " + name + " is too old for Parley.", Advice: "Update it.",
			Command: adapter{}.Info().InstallCmd, Evidence: agents.LastLines(tail)}
	case strings.Contains(lower, "syntaxerror"), strings.Contains(lower, "err_unsupported_esm"), strings.Contains(lower, "unsupported engine"):
		return agents.Problem{Code: "broken", Title: "The Node.js that runs " + name + " is too old for it.", Advice: "Install Node.js 22.19 or newer.",
			Evidence: agents.LastLines(tail)}
	case strings.Contains(lower, "no models match"), strings.Contains(lower, "model") && strings.Contains(lower, "not found"):
		return agents.Problem{Code: "model_not_found", Title: "The chosen model does not exist, or " + name + " has no key for it.",
			Advice: "Choose another model.", Evidence: agents.LastLines(tail)}
	}
	p := agents.Problem{Code: "exited", Advice: "Send the message again to start it anew.", Evidence: agents.LastLines(tail)}
	if exit.Signal != "" {
		p.Title = fmt.Sprintf("%s was ended by the signal %s.", name, exit.Signal)
	} else {
		p.Title = fmt.Sprintf("%s ended with code %d.", name, exit.Code)
	}
	return p
}
