package api

import (
	"net/http"

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

func (h *handler) setSettings(r *http.Request, s app.Settings) (app.Settings, error) {
	return h.Settings.Set(r.Context(), s)
}

func (h *handler) presence(_ *http.Request, p Presence) (Empty, error) {
	if h.Presence != nil {
		h.Presence(p)
	}
	return Empty{}, nil
}
