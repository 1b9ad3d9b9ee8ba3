package api

import (
	"net/http"
	"reflect"
	"slices"

	"parley/app"
)

func (h *handler) about(*http.Request, Empty) (About, error) {
	a := h.About
	a.Now = h.Now().UnixMilli()
	return a, nil
}

func (h *handler) snapshot(r *http.Request, _ Empty) (app.Snapshot, error) {
	s, err := h.Records.Snapshot(r.Context())
	return h.present(s), err
}

// present completes the stored present by what only this moment knows.
func (h *handler) present(s app.Snapshot) app.Snapshot {
	s.Interactions = h.inbox(s.Interactions)
	s.Version = h.About.Version
	s.At = h.Now().UnixMilli()
	return s
}

func (h *handler) agents(r *http.Request, _ Empty) (AgentList, error) {
	return h.Agents.Agents(r.Context(), false)
}

func (h *handler) refreshAgents(r *http.Request, _ Empty) (AgentList, error) {
	return h.Agents.Agents(r.Context(), true)
}

func (h *handler) settings(*http.Request, Empty) (app.Settings, error) {
	return h.Settings.Get(), nil
}

// setSettings takes the command that questions run, and the programs that are
// agents, from this computer alone: a browser that was let in runs agents, which
// ask, and no program without asking.
func (h *handler) setSettings(r *http.Request, s app.Settings) (app.Settings, error) {
	if doorOf(r.Context()) == app.ByBrowser && !slices.EqualFunc(s.ACPAgents, h.Settings.Get().ACPAgents, sameAgent) {
		return app.Settings{}, &app.Error{Code: app.CodeForbidden, Field: "acp_agents",
			Message: "Which programs are agents can only be changed in the window or on the command line."}
	}
	if doorOf(r.Context()) == app.ByBrowser && !slices.Equal(s.QuestionCommand, h.Settings.Get().QuestionCommand) {
		return app.Settings{}, &app.Error{Code: app.CodeForbidden, Field: "question_command",
			Message: "The command that questions run can only be changed in the window or on the command line."}
	}
	return h.Settings.Set(r.Context(), s)
}

func sameAgent(a, b app.ACPAgent) bool { return reflect.DeepEqual(a, b) }

// presence counts as seen what is in view in front of the person.
func (h *handler) presence(r *http.Request, p Presence) (Empty, error) {
	if h.Presence != nil {
		h.Presence(p)
	}
	if !p.Front {
		return Empty{}, nil
	}
	for _, id := range p.Visible {
		if err := h.Desk.Seen(r.Context(), id); err != nil && app.ErrorCode(err) != app.CodeNotFound {
			return Empty{}, err
		}
	}
	return Empty{}, nil
}
