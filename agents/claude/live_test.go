package claude_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/claude"
	"parley/agents/fakemodel"
	"parley/agents/proc"
	"parley/build/clis"
	"parley/mcp"
)

// live is a conversation with the real CLI, whose model is a script.
type live struct {
	t     *testing.T
	host  *agenttest.Host
	agent agents.Agent
	model *fakemodel.Server
	proc  *proc.Proc
	wish  wish
	spec  agents.SessionSpec
	turns int // events when the newest turn began
}

// wish says how a conversation is to be started; its zero value is an ordinary
// one.
type wish struct {
	cli     *clis.CLI // nil is the newest
	home    string    // "" is a fresh one
	model   *fakemodel.Server
	env     []string
	mode    agents.Mode
	native  string
	catalog mcp.Catalog
	strict  bool
}

// offline keeps the CLI to the fake model and to its scratch folders.
func offline(home, url string) []string {
	return []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp"),
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test-key-0123456789",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
}

func scratch(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"project", "tmp", "run"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func serve(t *testing.T, steps ...fakemodel.Step) *fakemodel.Server {
	t.Helper()
	model, err := fakemodel.Start(steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// prepare plans a launch of the real CLI.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	if w.cli == nil {
		w.cli = clis.Claude
	}
	install := agents.Install{Family: agents.Claude, Path: w.cli.Path(t)}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(w.home, "run"),
		Env: append(offline(w.home, w.model.URL()), w.env...), OwnServers: !w.strict, Root: os.Getuid() == 0,
	}
}

// launch starts the real CLI through the shim and opens the conversation.
func launch(t *testing.T, w wish, steps ...fakemodel.Step) *live {
	t.Helper()
	if w.home == "" {
		w.home = scratch(t)
	}
	if w.model == nil {
		w.model = serve(t, steps...)
	}
	l := &live{t: t, host: agenttest.NewHost(t), model: w.model, wish: w}
	install, spec := prepare(t, w)
	l.spec = spec
	plan, err := claude.New().Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		if err := os.WriteFile(f.Path, f.Data, os.FileMode(f.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	l.proc, err = proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: shim})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.stop)
	conn := agents.Conn{In: l.proc.Stdin(), Out: l.proc.Stdout(), Done: l.proc.Done()}
	l.agent, err = claude.New().Open(t.Context(), conn, spec, l.host)
	if err != nil {
		t.Fatalf("open: %v\n%s", err, l.proc.Tail())
	}
	return l
}

func (l *live) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), agenttest.Limit)
	defer cancel()
	if l.agent != nil {
		_ = l.agent.Close(ctx) // the ladder goes on where it fails
	}
	l.proc.Stop(ctx)
}

// prompt begins a turn.
func (l *live) prompt(text string) {
	l.t.Helper()
	l.turns = len(l.host.Events())
	if err := l.agent.Prompt(l.t.Context(), agents.Turn{ID: "t", Text: text}); err != nil {
		l.t.Fatal(err)
	}
}

// ended waits for the end of the turn and returns its events.
func (l *live) ended() ([]agents.Event, agents.Ended) {
	l.t.Helper()
	events := l.host.EndOfTurn(l.turns)
	return events, events[len(events)-1].(agents.Ended)
}

// done is ended for turns that must have gone well.
func (l *live) done() []agents.Event {
	l.t.Helper()
	events, end := l.ended()
	if end.Stop != agents.StopDone || end.Problem != nil {
		l.t.Fatalf("the turn ended as %+v %+v\n%s", end, end.Problem, agenttest.Describe(events))
	}
	agenttest.CheckEvents(l.t, events)
	return events
}

// told waits until the model has read the result of a call, and returns it.
func (l *live) told(toolUseID string) fakemodel.Part {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), agenttest.Limit)
	defer cancel()
	for n := 1; ; n++ {
		r, err := l.model.Await(ctx, n)
		if err != nil {
			l.t.Fatalf("no result of %s reached the model: %v", toolUseID, err)
		}
		if p, ok := r.ToolResult(toolUseID); ok {
			return p
		}
	}
}

func (l *live) write(name, text string) string {
	l.t.Helper()
	path := filepath.Join(l.spec.Cwd, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return path
}

func (l *live) read(name string) string {
	l.t.Helper()
	data, err := os.ReadFile(filepath.Join(l.spec.Cwd, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// since is a time for the log, in milliseconds.
func since(t time.Time) int64 { return time.Since(t).Milliseconds() }

func wantIn(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is missing in %q", what, part, text)
		}
	}
}

func contains(text, part string) bool { return strings.Contains(text, part) }

// waitFor waits until something outside of the conversation has happened.
func waitFor(t *testing.T, happened func() bool) {
	t.Helper()
	deadline := time.Now().Add(agenttest.Limit)
	for !happened() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen in time")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (l *live) there(name string) bool {
	_, err := os.Stat(filepath.Join(l.spec.Cwd, name))
	return err == nil
}

func newAdapter() agents.Adapter { return claude.New() }
