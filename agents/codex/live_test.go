package codex_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/codex"
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
	spec  agents.SessionSpec
	turns int // events when the newest turn began
}

// wish says how a conversation is to be started; its zero value is an ordinary
// one.
type wish struct {
	home    string // "" is a fresh one
	model   *fakemodel.Server
	name    string // of the model; "" is one that gets plain functions
	mode    agents.Mode
	native  string
	catalog mcp.Catalog
	strict  bool
	config  string // more of the person's configuration
}

const apiKey = "sk-test-key-0123456789"

// scratch is a person's computer, whose configuration keeps the CLI to the fake
// model.
func scratch(t *testing.T, w wish) string {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"project", "tmp", "run", ".codex"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	model := w.name
	if model == "" {
		model = "gpt-5.5"
	}
	config := `model = "` + model + `"
model_provider = "fake"
check_for_update_on_startup = false
` + w.config + `
[analytics]
enabled = false
[features]
plugins = false
[model_providers.fake]
name = "fake"
base_url = "` + w.model.URL() + `/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`
	if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
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

// prepare decides a launch of the real CLI. Its temporary folder is none above
// its own: it lays no helpers there, and its sandbox would not work.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	install := agents.Install{Family: agents.Codex, Path: clis.Codex.Path(t)}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(w.home, "run"),
		Env: []string{
			"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(w.home, "tmp"), "FAKE_KEY=" + apiKey,
		},
		OwnServers: !w.strict, Root: os.Getuid() == 0,
	}
}

// launch starts the real CLI through the shim and opens the conversation.
func launch(t *testing.T, w wish, steps ...fakemodel.Step) *live {
	t.Helper()
	if w.model == nil {
		w.model = serve(t, steps...)
	}
	if w.home == "" {
		w.home = scratch(t, w)
	}
	l := &live{t: t, host: agenttest.NewHost(t), model: w.model}
	install, spec := prepare(t, w)
	l.spec = spec
	plan, err := codex.New("test").Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	l.proc, err = proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: shim})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.stop)
	conn := agents.Conn{In: l.proc.Stdin(), Out: l.proc.Stdout(), Done: l.proc.Done()}
	l.agent, err = codex.New("test").Open(t.Context(), conn, spec, l.host)
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
	if l.t.Failed() {
		l.t.Logf("events:\n%s\nstderr:\n%s", agenttest.Describe(l.host.Events()), l.proc.Tail())
	}
}

// prompt begins a turn.
func (l *live) prompt(text string, files ...agents.Attachment) {
	l.t.Helper()
	l.turns = len(l.host.Events())
	if err := l.agent.Prompt(l.t.Context(), agents.Turn{ID: "t", Text: text, Files: files}); err != nil {
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
func (l *live) told(call string) string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), agenttest.Limit)
	defer cancel()
	for n := 1; ; n++ {
		r, err := l.model.Await(ctx, n)
		if err != nil {
			l.t.Fatalf("no result of %s reached the model: %v", call, err)
		}
		if p, ok := r.ToolResult(call); ok {
			return p.Text
		}
	}
}

func (l *live) path(name string) string { return filepath.Join(l.spec.Cwd, name) }

func (l *live) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) read(name string) string {
	l.t.Helper()
	data, err := os.ReadFile(l.path(name))
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	return string(data)
}

func wantIn(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is missing in %q", what, part, text)
		}
	}
}

func says(words string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.UserSays(words), Reply: reply}
}

func then(call string, reply fakemodel.Reply) fakemodel.Step {
	return fakemodel.Step{When: fakemodel.HasResult(call), Reply: reply}
}

func call(id, tool string, input map[string]any) fakemodel.Reply {
	return fakemodel.Blocks(fakemodel.ToolUseOf(id, tool, input))
}

func (l *live) there(name string) bool {
	_, err := os.Stat(l.path(name))
	return err == nil
}
