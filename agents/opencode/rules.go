package opencode

import (
	"slices"
	"strings"

	"parley/agents"
	"parley/mcp"
	"parley/mcp/inject"
)

// A permission mode becomes two sets of the CLI's own permission rules, of which
// the last that fits a call counts:
//
//   - rules for every agent, in the configuration of the launch. They hold for
//     sub-agents as well, which may neither ask nor plan.
//   - rules of the conversation, which only the agent itself has: what a
//     sub-agent may not do, and once more the person's own rules, so that these
//     go before the mode's. Of them sub-agents inherit what denies.

// Actions of a rule.
const (
	allow = "allow"
	ask   = "ask"
	deny  = "deny"
)

const everything = "*"

// everyPermission begins our rules in the CLI's list: it fits what "*" fits, and
// nobody writes it by hand. The names of ours end in "?" for the same reason. A
// name that the person uses too would be merged with theirs and take its place.
const everyPermission = "**"

func unlike(permission string) string { return permission[:len(permission)-1] + "?" }

// reading are permissions that change nothing.
var reading = []string{"read", "glob", "grep", "list", "lsp", "skill"}

// alone are permissions that only the agent itself has: to ask the person, to
// keep the list of steps, to leave the plan mode, to have sub-agents work.
var alone = []string{"question", "todowrite", "plan_enter", "plan_exit"}

// keys are files whose reading the CLI itself asks for.
var keys = []rule{{Pattern: "*.env", Action: ask}, {Pattern: "*.env.*", Action: ask}, {Pattern: "*.env.example", Action: allow}}

type rule = inject.OpenCodeRule

// baseline is what a mode lets through, refuses and asks for, before anybody's
// own rules.
func baseline(m agents.Mode) []rule {
	first := ask
	if m == agents.ModeFull {
		first = allow
	}
	rules := []rule{{Permission: everyPermission, Pattern: everything, Action: first}}
	for _, p := range reading {
		rules = append(rules, rule{Permission: unlike(p), Pattern: everything, Action: allow})
		if p == "read" && m != agents.ModeFull {
			for _, k := range keys {
				rules = append(rules, rule{Permission: unlike(p), Pattern: k.Pattern, Action: k.Action})
			}
		}
	}
	switch m {
	case agents.ModePlan:
		rules = append(rules, rule{Permission: unlike("edit"), Pattern: everything, Action: deny})
	case agents.ModeEdits:
		rules = append(rules, rule{Permission: unlike("edit"), Pattern: everything, Action: allow})
	}
	return rules
}

// everyone are the rules for every agent in a mode.
func everyone(m agents.Mode) []rule {
	rules := baseline(m)
	for _, p := range alone {
		rules = append(rules, rule{Permission: unlike(p), Pattern: everything, Action: deny})
	}
	return append(rules, rule{Permission: ourTools, Pattern: everything, Action: deny})
}

// ourTools are the tools of the interaction server.
const ourTools = mcp.InteractionServer + "_*"

// conversationRules are the rules of the conversation in a mode. theirs are those
// of its agent as the CLI lists them, ours among them. The CLI keeps the rules of
// a conversation that is taken up and adds these, so they begin with the mode's:
// it may have been another.
func conversationRules(m agents.Mode, servers mcp.Catalog, theirs []rule) []rule {
	rules := baseline(m)
	for _, p := range append(slices.Clone(alone), "task") {
		rules = append(rules, rule{Permission: p, Pattern: everything, Action: allow})
	}
	for _, r := range theirs {
		if r.Permission == everyPermission {
			break // from here on they are ours
		}
		if r, holds := held(m, r); holds {
			rules = append(rules, r)
		}
	}
	for _, s := range servers {
		for _, tool := range s.AutoAllow {
			rules = append(rules, rule{Permission: inject.OpenCodeName(s.Name) + "_" + inject.OpenCodeName(tool), Pattern: everything, Action: allow})
		}
	}
	return rules
}

// held is a rule of the person's as it goes before a mode's own. What they deny
// is denied in every mode. What they allow is allowed where it is narrower than
// a whole tool that can change something, but for the plan mode; a mode would
// mean nothing if one word in a file could undo it.
func held(m agents.Mode, r rule) (rule, bool) {
	free := slices.Contains(reading, r.Permission) || slices.Contains(alone, r.Permission)
	switch {
	case r.Action == deny:
	case m == agents.ModeFull:
		r.Action = allow
	case r.Action == ask && m == agents.ModePlan && r.Permission == "edit":
		return r, false // it would widen
	case r.Action == ask, free:
	case m == agents.ModePlan, r.Pattern == everything && changing(r.Permission):
		return r, false
	}
	return r, true
}

// changing reports whether a permission covers tools of the CLI that can change
// something, or all tools at once. A tool of an MCP server is named.
func changing(permission string) bool {
	return strings.Trim(permission, "*?") == "" ||
		slices.Contains([]string{"edit", "bash", "task", "external_directory", "webfetch", "websearch", "codesearch", "doom_loop"}, permission)
}
