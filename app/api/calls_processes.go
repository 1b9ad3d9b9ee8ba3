package api

import (
	"context"
	"net/http"
	"slices"

	"parley/app"
)

// allProcesses lists what runs for every session that has an agent up.
func (h *handler) allProcesses(r *http.Request, _ Empty) (ProcessTrees, error) {
	sessions, err := h.Records.Sessions(r.Context())
	if err != nil {
		return ProcessTrees{}, err
	}
	trees := ProcessTrees{Trees: []app.ProcessTree{}}
	for _, s := range sessions {
		if !s.Live {
			continue
		}
		list, err := h.tree(r.Context(), s.ID)
		if err != nil {
			return ProcessTrees{}, err
		}
		if len(list) > 0 {
			trees.Trees = append(trees.Trees, app.ProcessTree{SessionID: s.ID, Title: s.Title, Agent: s.Agent, Processes: list})
		}
	}
	return trees, nil
}

// tree is a session's processes with what Parley itself knows of their waiting.
func (h *handler) tree(ctx context.Context, id app.SessionID) ([]app.Process, error) {
	list, err := h.Sessions.Processes(id)
	if err != nil || len(list) == 0 {
		return list, err
	}
	s, err := h.Records.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	open, err := h.Records.Interactions(ctx, app.InteractionFilter{State: app.InteractionsWaiting, SessionID: s.ID})
	if err != nil {
		return nil, err
	}
	return explained(list, s, open), nil
}

// explained says of an agent that waits for a person that it does. The system
// only sees a program that waits for input, as one does that waits for its model.
func explained(list []app.Process, s app.Session, open []app.Interaction) []app.Process {
	agent := 0 // the oldest: all others came of it
	for i, p := range list {
		if p.AgeMS > list[agent].AgeMS {
			agent = i
		}
	}
	for i, p := range list {
		ours := p.Name == "parley-mcp" // holds the call that asks
		switch {
		case i != agent && !ours || !slices.Contains(forInput, p.Waits):
			// What it does, or what was done to it, says more.
		case len(open) > 0:
			list[i].Waits, list[i].On = app.WaitAnswer, firstWords(open[0])
			list[i].Because = "the question " + open[0].ID + " is open; " + p.Because
		case i == agent && s.State == app.StateIdle:
			list[i].Waits, list[i].On = app.WaitMessage, ""
			list[i].Because = "no turn is under way; " + p.Because
		}
	}
	return list
}

// forInput is how a program that waits for a person looks from outside.
var forInput = []app.ProcessWait{app.WaitRead, app.WaitEvent, app.WaitLock, app.WaitUnknown}

// firstWords is what a question is about.
func firstWords(in app.Interaction) string {
	switch {
	case in.Question != "":
		return in.Question
	case len(in.Questions) > 0:
		return in.Questions[0].Question
	case in.Approval != nil:
		return in.Approval.Title
	}
	return ""
}
