package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/agenttest"
	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/mcp"
)

// Of two forms in one message of the model the first is shown and the second
// refused; another call beside them is made. The CLI keeps the call of the form
// and makes it again with the answer, whose result is the answer alone.
func TestClaudeShowsOneFormOfOneMessage(t *testing.T) {
	const prefix = "mcp__" + mcp.InteractionServer + "__"
	form := func(id, question string) fakemodel.Block {
		return fakemodel.ToolUse(id, prefix+mcp.ToolForm, `{"questions":[{"id":"a","question":"`+question+`","options":["yes","no"]}]}`)
	}
	model, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Reply: fakemodel.Blocks(
			fakemodel.ToolUse("r1", "Read", `{"file_path":"notes.txt"}`), form("f1", "First?"), form("f2", "Second?"))},
		fakemodel.Step{When: fakemodel.HasResult("f1"), Reply: fakemodel.Text("Then I do that.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	if err := os.WriteFile(filepath.Join(project, "notes.txt"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project, Mode: "edits"})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "build it")
	in := tape.Asked(turn, app.KindForm)
	if in.Questions[0].Question != "First?" || in.ToolUseID != "f1" || !in.CallKept {
		t.Fatalf("asked %+v", in)
	}
	if end := tape.Ended(turn); end.Status != app.TurnDeferred {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	a := answerTo(in)
	a.Answers = map[string][]string{"a": {"no"}}
	reply, err := b.Client.Answer(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(reply.TurnID); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	var told fakemodel.Request
	for _, r := range model.Requests() {
		if _, ok := r.ToolResult("f1"); ok {
			told = r
		}
	}
	first, _ := told.ToolResult("f1")
	if !strings.HasPrefix(first.Text, `{"answer":["no"]}`+"\n") || first.IsError || !strings.Contains(first.Text, "First?\n- no") || !strings.Contains(first.Text, "context_id=") {
		t.Errorf("the model read %q", first.Text)
	}
	if second, ok := told.ToolResult("f2"); !ok || !second.IsError || !strings.Contains(second.Text, "shown a form already") {
		t.Errorf("of the second form it read %+v", second)
	}
	if beside, ok := told.ToolResult("r1"); !ok || beside.IsError {
		t.Errorf("of the call beside them it read %+v", beside)
	}
	if list, err := b.Client.Interactions(ctx, app.InteractionFilter{SessionID: s.ID}); err != nil || len(list) != 1 || list[0].DeliveredAt == 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

// A background session has no form to show: the real CLI is not offered the
// tool, and a call of it is an error that the model reads.
func TestClaudeShowsNoFormInTheBackground(t *testing.T) {
	agenttest.Long(t)
	const form = "mcp__" + mcp.InteractionServer + "__" + mcp.ToolForm
	model, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Reply: fakemodel.Blocks(fakemodel.ToolUse("f1", form, `{"questions":["Really?"]}`))},
		fakemodel.Step{When: fakemodel.HasResult("f1"), Reply: fakemodel.Text("Then I decide nothing.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.App.Sessions().Create(ctx, app.NewSession{Agent: "claude", Cwd: project, Mode: "edits", Kind: app.KindBackground})
	if err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(send(t, b.Client, s.ID, "build it")); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	read := false
	for _, r := range model.Requests() {
		if told, ok := r.ToolResult("f1"); ok {
			read = read || told.IsError
		}
		if _, offered := r.Tool(form); offered {
			t.Error("the form tool is offered")
		}
	}
	if !read {
		t.Error("the model does not know that nothing was shown")
	}
	showsNothing(t, b, s.ID)
}

func showsNothing(t *testing.T, b *backend.Backend, id app.SessionID) {
	t.Helper()
	if list, err := b.Client.Interactions(ctx, app.InteractionFilter{SessionID: id, State: app.InteractionsAll}); err != nil || len(list) != 0 {
		t.Errorf("shown %+v, %v", list, err)
	}
}

// Nor does it get one past the CLI, with the credential of its launch.
func TestTheServerShowsNoFormInTheBackground(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.App.Sessions().Create(ctx, app.NewSession{Agent: "demo", Kind: app.KindBackground, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "quiet")
	tape.Wait("the agent", func(e app.Event) bool { return e.Type == app.EventAgentStarted })
	if got := asAgent(t, b).call(1, mcp.ToolForm, `{"questions":["Really?"]}`); !got.IsError {
		t.Errorf("told %+v", got)
	}
	if err := b.Client.Stop(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(turn); end.Status != app.TurnInterrupted {
		t.Errorf("ended %+v", end)
	}
	showsNothing(t, b, s.ID)
}
