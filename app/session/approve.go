package session

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/agents"
	"parley/app"
	"parley/app/risk"
)

// maxRemembered is the longest command, in bytes, that can be allowed beyond
// once: a person has to be able to read what they allow.
const maxRemembered = 2000

// considered completes a permission request by what Parley knows of it: why it
// deserves a second look, and what may be allowed beyond once. shown is the
// request as the person reads it, with secrets hidden.
func (a *actor) considered(asked *agents.Approval, shown *app.Approval) {
	reasons := risk.Of(asked.Command, asked.Path, a.session.Cwd)
	shown.Risks = risk.Kinds(reasons)
	for i := range reasons {
		reasons[i].Words = redact(a.out.hide(reasons[i].Words))
	}
	shown.Reasons = reasons
	shown.Scopes, shown.Grants = scopes(shown.Scopes, a.remembers(asked, shown), app.Grant{
		Tool: shown.Tool, Command: shown.Command, Folder: a.session.Cwd,
	})
}

// remembers reports whether Parley may allow such a request beyond once: the same
// tool or exactly the same command, nothing that deserves a second look, nothing
// whose words were changed to be shown, and no file that steers programs (their
// names begin with a dot). A session that may only plan is always asked.
func (a *actor) remembers(asked *agents.Approval, shown *app.Approval) bool {
	hidden := slices.ContainsFunc(strings.Split(filepath.ToSlash(asked.Path), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
	return asked.Lasting && len(shown.Risks) == 0 && !hidden && shown.Tool != "" &&
		shown.Command == asked.Command && redact(asked.Command) == asked.Command && len(asked.Command) <= maxRemembered &&
		agents.Mode(a.session.Mode) != agents.ModePlan
}

// scopes are the allowing actions that can be offered, narrowest first, with what
// of them Parley keeps. What is kept for good is kept by Parley alone, where it
// can be listed and taken back: the CLI's own way is offered only when it has no
// narrower one.
func scopes(own []app.Action, remembers bool, g app.Grant) (offered []app.Action, grants []app.Grant) {
	offered, grants = []app.Action{}, []app.Grant{}
	once := slices.Contains(own, app.ActionAllowOnce)
	if once {
		offered = append(offered, app.ActionAllowOnce)
	}
	keep := func(action app.Action) {
		g.Action = action
		offered, grants = append(offered, action), append(grants, g)
	}
	switch {
	case slices.Contains(own, app.ActionAllowSession):
		offered = append(offered, app.ActionAllowSession)
	case once && remembers:
		keep(app.ActionAllowSession)
	}
	switch {
	case once && remembers:
		keep(app.ActionAllowAlways)
	case !once && slices.Contains(own, app.ActionAllowAlways):
		offered = append(offered, app.ActionAllowAlways)
	}
	return offered, grants
}

// granted finds what an action lets through, if it is Parley that keeps it.
func granted(in app.Interaction, action app.Action) (app.Grant, bool) {
	if in.Approval == nil {
		return app.Grant{}, false
	}
	i := slices.IndexFunc(in.Approval.Grants, func(g app.Grant) bool { return g.Action == action })
	if i < 0 {
		return app.Grant{}, false
	}
	return in.Approval.Grants[i], true
}

// allowances are the permissions given for the session's life.
type allowances struct {
	mu    sync.Mutex
	given map[app.Grant]bool
}

// covers reports whether a request was allowed for the session before.
func (s *allowances) covers(in app.Interaction) bool {
	g, ok := granted(in, app.ActionAllowSession)
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok && s.given[g]
}

// heard remembers what was allowed for the session.
func (s *allowances) heard(in app.Interaction, out app.Outcome) {
	g, ok := granted(in, out.Action)
	if !ok || out.Reason != app.ReasonResponse || out.Action != app.ActionAllowSession {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[app.Grant]bool{}
	}
	s.given[g] = true
}

// forAgent is the outcome as the agent hears it: what Parley keeps is to the CLI
// an allowance for this once.
func forAgent(in app.Interaction, out app.Outcome) agents.Outcome {
	if _, ours := granted(in, out.Action); ours {
		out.Action = app.ActionAllowOnce
	}
	return agentOutcome(out)
}
