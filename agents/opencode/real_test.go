package opencode_test

import (
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
)

// One process serves several turns, and a turn brings text, reasoning, calls
// and their results; nothing is counted twice.
func TestTurns(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		fakemodel.Step{When: fakemodel.UserSays("first"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read two files."),
				fakemodel.ToolUseOf("r1", "read", map[string]any{"filePath": "a.txt"}),
				fakemodel.ToolUseOf("r2", "read", map[string]any{"filePath": "missing.txt"}),
			}}},
		fakemodel.Step{When: fakemodel.HasResult("r1"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 10, Output: 2, CacheRead: 100}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Done 问题🤔.")}}},
		says("second", fakemodel.Text("Again.")),
	)
	l.Write("a.txt", "one\n")
	l.Prompt("first")
	events := l.Done()
	if got := agenttest.Said(events); got != "I read two files.Done 问题🤔." {
		t.Errorf("said %q", got)
	}
	if thought, ok := agenttest.Find[agents.Thought](events); !ok || thought.Text != "let me look" {
		t.Errorf("thought %+v", thought)
	}
	ends := map[string]agents.ToolEnded{}
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		ends[e.ID] = e
	}
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		want := map[string]string{"a.txt": "ok", "missing.txt": "failed"}[s.Title]
		if s.Kind != "read" || len(s.Input) == 0 || ends[s.ID].Status != want {
			t.Errorf("tool %+v ended as %+v", s, ends[s.ID])
		}
	}
	if len(ends) != 2 {
		t.Errorf("the calls ended as %+v", ends)
	}
	end := events[len(events)-1].(agents.Ended)
	if u := end.Usage; u == nil || *u.Input != 110 || *u.Output != 22 || *u.Cached != 107 || *u.ContextUsed != 112 || *u.Window != 100_000 {
		t.Errorf("used %+v", u)
	}
	started := agenttest.All[agents.Started](l.Host.Events())
	if s := started[len(started)-1]; s.NativeID == "" || s.Version != "1.18.33" || s.Model != "fake/m1" {
		t.Errorf("started %+v", s)
	}

	l.Prompt("second")
	if got := agenttest.Said(l.Done()); got != "Again." {
		t.Errorf("said %q", got)
	}
	if n := len(l.Model.Requests()); n != 3 {
		t.Errorf("the model was asked %d times: a title is not to be asked for", n)
	}
	for _, r := range l.Model.Unmatched() {
		t.Errorf("the script has no answer to %q", r.LastUserText())
	}
}
