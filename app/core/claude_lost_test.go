package core_test

import (
	"os"
	"os/exec"
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

// While a form waits the person goes on with the same conversation in the CLI
// itself, which then has no call any more that it could make again. The form's
// answer reaches the model all the same, as a message, once; and the session
// goes on.
func TestClaudeLostTheCallOfAForm(t *testing.T) {
	agenttest.Long(t)
	form := "mcp__" + mcp.InteractionServer + "__" + mcp.ToolForm
	model, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Reply: fakemodel.Blocks(
			fakemodel.ToolUse("f1", form, `{"questions":[{"id":"a","question":"Which way?","options":["left","right"]}]}`))},
		fakemodel.Step{When: fakemodel.UserSays("meanwhile"), Times: fakemodel.Always, Reply: fakemodel.Text("I said so to you alone.")},
		fakemodel.Step{When: fakemodel.UserSays("Which way?"), Reply: fakemodel.Text("Left then.")},
		fakemodel.Step{When: fakemodel.UserSays("and now"), Reply: fakemodel.Text("Now I rest.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project, Mode: "edits"})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "build it")
	in := tape.Asked(turn, app.KindForm)
	if end := tape.Ended(turn); end.Status != app.TurnDeferred || !in.CallKept {
		t.Fatalf("asked %+v, ended %+v", in, end)
	}
	s, err = b.Client.Session(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	own := exec.Command(filepath.Join(filepath.Dir(project), ".local", "bin", "claude"), "-p", "--resume", s.NativeID, "meanwhile")
	own.Dir = project
	// Without this the CLI refuses: our tool is not there, and it would lose the call.
	own.Env = append(os.Environ(), "CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL=1")
	if out, err := own.CombinedOutput(); err != nil || !strings.Contains(string(out), "I said so to you alone.") {
		t.Fatalf("the CLI by itself: %s, %v", out, err)
	}

	a := answerTo(in)
	a.Answers = map[string][]string{"a": {"left"}}
	reply, err := b.Client.Answer(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(reply.TurnID); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	if end := tape.Ended(send(t, b.Client, s.ID, "and now")); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	var told fakemodel.Request
	for _, r := range model.Requests() {
		if strings.Contains(r.LastUserText(), "and now") {
			told = r
		}
	}
	if n := strings.Count(told.Everything(), `{"answer":["left"]}`); n != 1 {
		t.Errorf("the answer is there %d times", n)
	}
	list, err := b.Client.Interactions(ctx, app.InteractionFilter{SessionID: s.ID, State: app.InteractionsAll})
	if err != nil || len(list) != 1 || list[0].DeliveredAt == 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}
