package acpclient

import (
	"fmt"
	"regexp"

	"parley/agents"
)

// signs are what agents say when something ails them, on stderr before they end
// or as the error of a turn, with what it means; the most telling first.
var signs = []struct {
	pattern *regexp.Regexp
	code    string
	title   string // %s is the agent's name
	advice  string
}{
	{regexp.MustCompile(`(?i)not logged in|set an auth method|unauthori[sz]ed|authentication (required|failed)|invalid api key|missing api key|(status|code|error|http|auth)\W{0,3}401\b`),
		"not_logged_in", "%s is not logged in.", loginAdvice},
	{regexp.MustCompile(`(?i)rate limit|quota exceeded|too many requests|(status|code|error|http)\W{0,3}429\b`),
		"rate_limited", "%s has reached a limit of its service.", "Wait a while, then send the message again."},
	{regexp.MustCompile(`(?i)unknown (option|flag|command|argument|subcommand)|unrecognized (option|argument)|flag provided but not defined`),
		"too_old", "%s does not know the arguments that make it speak ACP.", "Bring it up to date, or correct its entry in the settings."},
	{regexp.MustCompile(`(?i)command not found|no such file or directory|cannot find module|ERR_MODULE_NOT_FOUND|exec format error`),
		"broken", "%s is not installed as a whole.", "Install it again."},
	{regexp.MustCompile(`(?i)getaddrinfo|ENOTFOUND|ECONNREFUSED|connection error|network is unreachable|no such host`),
		"network", "%s could not reach its service.", "Check the network, then send the message again."},
	{regexp.MustCompile(`(?i)out of memory|heap limit`),
		"exited", "%s ran out of memory.", "Close other programs, then send the message again."},
}

const loginAdvice = "Log in with its own command in a terminal, then try again."

// Sign finds in what the agent called name has said why it cannot go on. The
// problem has neither a command nor evidence.
func Sign(name, said string) (agents.Problem, bool) {
	for _, s := range signs {
		if s.pattern.MatchString(said) {
			return agents.Problem{Code: s.code, Title: fmt.Sprintf(s.title, name), Advice: s.advice}, true
		}
	}
	return agents.Problem{}, false
}
