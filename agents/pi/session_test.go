package pi_test

import (
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// One process serves several turns, and a turn brings text, reasoning, calls and
// their results; nothing is counted twice. Our tools need no permission.
func TestTurns(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{catalog: mcp.Catalog{}},
		says("first", fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read two files."),
				fakemodel.ToolUseOf("r1", "read", map[string]any{"path": "a.txt"}),
				fakemodel.ToolUseOf("r2", "read", map[string]any{"path": "missing.txt"}),
			}}),
		then("r1", fakemodel.Reply{Usage: fakemodel.Usage{Input: 10, Output: 2, CacheRead: 100}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Done 问题🤔.")}}),
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
	if ends["r1"].Status != "ok" || ends["r1"].Output != "one\n" || ends["r2"].Status != "failed" {
		t.Errorf("the calls ended as %+v", ends)
	}
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		if s.Kind != "read" || s.Title == "" || len(s.Input) == 0 {
			t.Errorf("tool %+v", s)
		}
	}
	end := events[len(events)-1].(agents.Ended)
	if u := end.Usage; u == nil || *u.Input != 110 || *u.Output != 22 || *u.Cached != 107 || *u.ContextUsed != 112 || *u.Window != 128_000 {
		t.Errorf("used %+v", u)
	}
	started := agenttest.All[agents.Started](l.Host.Events())
	if len(started) != 1 || started[0].NativeID == "" || started[0].Model != "fake/fake-model" {
		t.Errorf("started %+v", started)
	}
	l.Prompt("second")
	if got := agenttest.Said(l.Done()); got != "Again." {
		t.Errorf("said %q", got)
	}
	for _, r := range l.Model.Unmatched() {
		t.Errorf("the script has no answer to %q", r.LastUserText())
	}
}
