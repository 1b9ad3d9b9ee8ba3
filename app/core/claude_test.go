package core_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/build/clis"
	"parley/mcp"
)

const clarify = "mcp__" + mcp.InteractionServer + "__" + mcp.ToolClarify

var contextID = regexp.MustCompile(`context_id="(pctx_[A-Za-z0-9_-]{43})"`)

// claudeHome makes this process look like the computer of somebody who has the
// real Claude Code and whose model is a script.
func claudeHome(t testing.TB, script ...fakemodel.Step) (model *fakemodel.Server, project string) {
	t.Helper()
	cli := clis.Claude.Path(t)
	apptest.Programs(t, "parley", "parley-mcp", "parley-run") // while this process still has its own PATH
	model, err := fakemodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	home := t.TempDir()
	project = filepath.Join(home, "project")
	for _, dir := range []string{project, filepath.Join(home, "tmp"), filepath.Join(home, ".local", "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(cli, filepath.Join(home, ".local", "bin", "claude")); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "SHELL": "/bin/sh", "CLAUDE_CODE_TMPDIR": filepath.Join(home, "tmp"),
		"ANTHROPIC_BASE_URL": model.URL(), "ANTHROPIC_API_KEY": "sk-test-key-0123456789", "CLAUDE_CODE_MAX_RETRIES": "1",
		"DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	} {
		t.Setenv(name, value)
	}
	return model, project
}

// asks is a model that calls our asking tool with the context id of its newest
// input.
func asks(toolID, question string) func(fakemodel.Request) fakemodel.Reply {
	return func(r fakemodel.Request) fakemodel.Reply {
		ids := contextID.FindAllStringSubmatch(r.LastUserText(), -1)
		if len(ids) == 0 {
			return fakemodel.Text("I was given no context id.")
		}
		return fakemodel.Blocks(fakemodel.TextBlock("One thing is not mine to decide."), fakemodel.ToolUseOf(toolID, clarify, map[string]any{
			"context_id": ids[len(ids)-1][1], "question": question, "choices": []string{"Postgres", "SQLite"},
		}))
	}
}

// The real Claude Code, launched by the real back end, asks through the real
// parley-mcp and goes on with the answer; the model sees exactly what the
// person said, and the context id is in no event.
func TestClaudeAsksAndGoesOn(t *testing.T) {
	model, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Answer: asks("q1", "Which database?")},
		fakemodel.Step{When: fakemodel.HasResult("q1"), Reply: fakemodel.Text("Then I take that one.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "build it")
	in := tape.Asked(turn, app.KindClarify)
	if in.Question != "Which database?" || len(in.Choices) != 2 || in.SaidBefore != "One thing is not mine to decide." || in.ToolUseID != "q1" {
		t.Fatalf("asked %+v", in)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Selected: []string{"SQLite"}, Text: "in one file"}); err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(turn); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	var result fakemodel.Part
	for _, r := range model.Requests() {
		if p, ok := r.ToolResult("q1"); ok {
			result = p
		}
	}
	for _, part := range []string{`"reason":"response"`, `SQLite`, `in one file`} {
		if !strings.Contains(strings.ReplaceAll(result.Text, `": "`, `":"`), part) || result.IsError {
			t.Errorf("the model read %q, which lacks %s", result.Text, part)
		}
	}
	for _, e := range tape.All() {
		if d, ok := apptest.Data[app.ToolStarted](e); ok && strings.Contains(d.Input, "pctx_") {
			t.Errorf("the context id is shown: %s", d.Input)
		}
		if d, ok := apptest.Data[app.Notice](e); ok && d.Level != app.LevelInfo {
			t.Errorf("notice %+v", d)
		}
	}
}

// kill -9 of the agent in mid-question: the question is cancelled as a lost
// connection and the next message resumes the same conversation.
func TestClaudeIsKilledInMidQuestion(t *testing.T) {
	_, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Answer: asks("q1", "Which database?")},
		fakemodel.Step{When: fakemodel.UserSays("go on"), Reply: fakemodel.Text("I go on.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "build it")
	in := tape.Asked(turn, app.KindClarify)
	started, _ := apptest.Data[app.AgentStarted](tape.Wait("the agent", func(e app.Event) bool { return e.Type == app.EventAgentStarted }))
	p, err := os.FindProcess(started.PID)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(turn); end.Status != app.TurnFailed || end.Problem == nil {
		t.Fatalf("ended %+v", end)
	}
	rec, err := b.Client.Interaction(ctx, in.ID)
	if err != nil || rec.Outcome == nil || rec.Outcome.Cause != app.CauseConnectionClosed || !rec.MovedOn() {
		t.Fatalf("recorded %+v, %v", rec.Outcome, err)
	}
	before, err := b.Client.Session(ctx, s.ID)
	if err != nil || before.NativeID == "" {
		t.Fatalf("session %+v, %v", before, err)
	}
	next := send(t, b.Client, s.ID, "go on")
	if end := tape.Ended(next); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	if after, err := b.Client.Session(ctx, s.ID); err != nil || after.NativeID != before.NativeID {
		t.Fatalf("native id %q became %q, %v", before.NativeID, after.NativeID, err)
	}
}

// An agent that calls Parley's own command line from its shell does not answer
// itself: the call is refused and that is recorded.
func TestClaudeMayNotAnswerItself(t *testing.T) {
	dirs, parley := apptest.Home(t), apptest.Program(t, "parley")
	command := "PARLEY_HOME=" + filepath.Dir(dirs.Data) + " " + parley + " questions; echo exit=$?"
	_, project := claudeHome(t,
		fakemodel.Step{When: fakemodel.UserSays("look"), Reply: fakemodel.Blocks(fakemodel.ToolUseOf("b1", "Bash", map[string]any{"command": command}))},
		fakemodel.Step{When: fakemodel.HasResult("b1"), Reply: fakemodel.Text("I looked.")},
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Untitled")},
	)
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	s, err := b.Client.CreateSession(ctx, api.NewSession{Agent: "claude", Cwd: project})
	if err != nil {
		t.Fatal(err)
	}
	turn := send(t, b.Client, s.ID, "look")
	in := tape.Asked(turn, app.KindApproval)
	if in.Approval == nil || in.Approval.Command != command {
		t.Fatalf("asked %+v", in.Approval)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Action: app.ActionAllowOnce}); err != nil {
		t.Fatal(err)
	}
	tape.Ended(turn)
	tape.Wait("the record of the refusal", func(e app.Event) bool {
		d, ok := apptest.Data[app.Notice](e)
		return ok && e.SessionID == s.ID && d.Code == "api_refused"
	})
	e := tape.Wait("the end of the command", func(e app.Event) bool { return e.Type == app.EventToolCompleted })
	if d, _ := apptest.Data[app.ToolCompleted](e); strings.Contains(d.Output, "exit=0") || !strings.Contains(d.Output, "exit=") {
		t.Fatalf("the command ended with %q", d.Output)
	}
}
