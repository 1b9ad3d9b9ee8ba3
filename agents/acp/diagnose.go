package acp

import (
	"fmt"
	"regexp"
	"strings"

	"parley/agents"
)

// sign is something that programs say on stderr, with what it means.
type sign struct {
	pattern *regexp.Regexp
	code    string
	title   string // %s is the agent's name
	advice  string
}

// signs, the most telling first.
var signs = []sign{
	{regexp.MustCompile(`(?i)not logged in|unauthori[sz]ed|authentication (required|failed)|invalid api key|missing api key|(status|code|error|http|auth)\W{0,3}401\b`),
		"not_logged_in", "%s is not logged in.", "Log in with its own command in a terminal, then try again."},
	{regexp.MustCompile(`(?i)rate limit|quota exceeded|too many requests|(status|code|error|http)\W{0,3}429\b`),
		"rate_limited", "%s has reached a limit of its service.", "Wait a while, then send the message again."},
	{regexp.MustCompile(`(?i)unknown (option|flag|command|argument|subcommand)|unrecognized (option|argument)|flag provided but not defined`),
		"too_old", "%s does not know the arguments that make it speak ACP.", "Bring it up to date, or correct its entry in the settings."},
	{regexp.MustCompile(`(?i)command not found|no such file or directory|cannot find module|ERR_MODULE_NOT_FOUND|exec format error`),
		"broken", "%s is not installed as a whole.", "Install it again."},
	{regexp.MustCompile(`(?i)getaddrinfo|ENOTFOUND|ECONNREFUSED|network is unreachable|no such host`),
		"network", "%s could not reach its service.", "Check the network, then send the message again."},
	{regexp.MustCompile(`(?i)out of memory|heap limit`),
		"exited", "%s ran out of memory.", "Close other programs, then send the message again."},
}

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
	for _, s := range signs {
		if s.pattern.MatchString(tail) {
			p.Code, p.Title, p.Advice = s.code, fmt.Sprintf(s.title, name), s.advice
			break
		}
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
