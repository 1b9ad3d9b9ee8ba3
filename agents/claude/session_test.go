package claude_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
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
		if err := l.Agent.Steer(t.Context(), agents.Turn{Text: words}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Agent.Steer(t.Context(), agents.Turn{Text: "nobody works"}); err == nil {
		t.Error("steered without a turn")
	}
	l.Prompt("first")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	l.AwaitFile("running")
	steer("a hint")
	l.Write("go", "")
	if got := agenttest.Said(l.Done()); got != "Took the hint." {
		t.Errorf("said %q", got)
	}
	live.WantIn(t, "what the model read", l.Model.Requests()[1].LastUserText(), "a hint")

	l.Prompt("second")
	l.Host.Until("last words", func(events []agents.Event) bool { return agenttest.Saw[agents.Text](events[l.Turns:]) })
	steer("too late")
	close(held)
	if got := agenttest.Said(l.Done()); got != "These are last words.An answer to that." {
		t.Errorf("said %q", got)
	}
	if n := len(agenttest.All[agents.TurnBegan](l.Host.Events())); n != 0 {
		t.Errorf("%d turns began by themselves", n)
	}
}

// The process is killed in the middle of a turn; the next one takes the
// conversation up where it was.
func TestResumeAfterAKill(t *testing.T) {
	t.Parallel()
	model := live.Serve(t,
		says("remember", fakemodel.Text("I will.")),
		says("work", call("b", "Bash", map[string]any{"command": "touch running; while :; do sleep 0.1; done"})),
		says("what was it", fakemodel.Text("It was a plum.")),
	)
	w := wish{home: live.Home(t), model: model}
	l := launch(t, w)
	l.Prompt("remember a plum")
	l.Done()
	started := agenttest.All[agents.Started](l.Host.Events())
	w.native = started[len(started)-1].NativeID

	l.Prompt("work")
	ask := l.Host.NextAsk()
	ask.Answer(live.Answered("allow_once"))
	l.AwaitFile("running")
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a stop that may not wait is a kill
	l.Proc.Stop(ctx)
	events, end := l.Ended()
	agenttest.CheckEvents(t, events)
	if end.Stop != agents.StopFailed || end.Problem.Code != "exited" {
		t.Errorf("ended as %+v", end)
	}
	if p := newAdapter().Diagnose(agents.Exit{Code: -1, Signal: "SIGKILL"}, l.Proc.Tail()); p.Code != "exited" || p.Advice == "" {
		t.Errorf("diagnosis %+v", p)
	}

	l = launch(t, w)
	first, _ := agenttest.Find[agents.Started](l.Host.Events())
	if first.NativeID != w.native {
		t.Errorf("resumed as %+v, want %s", first, w.native)
	}
	l.Prompt("what was it")
	if got := agenttest.Said(l.Done()); got != "It was a plum." {
		t.Errorf("said %q", got)
	}
	requests := model.Requests()
	live.WantIn(t, "what the model was told", requests[len(requests)-1].Everything(), "remember a plum", "I will.")
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
		l.Prompt(c.say)
		events, end := l.Ended()
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

	l.Prompt("cut")
	events := l.Done()
	texts := agenttest.All[agents.Text](events)
	if last := texts[len(texts)-1]; last.Text != "Whole at last." || !last.Done || last.Partial {
		t.Errorf("after a broken stream: %+v", last)
	}
	l.Prompt("slow")
	if got := agenttest.Said(l.Done()); got != long {
		t.Errorf("%d bytes were said, %d sent", len(got), len(long))
	}
	l.Prompt("huge")
	if got := agenttest.Said(l.Done()); got != strings.Repeat(long, 300) {
		t.Errorf("%d bytes were said, %d sent", len(got), 300*len(long))
	}
}

func TestNotLoggedIn(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{env: []string{"ANTHROPIC_API_KEY="}})
	l.Prompt("hello")
	_, end := l.Ended()
	if end.Stop != agents.StopFailed || end.Problem.Code != "not_logged_in" || end.Problem.Command != "claude auth login" {
		t.Errorf("ended as %+v %+v", end, end.Problem)
	}
}

// A sub-agent's work is marked as its own, and it may not ask the person: not
// by the CLI's tool and not by ours.
func TestSubagents(t *testing.T) {
	t.Parallel()
	w := wish{env: []string{legacy}, catalog: mcp.Catalog{live.Ours(t)}}
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
	l.Prompt("delegate")
	ask := l.Host.NextAsk()
	if ask.Kind != agents.AskApproval || ask.ToolID != "s3" || ask.Parent != "main" {
		t.Errorf("asked %+v", ask.Interaction)
	}
	ask.Answer(live.Answered("allow_once"))
	events := l.Done()
	if !l.There("made-by-sub") {
		t.Error("the sub-agent's command did not run")
	}
	live.WantIn(t, "our tool", l.Told("s1").Text, "sub-agent may not ask")
	if p := l.Told("s2"); !p.IsError {
		t.Errorf("the CLI's own asking tool: %+v", p)
	}
	live.WantIn(t, "the agent itself", l.Told("m1").Text, "BLUE-42")

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
	l.Prompt("begin")
	l.Done()
	l.Turns = len(l.Host.Events())
	l.Write("go1", "")
	events := l.Done()
	if began := agenttest.All[agents.TurnBegan](events); len(began) != 1 || began[0].Reason == "" {
		t.Errorf("began %+v", began)
	}
	if got := agenttest.Said(events); got != "The work is over." {
		t.Errorf("said %q", got)
	}

	l.Prompt("again")
	l.Done()
	l.Prompt("meanwhile")
	l.Host.Until("answer", func(events []agents.Event) bool { return agenttest.Saw[agents.Text](events[l.Turns:]) })
	l.Write("go2", "")
	l.Host.Until("end of the work", func(events []agents.Event) bool { return agenttest.Saw[agents.Notice](events[l.Turns:]) })
	if agenttest.Saw[agents.Ended](l.Host.Events()[l.Turns:]) {
		t.Error("the end of background work ended the turn")
	}
	close(held)
	mine := l.Done()
	if got := agenttest.Said(mine); got != "A long answer." {
		t.Errorf("said %q", got)
	}
	l.Turns += len(mine)
	events = l.Done()
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
	picture := l.Write("p.png", "\x89PNG\r\n\x1a\n")
	note := l.Write("n.txt", "a note")
	l.Turns = len(l.Host.Events())
	err := l.Agent.Prompt(t.Context(), agents.Turn{Text: "context", Context: "<block>context_id=\"" + id + "\"</block>", Files: []agents.Attachment{
		{Name: "n.txt", Mime: "text/plain", Path: note},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.Done()
	sent := l.Model.Requests()[0].LastUserText()
	live.WantIn(t, "the input", sent, "context\nAttached file: "+note+"\n<block>context_id=\""+id)
	if err := l.Agent.Prompt(t.Context(), agents.Turn{Text: "x", Files: []agents.Attachment{{Name: "gone", Path: picture + ".gone"}}}); err == nil {
		t.Error("a file that is not there was attached")
	}

	l.Prompt("/compact")
	if n, ok := agenttest.Find[agents.Notice](l.Done()); !ok || n.Code != "compacting" {
		t.Errorf("notice %+v", n)
	}
	before, _ := agenttest.Find[agents.Started](l.Host.Events())
	l.Prompt("/clear")
	after, _ := agenttest.Find[agents.Started](l.Done())
	if after.NativeID == "" || after.NativeID == before.NativeID {
		t.Errorf("after /clear the session is %q, before %q", after.NativeID, before.NativeID)
	}
}
