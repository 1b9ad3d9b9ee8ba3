package claude_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// A message into a running turn reaches the model beside the next result of a
// call. When it comes too late for that the CLI begins with it anew, and the
// turn lasts until that is done.
func TestSteer(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	l := launch(t, wish{},
		says("first", call("b", "Bash", map[string]any{"command": "touch running; while [ ! -e go ]; do sleep 0.05; done"})),
		after("b", fakemodel.Text("Took the hint.")),
		says("second", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "These are last words.", Until: held})),
		says("too late", fakemodel.Text("An answer to that.")),
	)
	steer := func(words string) {
		t.Helper()
		if err := l.agent.Steer(t.Context(), agents.Turn{Text: words}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.agent.Steer(t.Context(), agents.Turn{Text: "nobody works"}); err == nil {
		t.Error("steered without a turn")
	}
	l.prompt("first")
	l.host.NextAsk().Answer(answered("allow_once"))
	waitFor(t, func() bool { return l.there("running") })
	steer("a hint")
	l.write("go", "")
	if got := agenttest.Said(l.done()); got != "Took the hint." {
		t.Errorf("said %q", got)
	}
	wantIn(t, "what the model read", l.model.Requests()[1].LastUserText(), "a hint")

	l.prompt("second")
	l.host.Until("last words", func(events []agents.Event) bool { return agenttest.Saw[agents.Text](events[l.turns:]) })
	steer("too late")
	close(held)
	if got := agenttest.Said(l.done()); got != "These are last words.An answer to that." {
		t.Errorf("said %q", got)
	}
	if n := len(agenttest.All[agents.TurnBegan](l.host.Events())); n != 0 {
		t.Errorf("%d turns began by themselves", n)
	}
}

// The process is killed in the middle of a turn; the next one takes the
// conversation up where it was.
func TestResumeAfterAKill(t *testing.T) {
	t.Parallel()
	model := serve(t,
		says("remember", fakemodel.Text("I will.")),
		says("work", call("b", "Bash", map[string]any{"command": "touch running; while :; do sleep 0.1; done"})),
		says("what was it", fakemodel.Text("It was a plum.")),
	)
	w := wish{home: scratch(t), model: model}
	l := launch(t, w)
	l.prompt("remember a plum")
	l.done()
	started := agenttest.All[agents.Started](l.host.Events())
	w.native = started[len(started)-1].NativeID

	l.prompt("work")
	ask := l.host.NextAsk()
	ask.Answer(answered("allow_once"))
	waitFor(t, func() bool { return l.there("running") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a stop that may not wait is a kill
	l.proc.Stop(ctx)
	events, end := l.ended()
	agenttest.CheckEvents(t, events)
	if end.Stop != agents.StopFailed || end.Problem.Code != "exited" {
		t.Errorf("ended as %+v", end)
	}
	if p := newAdapter().Diagnose(agents.Exit{Code: -1, Signal: "SIGKILL"}, l.proc.Tail()); p.Code != "exited" || p.Advice == "" {
		t.Errorf("diagnosis %+v", p)
	}

	l = launch(t, w)
	first, _ := agenttest.Find[agents.Started](l.host.Events())
	if first.NativeID != w.native {
		t.Errorf("resumed as %+v, want %s", first, w.native)
	}
	l.prompt("what was it")
	if got := agenttest.Said(l.done()); got != "It was a plum." {
		t.Errorf("said %q", got)
	}
	requests := model.Requests()
	wantIn(t, "what the model was told", requests[len(requests)-1].Everything(), "remember a plum", "I will.")
}

// Faults of the provider end the turn with a reason and advice, and the process
// serves on.
func TestFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A slow and long answer. ", 40)
	l := launch(t, wish{},
		fakemodel.Step{When: fakemodel.UserSays("key"), Times: 2, Reply: fakemodel.Unauthorized()},
		fakemodel.Step{When: fakemodel.UserSays("limit"), Times: 2, Reply: fakemodel.RateLimited(time.Second, time.Time{})},
		fakemodel.Step{When: fakemodel.UserSays("load"), Times: 2, Reply: fakemodel.Overloaded()},
		says("credit", fakemodel.BadRequest("Your credit balance is too low to access the Anthropic API.")),
		says("room", fakemodel.BadRequest("prompt is too long: 210000 tokens > 200000 maximum")),
		says("cut", fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(long)}, CutAfter: 6}),
		says("cut", fakemodel.Text("Whole at last.")),
		says("slow", fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(long)}, Before: 300 * time.Millisecond, Pace: 5 * time.Millisecond}),
		says("huge", fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(strings.Repeat(long, 300))}, Piece: 8 << 10}),
	)
	for _, c := range []struct {
		say, code string
		stop      agents.Stop
		retried   bool
	}{
		{"key", "auth_failed", agents.StopFailed, true},
		{"limit", "rate_limited", agents.StopFailed, true},
		{"load", "overloaded", agents.StopFailed, true},
		{"credit", "billing", agents.StopFailed, false},
		{"room", "context_full", agents.StopLimit, false},
	} {
		l.prompt(c.say)
		events, end := l.ended()
		agenttest.CheckEvents(t, events)
		if end.Stop != c.stop || end.Problem == nil || end.Problem.Code != c.code || end.Problem.Advice == "" || end.Problem.Evidence == "" {
			t.Errorf("%s: ended as %+v %+v", c.say, end, end.Problem)
		}
		told := slices.ContainsFunc(agenttest.All[agents.Notice](events), func(n agents.Notice) bool { return n.Code == "api_retry" && n.Text != "" })
		if told != c.retried {
			t.Errorf("%s: told of another attempt: %v", c.say, told)
		}
		if said := agenttest.Said(events); said != "" {
			t.Errorf("%s: the error was shown as a message of the agent: %q", c.say, said)
		}
	}

	l.prompt("cut")
	events := l.done()
	texts := agenttest.All[agents.Text](events)
	if last := texts[len(texts)-1]; last.Text != "Whole at last." || !last.Done || last.Partial {
		t.Errorf("after a broken stream: %+v", last)
	}
	l.prompt("slow")
	if got := agenttest.Said(l.done()); got != long {
		t.Errorf("%d bytes were said, %d sent", len(got), len(long))
	}
	l.prompt("huge")
	if got := agenttest.Said(l.done()); got != strings.Repeat(long, 300) {
		t.Errorf("%d bytes were said, %d sent", len(got), 300*len(long))
	}
}

func TestNotLoggedIn(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{env: []string{"ANTHROPIC_API_KEY="}})
	l.prompt("hello")
	_, end := l.ended()
	if end.Stop != agents.StopFailed || end.Problem.Code != "not_logged_in" || end.Problem.Command != "claude auth login" {
		t.Errorf("ended as %+v %+v", end, end.Problem)
	}
}

// A sub-agent's work is marked as its own, and it may not ask the person: not
// by the CLI's tool and not by ours.
func TestSubagents(t *testing.T) {
	t.Parallel()
	w := wish{env: []string{legacy}, catalog: mcp.Catalog{ours(t)}}
	clarify := "mcp__parley-interaction__parley_clarify"
	l := launch(t, w,
		says("delegate", fakemodel.Blocks(fakemodel.TextBlock("I delegate."), fakemodel.ToolUseOf("main", "Agent", map[string]any{
			"description": "look into it", "prompt": "SUBWORK", "subagent_type": "general-purpose", "run_in_background": false}))),
		says("SUBWORK", fakemodel.Blocks(
			fakemodel.ToolUseOf("s1", clarify, map[string]any{}),
			fakemodel.ToolUseOf("s2", "AskUserQuestion", map[string]any{"questions": []any{question("Which?", false, "A", "B")}}),
			fakemodel.ToolUseOf("s3", "Bash", map[string]any{"command": "touch made-by-sub"}))),
		after("s3", fakemodel.Text("The report.")),
		after("main", call("m1", clarify, map[string]any{"question": "Which colour?"})),
		after("m1", fakemodel.Text("All done.")),
	)
	l.prompt("delegate")
	ask := l.host.NextAsk()
	if ask.Kind != agents.AskApproval || ask.ToolID != "s3" || ask.Parent != "main" {
		t.Errorf("asked %+v", ask.Interaction)
	}
	ask.Answer(answered("allow_once"))
	events := l.done()
	if !l.there("made-by-sub") {
		t.Error("the sub-agent's command did not run")
	}
	wantIn(t, "our tool", l.told("s1").Text, "sub-agent may not ask")
	if p := l.told("s2"); !p.IsError {
		t.Errorf("the CLI's own asking tool: %+v", p)
	}
	wantIn(t, "the agent itself", l.told("m1").Text, "BLUE-42")

	parents, kinds := map[string]string{}, map[string]string{}
	for _, e := range agenttest.All[agents.ToolStarted](events) {
		parents[e.ID], kinds[e.ID] = e.Parent, e.Kind
	}
	for id, parent := range map[string]string{"main": "", "s1": "main", "s2": "main", "s3": "main", "m1": ""} {
		if got, ok := parents[id]; !ok || got != parent {
			t.Errorf("call %s has the parent %q, want %q", id, got, parent)
		}
	}
	if kinds["main"] != "agent" || kinds["m1"] != "ask" || kinds["s3"] != "run" {
		t.Errorf("kinds %v", kinds)
	}
	if got := agenttest.Said(events); got != "I delegate.All done." {
		t.Errorf("said %q", got)
	}
}

// Work in the background begins a turn of its own when it ends, and does not
// end one that a person requested.
func TestBackgroundWork(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	background := func(id, until string) fakemodel.Reply {
		return call(id, "Bash", map[string]any{"command": "while [ ! -e " + until + " ]; do sleep 0.05; done", "run_in_background": true})
	}
	notified := func(r fakemodel.Request) bool { return contains(r.LastUserText(), "task-notification") }
	l := launch(t, wish{mode: agents.ModeFull, env: []string{"IS_SANDBOX=1"}},
		says("begin", background("b1", "go1")), after("b1", fakemodel.Text("It runs.")),
		fakemodel.Step{When: notified, Reply: fakemodel.Text("The work is over.")},
		says("again", background("b2", "go2")), after("b2", fakemodel.Text("It runs again.")),
		says("meanwhile", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "A long answer.", Until: held})),
		fakemodel.Step{When: notified, Reply: fakemodel.Text("That too.")},
	)
	l.prompt("begin")
	l.done()
	l.turns = len(l.host.Events())
	l.write("go1", "")
	events := l.done()
	if began := agenttest.All[agents.TurnBegan](events); len(began) != 1 || began[0].Reason == "" {
		t.Errorf("began %+v", began)
	}
	if got := agenttest.Said(events); got != "The work is over." {
		t.Errorf("said %q", got)
	}

	l.prompt("again")
	l.done()
	l.prompt("meanwhile")
	l.host.Until("answer", func(events []agents.Event) bool { return agenttest.Saw[agents.Text](events[l.turns:]) })
	l.write("go2", "")
	l.host.Until("end of the work", func(events []agents.Event) bool { return agenttest.Saw[agents.Notice](events[l.turns:]) })
	if agenttest.Saw[agents.Ended](l.host.Events()[l.turns:]) {
		t.Error("the end of background work ended the turn")
	}
	close(held)
	mine := l.done()
	if got := agenttest.Said(mine); got != "A long answer." {
		t.Errorf("said %q", got)
	}
	l.turns += len(mine)
	events = l.done()
	if got := agenttest.Said(events); got != "That too." || !agenttest.Saw[agents.TurnBegan](events) {
		t.Errorf("said %q in %s", got, agenttest.Describe(events))
	}
}

// Commands of the CLI arrive byte for byte; the input's context block reaches
// the model behind the text and comes back nowhere.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	id := "pctx_" + strings.Repeat("Ab3-", 10) + "xyz"
	l := launch(t, wish{},
		says("context", fakemodel.Blocks(fakemodel.TextBlock("The id is "+id+"."), fakemodel.ToolUseOf("r", "Read", map[string]any{"file_path": id}))),
		after("r", fakemodel.Text("Read.")),
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("<summary>A summary.</summary>")},
	)
	picture := l.write("p.png", "\x89PNG\r\n\x1a\n")
	note := l.write("n.txt", "a note")
	l.turns = len(l.host.Events())
	err := l.agent.Prompt(t.Context(), agents.Turn{Text: "context", Context: "<block>context_id=\"" + id + "\"</block>", Files: []agents.Attachment{
		{Name: "n.txt", Mime: "text/plain", Path: note},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.done()
	sent := l.model.Requests()[0].LastUserText()
	wantIn(t, "the input", sent, "context\nAttached file: "+note+"\n<block>context_id=\""+id)
	if err := l.agent.Prompt(t.Context(), agents.Turn{Text: "x", Files: []agents.Attachment{{Name: "gone", Path: picture + ".gone"}}}); err == nil {
		t.Error("a file that is not there was attached")
	}

	l.prompt("/compact")
	if n, ok := agenttest.Find[agents.Notice](l.done()); !ok || n.Code != "compacting" {
		t.Errorf("notice %+v", n)
	}
	before, _ := agenttest.Find[agents.Started](l.host.Events())
	l.prompt("/clear")
	after, _ := agenttest.Find[agents.Started](l.done())
	if after.NativeID == "" || after.NativeID == before.NativeID {
		t.Errorf("after /clear the session is %q, before %q", after.NativeID, before.NativeID)
	}
}
