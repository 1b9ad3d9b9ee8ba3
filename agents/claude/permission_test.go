package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
)

func TestPermissions(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("edit", call("r", "Read", map[string]any{"file_path": "a.txt"})),
		after("r", call("e", "Edit", map[string]any{"file_path": "a.txt", "old_string": "two", "new_string": "TWO\nand a half"})),
		after("e", fakemodel.Text("Edited.")),
		says("delete", call("d", "Bash", map[string]any{"command": "rm -f a.txt", "description": "Delete the file"})),
		after("d", fakemodel.Text("Refused.")),
		says("silence", fakemodel.Blocks(
			fakemodel.ToolUseOf("s1", "Bash", map[string]any{"command": "rm -f a.txt"}),
			fakemodel.ToolUseOf("s2", "Bash", map[string]any{"command": "rm -f a.txt"}))),
		after("s2", fakemodel.Text("Nobody.")),
		says("write", call("w1", "Write", map[string]any{"file_path": "b.txt", "content": "x\n"})),
		after("w1", call("w2", "Write", map[string]any{"file_path": "c.txt", "content": "y\n"})),
		after("w2", fakemodel.Text("Written.")),
		says("commands", call("c1", "Bash", map[string]any{"command": "git frob --one"})),
		after("c1", call("c2", "Bash", map[string]any{"command": "git frob --one"})),
		after("c2", call("c3", "Bash", map[string]any{"command": "git knead"})),
		after("c3", fakemodel.Text("Done.")),
	)
	l.Write("a.txt", "one\ntwo\nthree\n")

	l.Prompt("edit")
	ask := l.Host.NextAsk()
	a := ask.Approval
	if ask.Kind != agents.AskApproval || ask.ToolID != "e" || ask.Parent != "" || a.Tool != "Edit" ||
		a.Path != filepath.Join(l.Spec.Cwd, "a.txt") || !slices.Equal(a.Scopes, []string{"allow_once", "allow_session"}) {
		t.Errorf("asked %+v %+v", ask.Interaction, a)
	}
	live.WantIn(t, "diff", a.Diff, "@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+and a half\n three\n")
	if started, _ := agenttest.Find[agents.ToolStarted](ask.Before); started.Name != "Read" {
		t.Errorf("the question came before what led to it: %s", agenttest.Describe(ask.Before))
	}
	ask.Answer(live.Answered("allow_once"))
	events := l.Done()
	change, _ := agenttest.Find[agents.FileChanged](events)
	if change.Change != "modified" || change.Added != 2 || change.Removed != 1 || change.ToolID != "e" {
		t.Errorf("changed %+v", change)
	}
	live.WantIn(t, "diff of the change", change.Diff, "-two\n+TWO\n+and a half\n")
	live.WantIn(t, "a.txt", l.Read("a.txt"), "TWO\nand a half")

	l.Prompt("delete")
	ask = l.Host.NextAsk()
	if ask.Approval.Command != "rm -f a.txt" || ask.Approval.Why != "Delete the file" || !slices.Equal(ask.Approval.Scopes, []string{"allow_once", "allow_session"}) {
		t.Errorf("asked %+v", ask.Approval)
	}
	ask.Answer(agents.Outcome{Reason: "response", Action: "deny", Note: "keep it"})
	l.Done()
	if p := l.Told("d"); !p.IsError {
		t.Errorf("told %+v", p)
	} else {
		live.WantIn(t, "a deny", p.Text, "refused permission", "keep it")
	}

	l.Prompt("silence")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "timeout"})
	l.Done()
	live.WantIn(t, "a dismissal", l.Told("s1").Text, "closed the request", "no permission")
	live.WantIn(t, "a timeout", l.Told("s2").Text, "in time", "no permission")
	if l.Read("a.txt") == "" {
		t.Error("the file was deleted without leave")
	}

	l.Prompt("write")
	l.Host.NextAsk().Answer(live.Answered("allow_session"))
	events = l.Done() // the second write would wait for ever if it asked
	if l.Read("b.txt") != "x\n" || l.Read("c.txt") != "y\n" {
		t.Error("the files were not written")
	}
	if change, _ := agenttest.Find[agents.FileChanged](events); change.Change != "added" || change.Added != 1 {
		t.Errorf("changed %+v", change)
	}
	if n, ok := agenttest.Find[agents.Notice](events); !ok || n.Code != "mode_changed" {
		t.Errorf("notice %+v", n)
	}

	// A command that was allowed for the session is not asked again, and
	// nothing else is allowed with it.
	l.Prompt("commands")
	l.Host.NextAsk().Answer(live.Answered("allow_session"))
	ask = l.Host.NextAsk()
	if ask.ToolID != "c3" {
		t.Errorf("asked again for %s", ask.ToolID)
	}
	ask.Answer(live.Answered("deny"))
	l.Done()
	if _, err := os.Stat(filepath.Join(l.Spec.Cwd, ".claude")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a settings folder appeared in the project: %v", err)
	}
}

// A plan is shown for approval, first refused and then approved; the work begins
// with that and asks as usual.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(`/[^\s"]+/plans/[^\s"]+\.md`)
	l := launch(t, wish{mode: agents.ModePlan},
		fakemodel.Step{When: fakemodel.UserSays("plan it"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			return call("p", "Write", map[string]any{"file_path": place.FindString(r.Everything()), "content": "# The plan\n1. first\n"})
		}},
		after("p", call("x1", "ExitPlanMode", map[string]any{})),
		after("x1", call("x2", "ExitPlanMode", map[string]any{})),
		after("x2", call("w", "Write", map[string]any{"file_path": "b.txt", "content": "x\n"})),
		after("w", fakemodel.Text("Done.")),
	)
	l.Prompt("plan it")
	ask := l.Host.NextAsk()
	live.WantIn(t, "the plan", ask.Approval.Detail, "# The plan\n1. first")
	ask.Answer(agents.Outcome{Reason: "response", Action: "deny", Note: "more tests"})
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	ask = l.Host.NextAsk()
	if ask.ToolID != "w" {
		t.Errorf("asked %+v", ask.Interaction)
	}
	ask.Answer(live.Answered("allow_once"))
	l.Done()
	live.WantIn(t, "a refused plan", l.Told("x1").Text, "Stay in plan mode", "more tests")
	if l.Read("b.txt") != "x\n" {
		t.Error("not written")
	}
}

// A mode can be changed between turns; full access cannot.
func TestModes(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{mode: agents.ModeAsk},
		says("write", call("w", "Write", map[string]any{"file_path": "b.txt", "content": "x\n"})),
		after("w", fakemodel.Text("Written.")),
	)
	if err := l.Agent.SetMode(t.Context(), agents.ModeFull); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("full access: %v", err)
	}
	if err := l.Agent.SetMode(t.Context(), agents.ModeEdits); err != nil {
		t.Fatal(err)
	}
	l.Prompt("write")
	events := l.Done()
	if l.Read("b.txt") != "x\n" {
		t.Error("not written")
	}
	if n, ok := agenttest.Find[agents.Notice](events); ok {
		t.Errorf("our own change made the notice %+v", n)
	}
	if err := l.Agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Agent.SetMode(t.Context(), agents.ModeAsk); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := l.Agent.Prompt(t.Context(), agents.Turn{Text: "more"}); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// question is an input of the CLI's own asking tool.
func question(text string, multi bool, labels ...string) map[string]any {
	var options []any
	for _, label := range labels {
		options = append(options, map[string]any{"label": label, "description": "about " + label, "preview": "<b>" + label + "</b>"})
	}
	return map[string]any{"question": text, "header": "Pick", "multiSelect": multi, "options": options}
}

func askUser(id string, questions ...any) fakemodel.Reply {
	return call(id, "AskUserQuestion", map[string]any{"questions": questions})
}

// The CLI's own questions become cards in every mode, also in the one that asks
// for nothing, and no end but an answer reads like one.
func TestNativeQuestions(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{mode: agents.ModeFull, env: []string{"IS_SANDBOX=1"}},
		says("ask", askUser("q", question("Which toppings?", true, "Apple, red", "Bean"), question("Which size?", false, "Small (Recommended)", "Big"))),
		after("q", call("b", "Bash", map[string]any{"command": "rm -f nothing"})),
		after("b", fakemodel.Text("Thanks.")),
		says("dismiss", askUser("q2", question("Which one?", false, "Left", "Right"))),
		after("q2", fakemodel.Text("Fine.")),
		says("wait", askUser("q3", question("Which way?", false, "Left", "Right"))),
		after("q3", fakemodel.Text("Fine.")),
	)
	l.Prompt("ask")
	ask := l.Host.NextAsk()
	if ask.Kind != agents.AskNative || ask.ToolID != "q" || len(ask.Fields) != 2 {
		t.Fatalf("asked %+v", ask.Interaction)
	}
	toppings, size := ask.Fields[0], ask.Fields[1]
	if !toppings.Multi || !toppings.FreeText || toppings.Header != "Pick" || toppings.Options[1].Preview != "<b>Bean</b>" || toppings.Options[1].Description != "about Bean" {
		t.Errorf("field %+v", toppings)
	}
	if o := size.Options[0]; o.Label != "Small" || !o.Recommended || size.Options[1].Recommended {
		t.Errorf("options %+v", size.Options)
	}
	ask.Answer(agents.Outcome{Reason: "response", Answers: map[string][]string{
		toppings.ID: {"Apple, red", "and typed"}, size.ID: {"Small"},
	}})
	l.Done() // nothing else asks in this mode
	live.WantIn(t, "the answer", l.Told("q").Text, `"Apple, red", and typed`, "Small (Recommended)")

	l.Prompt("dismiss")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
	l.Done()
	dismissed := l.Told("q2")
	live.WantIn(t, "a dismissal", dismissed.Text, "closed the question", "no approval")

	l.Prompt("wait")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "timeout"})
	l.Done()
	late := l.Told("q3")
	live.WantIn(t, "a timeout", late.Text, "in time", "no approval")
	for _, p := range []fakemodel.Part{dismissed, late} {
		if !p.IsError || slices.ContainsFunc([]string{"Left", "Right"}, func(choice string) bool { return contains(p.Text, choice) }) {
			t.Errorf("told %+v", p)
		}
	}
}

func TestElicitation(t *testing.T) {
	t.Parallel()
	w := wish{env: []string{legacy}}
	w.catalog = append(w.catalog, live.Server(t, "rig"))
	w.catalog[0].AutoAllow, w.catalog[0].Managed = []string{"elicit"}, true
	ask := func(id string) fakemodel.Step { return says("ask "+id, call(id, "mcp__rig__elicit", map[string]any{})) }
	end := func(id string) fakemodel.Step { return after(id, fakemodel.Text("ok")) }
	l := launch(t, w, ask("accept"), end("accept"), ask("decline"), end("decline"), ask("close"), end("close"), ask("nonsense"), end("nonsense"))

	l.Prompt("ask accept")
	got := l.Host.NextAsk()
	if got.Kind != agents.AskElicitation || got.Title != "Your colour?" || got.Server != "rig" || len(got.Fields) != 2 {
		t.Fatalf("asked %+v", got.Interaction)
	}
	for _, f := range got.Fields {
		switch f.ID {
		case "size":
			if f.Type != "integer" || !f.Required || f.Question != "Size" {
				t.Errorf("field %+v", f)
			}
		case "colour":
			if f.Type != "choice" || len(f.Options) != 2 || f.FreeText {
				t.Errorf("field %+v", f)
			}
		}
	}
	got.Answer(agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"size": {"4"}, "colour": {"blue"}}})
	l.Done()
	live.WantIn(t, "accepted", l.Told("accept").Text, `"accept"`, `"size":4`, `"colour":"blue"`)

	l.Prompt("ask decline")
	l.Host.NextAsk().Answer(live.Answered("decline"))
	l.Done()
	live.WantIn(t, "declined", l.Told("decline").Text, `"decline"`)

	l.Prompt("ask close")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
	l.Done()
	live.WantIn(t, "closed", l.Told("close").Text, `"cancel"`)

	l.Prompt("ask nonsense")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"size": {"much"}}})
	if n, ok := agenttest.Find[agents.Notice](l.Done()); !ok || n.Code != "elicitation_answer" {
		t.Errorf("notice %+v", n)
	}
	live.WantIn(t, "nonsense", l.Told("nonsense").Text, `"cancel"`)
}

// A person stops a turn while a question is open, in mid-call, in mid-text and
// before the CLI has begun; the process serves on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	l := launch(t, wish{},
		says("question", askUser("q", question("Which?", false, "A", "B"))),
		says("call", call("b", "Bash", map[string]any{"command": "touch running; while :; do sleep 0.1; done"})),
		says("text", fakemodel.Blocks(fakemodel.TextBlock("Finished block."), fakemodel.Block{Type: "text", Text: "This is half of a sentence that", Until: held})),
		fakemodel.Step{When: fakemodel.UserSays("alive"), Times: fakemodel.Always, Reply: fakemodel.Text("Still here.")},
	)
	stop := func() agents.Ended {
		t.Helper()
		if err := l.Agent.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		events, end := l.Ended()
		agenttest.CheckEvents(t, events)
		if end.Stop != agents.StopStopped || end.Problem != nil {
			t.Errorf("ended as %+v", end)
		}
		return end
	}

	l.Prompt("question")
	ask := l.Host.NextAsk()
	stop()
	<-ask.Ctx.Done()
	if cause := context.Cause(ask.Ctx); !errors.Is(cause, agents.ErrTurnStopped) {
		t.Errorf("withdrawn because of %v", cause)
	}

	l.Prompt("call")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	l.AwaitFile("running")
	stop()
	events := l.Host.EndOfTurn(l.Turns)
	if e, ok := agenttest.Find[agents.ToolEnded](events); !ok || e.Status != "cancelled" {
		t.Errorf("the call ended as %+v", e)
	}

	l.Prompt("text")
	l.Host.Until("half of the text", func(events []agents.Event) bool {
		n := 0
		for _, e := range agenttest.All[agents.Text](events[l.Turns:]) {
			n += len(e.Text)
		}
		return n > len("Finished block.")*2+5
	})
	stop()
	texts := agenttest.All[agents.Text](l.Host.EndOfTurn(l.Turns))
	if last := texts[len(texts)-1]; !last.Done || !last.Partial {
		t.Errorf("the text ended as %+v", last)
	}

	l.Prompt("alive") // stopped before the CLI has read it
	stop()

	l.Prompt("alive")
	if got := agenttest.Said(l.Done()); got != "Still here." {
		t.Errorf("said %q", got)
	}
	if err := l.Agent.Interrupt(t.Context()); err != nil {
		t.Errorf("interrupt between turns: %v", err)
	}
}
