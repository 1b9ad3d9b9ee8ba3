package agenttest

import (
	"encoding/json"
	"regexp"
	"testing"

	"parley/agents"
)

var contextID = regexp.MustCompile(`pctx_[A-Za-z0-9_-]{43}`)

// CheckEvents checks what holds for every agent and every conversation: pieces
// of a message add up to its whole, and nothing comes after the whole; every
// tool that started ends once, and none ends that did not start; when a turn
// ends, no message and no tool is left open; no context id is told.
func CheckEvents(t testing.TB, events []agents.Event) {
	t.Helper()
	open := map[string]string{} // message → text so far
	whole := map[string]bool{}
	runs := map[string]bool{} // tool → still runs
	said := func(i int, id, text string, done bool) {
		switch {
		case id == "":
			t.Errorf("event %d: a message without an id", i)
		case whole[id]:
			t.Errorf("event %d: message %s goes on after its end", i, id)
		case !done:
			open[id] += text
		default:
			if sofar, pieces := open[id]; pieces && sofar != text {
				t.Errorf("event %d: the pieces of message %s add up to %q, the whole is %q", i, id, sofar, text)
			}
			delete(open, id)
			whole[id] = true
		}
	}
	for i, e := range events {
		switch e := e.(type) {
		case agents.Text:
			said(i, e.MessageID, e.Text, e.Done)
		case agents.Thought:
			said(i, e.MessageID, e.Text, e.Done)
		case agents.ToolStarted:
			if running, known := runs[e.ID]; known && !running {
				t.Errorf("event %d: tool %s starts after its end", i, e.ID)
			}
			runs[e.ID] = true
		case agents.ToolProgress:
			if !runs[e.ID] {
				t.Errorf("event %d: progress of tool %s, which does not run", i, e.ID)
			}
		case agents.ToolEnded:
			if !runs[e.ID] {
				t.Errorf("event %d: tool %s ends and did not run", i, e.ID)
			}
			if e.Status != "ok" && e.Status != "failed" && e.Status != "cancelled" {
				t.Errorf("event %d: tool %s ends as %q", i, e.ID, e.Status)
			}
			runs[e.ID] = false
		case agents.Ended:
			for id := range open {
				t.Errorf("event %d: the turn ends and message %s is open", i, id)
			}
			for id, running := range runs {
				if running {
					t.Errorf("event %d: the turn ends and tool %s still runs", i, id)
				}
			}
			if e.Stop == agents.StopFailed && (e.Problem == nil || e.Problem.Title == "") {
				t.Errorf("event %d: the turn failed and nobody says why", i)
			}
		}
		if raw, err := json.Marshal(e); err != nil {
			t.Errorf("event %d: %v", i, err)
		} else if contextID.Match(raw) {
			t.Errorf("event %d gives a context id away: %s", i, raw)
		}
	}
}
