package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/app"
)

// agentID is what an ACP agent may be called in sessions and in the file of
// overrides.
var agentID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// variable is a name that an environment can hold.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxAgents bounds the list, and maxAgentName a name in characters.
const (
	maxAgents    = 50
	maxAgentName = 60
)

// acpComplete returns the agents with empty lists and tables in place of missing
// ones, so that the page and comparisons need not tell the two apart.
func acpComplete(list []app.ACPAgent) []app.ACPAgent {
	all := make([]app.ACPAgent, len(list))
	for i, a := range list {
		if a.Args == nil {
			a.Args = []string{}
		}
		if a.Env == nil {
			a.Env = map[string]string{}
		}
		if a.Modes == nil {
			a.Modes = map[string]string{}
		}
		all[i] = a
	}
	return all
}

// acpFits checks the ACP agents.
func acpFits(list []app.ACPAgent) error {
	if len(list) > maxAgents {
		return invalid("acp_agents", fmt.Sprintf("%d agents at most", maxAgents), fmt.Sprint(len(list)))
	}
	ids := map[string]bool{}
	for i, a := range list {
		field := func(name string) string { return fmt.Sprintf("acp_agents[%d].%s", i, name) }
		n := utf8.RuneCountInString(a.Name)
		switch {
		case !agentID.MatchString(a.ID):
			return invalid(field("id"), "1 to 32 of a-z, 0-9 and dashes", a.ID)
		case ids[a.ID]:
			return invalid(field("id"), "another one than that of any other agent", a.ID)
		case strings.TrimSpace(a.Name) != a.Name || n < 1 || n > maxAgentName:
			return invalid(field("name"), fmt.Sprintf("1 to %d characters, without blanks around them", maxAgentName), a.Name)
		case strings.TrimSpace(a.Command) == "" || strings.ContainsRune(a.Command, 0):
			return invalid(field("command"), "a program on PATH, or one by its whole path", a.Command)
		}
		ids[a.ID] = true
		for _, arg := range a.Args {
			if strings.ContainsRune(arg, 0) {
				return invalid(field("args"), "texts without a zero byte", arg)
			}
		}
		for name, value := range a.Env {
			if !variable.MatchString(name) || strings.ContainsRune(value, 0) {
				return invalid(field("env"), "variables with a name such as API_URL and a value without a zero byte", name)
			}
		}
		for mode := range a.Modes {
			if !slices.Contains([]string{"plan", "ask", "edits", "full"}, mode) {
				return invalid(field("modes"), "about plan, ask, edits and full", mode)
			}
		}
	}
	return nil
}
