// Package live is conversations with real agent CLIs, each started as a session
// starts one, through the shim, with a script in its model's place. The tests of
// families are written with it. It knows no family.
package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/fakemodel"
	"parley/agents/proc"
)

// Talk is one conversation. It is the test's goroutine's.
type Talk struct {
	Host  *agenttest.Host
	Agent agents.Agent
	Model *fakemodel.Server
	Proc  *proc.Proc
	Spec  agents.SessionSpec
	Turns int // events when the newest turn began

	t *testing.T
}

// Home makes a person's home folder with the folders "project", "tmp" and "run",
// where a session works, keeps what is temporary, and lies its files, and with
// those named besides.
func Home(t *testing.T, besides ...string) string {
	t.Helper()
	home := t.TempDir()
	for _, dir := range append([]string{"project", "tmp", "run"}, besides...) {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// start plans a launch and starts it, with its files.
func start(t *testing.T, a agents.Adapter, install agents.Install, spec agents.SessionSpec) (*proc.Proc, agents.Conn) {
	t.Helper()
	plan, err := a.Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		if err := os.WriteFile(f.Path, f.Data, os.FileMode(f.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: Shim})
	if err != nil {
		t.Fatal(err)
	}
	return p, agents.Conn{In: p.Stdin(), Out: p.Stdout(), Done: p.Done(), Once: plan.Once}
}

// Open starts the CLI and opens the conversation. It ends with the test, whose
// failure prints what was told.
func Open(t *testing.T, a agents.Adapter, install agents.Install, spec agents.SessionSpec, model *fakemodel.Server) *Talk {
	t.Helper()
	k := &Talk{t: t, Host: agenttest.NewHost(t), Model: model, Spec: spec}
	var conn agents.Conn
	k.Proc, conn = start(t, a, install, spec)
	t.Cleanup(func() {
		k.Stop()
		if t.Failed() {
			t.Logf("events:\n%s\nstderr:\n%s", agenttest.Describe(k.Host.Events()), k.Proc.Tail())
		}
	})
	var err error
	k.Agent, err = a.Open(t.Context(), conn, spec, k.Host)
	if err != nil {
		t.Fatalf("open: %v\n%s", err, k.Proc.Tail())
	}
	return k
}

// Refused starts the CLI, whose conversation must not open, and returns why.
func Refused(t *testing.T, a agents.Adapter, install agents.Install, spec agents.SessionSpec) agents.Problem {
	t.Helper()
	p, conn := start(t, a, install, spec)
	defer p.Stop(context.Background())
	agent, err := a.Open(t.Context(), conn, spec, agenttest.NewHost(t))
	refused, ok := errors.AsType[*agents.PlanError](err)
	if !ok {
		if err == nil {
			_ = agent.Close(t.Context())
		}
		t.Fatalf("opened: %v\n%s", err, p.Tail())
	}
	return refused.Problem
}

// Stop ends the conversation and its process.
func (k *Talk) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), agenttest.Limit)
	defer cancel()
	if k.Agent != nil {
		_ = k.Agent.Close(ctx) // the ladder goes on where it fails
	}
	k.Proc.Stop(ctx)
}

// Prompt begins a turn.
func (k *Talk) Prompt(text string, files ...agents.Attachment) {
	k.t.Helper()
	k.Turns = len(k.Host.Events())
	if err := k.Agent.Prompt(k.t.Context(), agents.Turn{ID: "t", Text: text, Files: files}); err != nil {
		k.t.Fatal(err)
	}
}

// Interrupt stops the turn.
func (k *Talk) Interrupt() {
	k.t.Helper()
	if err := k.Agent.Interrupt(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
}

// Ended waits for the end of the turn and returns its events.
func (k *Talk) Ended() ([]agents.Event, agents.Ended) {
	k.t.Helper()
	events := k.Host.EndOfTurn(k.Turns)
	return events, events[len(events)-1].(agents.Ended)
}

// Done is Ended for turns that must have gone well.
func (k *Talk) Done() []agents.Event {
	k.t.Helper()
	events, end := k.Ended()
	if end.Stop != agents.StopDone || end.Problem != nil {
		k.t.Fatalf("the turn ended as %+v %+v\n%s", end, end.Problem, agenttest.Describe(events))
	}
	agenttest.CheckEvents(k.t, events)
	return events
}

// Native is the CLI's own id of the conversation.
func (k *Talk) Native() string {
	k.t.Helper()
	started := agenttest.All[agents.Started](k.Host.Events())
	if len(started) == 0 {
		k.t.Fatal("the conversation has not started")
	}
	return started[len(started)-1].NativeID
}

// Told waits until the model has read the result of a call, and returns it.
func (k *Talk) Told(call string) fakemodel.Part {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), agenttest.Limit)
	defer cancel()
	for n := 1; ; n++ {
		r, err := k.Model.Await(ctx, n)
		if err != nil {
			k.t.Fatalf("no result of %s reached the model: %v", call, err)
		}
		if p, ok := r.ToolResult(call); ok {
			return p
		}
	}
}

// Path is that of a file in the project.
func (k *Talk) Path(name string) string { return filepath.Join(k.Spec.Cwd, name) }

// Write writes a file of the project and returns its path.
func (k *Talk) Write(name, text string) string {
	k.t.Helper()
	path := k.Path(name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return path
}

// Read is the text of a file of the project, "" when it is not there.
func (k *Talk) Read(name string) string {
	k.t.Helper()
	data, err := os.ReadFile(k.Path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.t.Fatal(err)
	}
	return string(data)
}

// There reports whether a file of the project is there.
func (k *Talk) There(name string) bool {
	_, err := os.Stat(k.Path(name))
	return err == nil
}

// AwaitFile waits until a file of the project is there.
func (k *Talk) AwaitFile(name string) {
	k.t.Helper()
	for deadline := time.Now().Add(agenttest.Limit); !k.There(name); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.t.Fatalf("%s did not appear within %v", name, agenttest.Limit)
		}
	}
}

// WantIn fails the test for each part that a text does not have.
func WantIn(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is missing in %q", what, part, text)
		}
	}
}

// Answered is a person's choice.
func Answered(action string) agents.Outcome {
	return agents.Outcome{Reason: "response", Action: action}
}
