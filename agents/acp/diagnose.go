package acp

import (
	"fmt"
	"strings"

	"parley/agents"
	"parley/agents/acpclient"
)

// Diagnose implements agents.Adapter.
func (a adapter) Diagnose(exit agents.Exit, tail string) agents.Problem {
	name := a.entry.Name
	p := agents.Problem{Code: "exited", Advice: "Send the message again to start it anew.", Evidence: evidence(tail)}
	switch {
	case exit.Signal != "":
		p.Title = fmt.Sprintf("%s was ended by the signal %s.", name, exit.Signal)
	case exit.Code == 0:
		p.Title = name + " ended by itself."
	default:
		p.Title = fmt.Sprintf("%s ended with the exit code %d.", name, exit.Code)
	}
	if exit.Code == 0 && exit.Signal == "" {
		return p // what it said on the way is no reason
	}
	if sign, found := acpclient.Sign(name, tail); found {
		p.Code, p.Title, p.Advice = sign.Code, sign.Title, sign.Advice
	}
	switch p.Code {
	case "not_logged_in":
		p.Command = a.entry.LoginCmd
	case "broken", "too_old":
		p.Command = a.entry.InstallCmd
	}
	return p
}

// evidenceLines and evidenceBytes are how much of an output is shown.
const (
	evidenceLines = 12
	evidenceBytes = 4 << 10
)

// evidence is the end of an output, without blank lines and context ids.
func evidence(output string) string {
	var lines []string
	for line := range strings.Lines(agents.Redact(output)) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines[max(0, len(lines)-evidenceLines):], "\n")
	return strings.ToValidUTF8(text[max(0, len(text)-evidenceBytes):], "")
}
