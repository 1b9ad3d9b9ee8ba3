package claude_test

import (
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
)

// One process serves several turns, and a turn brings text, reasoning, calls in
// parallel and their results.
func TestTurns(t *testing.T) {
	t.Parallel()
	began := time.Now()
	l := launch(t, wish{},
		fakemodel.Step{When: fakemodel.UserSays("first"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read two files."),
				fakemodel.ToolUseOf("r1", "Read", map[string]any{"file_path": "a.txt"}),
				fakemodel.ToolUseOf("r2", "Read", map[string]any{"file_path": "missing.txt"}),
			}}},
		fakemodel.Step{When: fakemodel.HasResult("r1"), Reply: fakemodel.Text("Done 问题🤔.")},
		fakemodel.Step{When: fakemodel.UserSays("second"), Reply: fakemodel.Text("Again.")},
	)
	opened := since(began)
	l.Write("a.txt", "one\n")
	l.Prompt("first")
	l.Host.Until("text", agenttest.Saw[agents.Text])
	t.Logf("launch to open %d ms, to first piece of text %d ms", opened, since(began))
	events := l.Done()

	if got := agenttest.Said(events); got != "I read two files.Done 问题🤔." {
		t.Errorf("said %q", got)
	}
	if thought, ok := agenttest.Find[agents.Thought](events); !ok || thought.Text != "let me look" {
		t.Errorf("thought %+v", thought)
	}
	ends := map[string]string{}
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		ends[e.ID] = e.Status
	}
	if ends["r1"] != "ok" || ends["r2"] != "failed" {
		t.Errorf("the calls ended as %v", ends)
	}
	end := events[len(events)-1].(agents.Ended)
	if u := end.Usage; u == nil || *u.Input < 100 || *u.Output < 20 || *u.Cached != 7 || *u.Window < 100_000 {
		t.Errorf("used %+v", u)
	}
	started := agenttest.All[agents.Started](l.Host.Events())
	if s := started[len(started)-1]; s.NativeID == "" || s.Version != "2.1.332" || s.Model == "" {
		t.Errorf("started %+v", s)
	}

	l.Prompt("second")
	if got := agenttest.Said(l.Done()); got != "Again." {
		t.Errorf("said %q", got)
	}
}
