package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/proc"
	"parley/build/clis"
)

// openScript opens a conversation with a shell script in the CLI's place.
func openScript(t *testing.T, ctx context.Context, script string) (error, *proc.Proc) {
	t.Helper()
	p, err := proc.Start(proc.Spec{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: t.TempDir(), Shim: live.Shim})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		p.Stop(done)
	})
	_, err = newAdapter().Open(ctx, agents.Conn{In: p.Stdin(), Out: p.Stdout(), Done: p.Done()}, agents.SessionSpec{Cwd: t.TempDir()}, agenttest.NewHost(t))
	if err == nil {
		t.Fatal("it opened")
	}
	return err, p
}

func TestWhatDoesNotOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, code, evidence string }{
		{"garbage", `echo "Welcome!"; echo "login: "; read x`, "garbage", "Welcome!\nlogin:"},
		{"trust", `echo "Do you trust the files in this folder?"; exit 1`, "broken", "trust"},
		{"lost", `read x; echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: 1"]}'; exit 1`, "session_lost", "No conversation"},
		{"error", `read x; echo '{"type":"control_response","response":{"subtype":"error","request_id":"parley-1","error":"no such thing"}}'; read x`, "broken", "no such thing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			if c.name == "garbage" { // it waits for ever, so its caller gives up
				time.AfterFunc(500*time.Millisecond, cancel)
			}
			defer cancel()
			err, _ := openScript(t, ctx, c.script)
			refused, ok := errors.AsType[*agents.PlanError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			p := refused.Problem
			if p.Code != c.code || p.Title == "" || p.Advice == "" || !strings.Contains(p.Evidence, c.evidence) {
				t.Errorf("problem %+v", p)
			}
		})
	}
}

// A program that ends without a word on its output leaves the explanation to
// its exit code and its standard error.
func TestExitsAtOnce(t *testing.T) {
	t.Parallel()
	err, p := openScript(t, t.Context(), `echo "--dangerously-skip-permissions cannot be used with root/sudo privileges" >&2; exit 1`)
	if !errors.Is(err, agents.ErrClosed) {
		t.Errorf("got %v", err)
	}
	<-p.Done()
	if problem := newAdapter().Diagnose(agents.Exit{Code: p.Exit().Code}, p.Tail()); problem.Code != "refused_mode" || problem.Advice == "" {
		t.Errorf("diagnosis %+v", problem)
	}
}

// The real CLI does not know the session.
func TestSessionIsLost(t *testing.T) {
	t.Parallel()
	home := live.Home(t)
	install, spec := prepare(t, wish{home: home, model: live.Serve(t), native: "11111111-1111-4111-8111-111111111111"})
	if p := live.Refused(t, newAdapter(), install, spec); p.Code != "session_lost" {
		t.Errorf("refused with %+v", p)
	}
}

// The oldest version that is known to work does: text, a permission, a
// question, a message into the turn, a stop.
func TestOldVersion(t *testing.T) {
	agenttest.Long(t)
	t.Parallel()
	l := launch(t, wish{cli: clis.ClaudeOld},
		says("edit", call("e", "Write", map[string]any{"file_path": "a.txt", "content": "x\n"})),
		after("e", askUser("q", question("Which?", false, "A", "B"))),
		after("q", fakemodel.Text("Thanks.")),
		says("work", call("b", "Bash", map[string]any{"command": "touch running; while [ ! -e go ]; do sleep 0.05; done"})),
		after("b", fakemodel.Text("Took the hint.")),
		says("stop", call("s", "Bash", map[string]any{"command": "touch stopping; while :; do sleep 0.1; done"})),
		says("alive", fakemodel.Text("Still here.")),
	)
	l.Prompt("edit")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	ask := l.Host.NextAsk()
	ask.Answer(agents.Outcome{Reason: "response", Answers: map[string][]string{ask.Fields[0].ID: {"B"}}})
	events := l.Done()
	if got := agenttest.Said(events); got != "Thanks." || l.Read("a.txt") != "x\n" {
		t.Errorf("said %q", got)
	}
	live.WantIn(t, "the answer", l.Told("q").Text, `"Which?"="B"`)

	l.Prompt("work")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	l.AwaitFile("running")
	if err := l.Agent.Steer(t.Context(), agents.Turn{Text: "a hint"}); err != nil {
		t.Fatal(err)
	}
	l.Write("go", "")
	if got := agenttest.Said(l.Done()); got != "Took the hint." {
		t.Errorf("said %q", got)
	}

	l.Prompt("stop")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	l.AwaitFile("stopping")
	if err := l.Agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, end := l.Ended(); end.Stop != agents.StopStopped {
		t.Errorf("ended as %+v", end)
	}
	l.Prompt("alive")
	if got := agenttest.Said(l.Done()); got != "Still here." {
		t.Errorf("said %q", got)
	}
}

// Looking at an install tells version and login, asks no model and leaves no
// trace in a home folder where the CLI never ran.
func TestInspect(t *testing.T) {
	t.Parallel()
	path := clis.Claude.Path(t)
	home := live.Home(t)
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp")}
	look := func(env ...string) agents.Install {
		return newAdapter().Inspect(t.Context(), proc.Runner{Shim: live.Shim}.Run, path, env)
	}

	got := look(env...)
	if got.Problem != nil || got.Version != clis.Claude.Version || got.Login != agents.LoginNo || got.Path != path {
		t.Errorf("a fresh home: %+v", got)
	}
	if files := kindsOfFile(t, home); len(files) != 0 {
		t.Errorf("looking left %v", files)
	}
	if got := look(append(env, "ANTHROPIC_API_KEY=k")...); got.Login != agents.LoginYes {
		t.Errorf("with a key: %+v", got)
	}
	if got := look(append(env, "CLAUDE_CODE_USE_BEDROCK=1")...); got.Login != agents.LoginYes {
		t.Errorf("with another provider: %+v", got)
	}

	state := filepath.Join(home, ".claude.json")
	if err := os.WriteFile(state, []byte(`{"numStartups":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := look(env...); got.Login != agents.LoginNo {
		t.Errorf("used and not logged in: %+v", got)
	}
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	login := `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-x","refreshToken":"sk-ant-ort01-x","expiresAt":4102444800000,"scopes":["user:inference"],"subscriptionType":"max"}}`
	if err := os.WriteFile(filepath.Join(home, ".claude", ".credentials.json"), []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := look(env...); got.Login != agents.LoginYes {
		t.Errorf("logged in: %+v", got)
	}
}

// Programs that are not Claude Code, or not one that can be used.
func TestInspectStrangers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, out string
		code      int
		err       error
		want      string
	}{
		{"another program", "claude 5.0\n", 0, nil, "broken"},
		{"fails", "boom", 1, nil, "broken"},
		{"hangs", "", 0, context.DeadlineExceeded, "broken"},
		{"ancient", "1.0.44 (Claude Code)\n", 0, nil, "too_old"},
		{"banner", "A warning.\n2.1.332 (Claude Code)\n", 0, nil, ""},
	} {
		run := func(_ context.Context, argv, _ []string) ([]byte, []byte, int, error) {
			if !slices.Equal(argv[1:], []string{"--version"}) {
				t.Errorf("%s: ran %q", c.name, argv)
			}
			return []byte(c.out), nil, c.code, c.err
		}
		got := newAdapter().Inspect(t.Context(), run, "/x/claude", []string{"HOME=" + t.TempDir()})
		code := ""
		if got.Problem != nil {
			code = got.Problem.Code
			if got.Problem.Title == "" || got.Problem.Command == "" {
				t.Errorf("%s: %+v", c.name, got.Problem)
			}
		}
		if code != c.want {
			t.Errorf("%s: problem %q, want %q", c.name, code, c.want)
		}
	}
}
