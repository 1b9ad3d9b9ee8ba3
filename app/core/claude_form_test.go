package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
