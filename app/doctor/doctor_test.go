package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/proc"
	"parley/app"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/app/core"
	"parley/app/doctor"
	"parley/mcp"
)

var update = flag.Bool("update", false, "write the golden files")

// envAgent makes this test binary an agent.
const envAgent = "DOCTOR_TEST_AGENT"

func TestMain(m *testing.M) {
	if how := os.Getenv(envAgent); how != "" {
		os.Exit(runAgent(how))
	}
	goleak.VerifyTestMain(m)
}

// scripted is an ACP agent of these tests that can be pointed at a model.
type scripted struct{ agents.Adapter }

func newScripted(t *testing.T, how string) agents.Adapter {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return scripted{acp.New(acp.Entry{
		Family: agents.Family("acp:" + how), Name: "Agent X", Mark: "Ag", Binaries: []string{self}, Login: agents.LoginNone,
		Env: []string{envAgent + "=" + how}, Modes: map[agents.Mode]string{agents.ModeAsk: ""}, Resume: true, InstallCmd: "npm install -g the-agent",
	})}
}

// AtModel implements agents.Local.
func (scripted) AtModel(url, home string) agents.LocalModel {
	return agents.LocalModel{
		Env:  []string{"MODEL_URL=" + url},
		Tool: func(_, tool string) string { return tool },
		Command: func(command string) (string, map[string]any) {
			return "shell", map[string]any{"command": command}
		},
	}
}

// place is a doctor with folders of its own.
type place struct {
	*doctor.Doctor
	t     *testing.T
	conf  doctor.Config
	usual doctor.Usual
	// leaves has each back end leave a file and a process when it closes.
	leaves bool
}

// quick is patience for an agent that answers at once, or not at all.
var quick = doctor.Patience{Start: 30 * time.Second, Step: 30 * time.Second, Block: 3 * time.Second, Probe: 2 * time.Second}

func newPlace(t *testing.T, patience doctor.Patience, adapters ...agents.Adapter) *place {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real programs")
	}
	home := filepath.Dir(apptest.Home(t).Config)
	dirs := apptest.HomeIn(t, home)
	shim := filepath.Join(apptest.Programs(t, "parley", "parley-mcp", "parley-run"), "parley-run")
	p := &place{t: t, usual: doctor.Usual{Limits: mcp.DefaultLimits()}}
	p.conf = doctor.Config{
		Adapters: func() []agents.Adapter { return adapters },
		Install: func(ctx context.Context, f agents.Family) (agents.Install, error) {
			for _, a := range adapters {
				if info := a.Info(); info.Family == f {
					in := a.Inspect(ctx, proc.Runner{Shim: shim}.Run, info.Binaries[0], append(os.Environ(), "HOME="+home))
					in.Family = f
					return in, nil
				}
			}
			t.Errorf("asked for %s", f)
			return agents.Install{}, nil
		},
		Env: func(context.Context) []string {
			return append(os.Environ(), "ANTHROPIC_API_KEY=the-persons", "SECRET=x")
		},
		Usual: func(context.Context, agents.Family) doctor.Usual { return p.usual },
		Open: func(ctx context.Context, home string, trial doctor.Trial) (doctor.Backend, error) {
			conf := backend.Config(t, apptest.HomeIn(t, home))
			conf.Trial = &trial
			a, err := core.Open(ctx, conf)
			if err != nil {
				return nil, err
			}
			return opened{a, conf.Dirs.Runs(), p, trial}, nil
		},
		Scratch: dirs.Trials(), File: dirs.Doctor(), Now: time.Now, Patience: patience,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	p.Doctor = doctor.New(p.conf)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return p
}

type opened struct {
	*core.App
	runs  string
	place *place
	trial doctor.Trial
}

func (o opened) Runs() string { return o.runs }

func (o opened) Close(ctx context.Context) error {
	if err := o.App.Close(ctx); err != nil || !o.place.leaves {
		return err
	}
	sleeper := exec.Command("sleep", "600")
	sleeper.Env = o.trial.Env
	if err := sleeper.Start(); err != nil {
		return err
	}
	o.place.t.Cleanup(func() {
		sleeper.Process.Kill()
		sleeper.Wait()
	})
	return errors.Join(os.MkdirAll(o.runs, 0o700), os.WriteFile(filepath.Join(o.runs, "credential.json"), nil, 0o600))
}

// tries runs the doctor to its end and returns what it found of its one agent.
func (p *place) tries() app.DoctorAgent {
	p.t.Helper()
	if _, err := p.Start(p.t.Context(), nil); err != nil {
		p.t.Fatal(err)
	}
	for limit := time.Now().Add(3 * apptest.Patience); p.Running(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("the doctor does not end: %+v", p.Report())
		}
	}
	r := p.Report()
	if len(r.Agents) != 1 || r.Agents[0].State != app.DoctorDone || r.Running {
		p.t.Fatalf("found %+v", r)
	}
	if left, err := os.ReadDir(p.conf.Scratch); err == nil {
		p.t.Errorf("folders were left: %v", left)
	}
	return r.Agents[0]
}

// numbers are what differs from run to run.
var numbers = regexp.MustCompile(`\d+(\.\d+)? (s|ms)\b`)

// told is what was found, as a golden file has it: states and sentences, and no
// figure that was measured.
func told(a app.DoctorAgent) string {
	var b strings.Builder
	for _, c := range a.Checks {
		b.WriteString(string(c.Check) + ": " + string(c.State))
		if c.Check == app.CheckTools || c.Check == app.CheckLeft {
			data, _ := json.Marshal([]int{c.Count, c.Of})
			b.WriteString(" " + string(data))
		}
		b.WriteString("\n")
		if f := c.Finding; f != nil {
			b.WriteString("  " + f.Code + "\n  " + numbers.ReplaceAllString(f.Text, "N s") + "\n")
			for _, line := range []string{f.Advice, f.Command} {
				if line != "" {
					b.WriteString("  " + line + "\n")
				}
			}
		}
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Whatever can be wrong with an agent has its sentence, and no other check is
// blamed for it.
func TestFindings(t *testing.T) {
	for _, how := range []string{good, deafToStops, blind, neverAsks, neverRuns, forgets, neverResumes, losesAnswers, exitsAtOnce, diesInTurn} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			golden(t, how, told(newPlace(t, quick, newScripted(t, how)).tries()))
		})
	}
}

// A CLI that ends calls keeps to the limit that it was given, is too early, or has
// one of its own; what the person's overrides make of it is said beside.
func TestLimits(t *testing.T) {
	long := doctor.Patience{Block: apptest.Patience}
	keeps, early, own := long, long, long
	keeps.Probe = 2 * time.Second
	early.Probe = 45 * time.Second
	own.Probe, own.Slack = 100*time.Millisecond, 100*time.Millisecond
	usual := doctor.Usual{Limits: mcp.DefaultLimits()}
	for name, c := range map[string]struct {
		patience doctor.Patience
		usual    doctor.Usual
	}{
		"limit-kept":       {keeps, usual},
		"limit-early":      {early, usual},
		"limit-own":        {own, usual},
		"limit-overridden": {keeps, doctor.Usual{Limits: mcp.DefaultLimits().Within(10 * time.Minute), Line: 18}},
		"tools-off":        {keeps, doctor.Usual{Limits: mcp.DefaultLimits(), Off: true, Line: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.patience, newScripted(t, endsCalls))
			p.usual = c.usual
			golden(t, name, told(p.tries()))
		})
	}
}

// An agent that says nothing, or nothing that can be understood, is given up in
// bounded time.
func TestSilentAgents(t *testing.T) {
	for _, how := range []string{garbage, hangs, speechless} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			golden(t, how, told(newPlace(t, doctor.Patience{Start: 3 * time.Second, Step: time.Second}, newScripted(t, how)).tries()))
		})
	}
}

// One that can't be pointed at a model is started and no more.
func TestWithoutAModel(t *testing.T) {
	for _, how := range []string{good, wantsLogin, exitsAtOnce} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			golden(t, "no-model-"+how, told(newPlace(t, quick, newScripted(t, how).(scripted).Adapter).tries()))
		})
	}
}

// What is left behind is seen, and named.
func TestLeftBehind(t *testing.T) {
	p := newPlace(t, quick, newScripted(t, good).(scripted).Adapter)
	p.leaves = true
	checks := p.tries().Checks
	left := checks[len(checks)-1]
	if left.Check != app.CheckLeft || left.State != app.CheckFailed || left.Count != 2 || left.Finding.Code != "left_processes" ||
		!strings.HasPrefix(left.Finding.Detail, "sleep (") || !strings.HasSuffix(left.Finding.Detail, "credential.json") {
		t.Errorf("left %+v %+v", left, left.Finding)
	}
}

// A run that is called off takes with it what it started, and says nothing of an
// agent that it was not done with.
func TestStopped(t *testing.T) {
	p := newPlace(t, quick, newScripted(t, good))
	before := p.tries()
	if _, err := p.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Start(t.Context(), nil); app.ErrorCode(err) != app.CodeAlreadyPending {
		t.Errorf("a second run: %v", err)
	}
	for limit := time.Now().Add(apptest.Patience); len(p.Report().Agents[0].Checks) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("nothing is found")
		}
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := p.Report()
	if r.Running || len(r.Agents) != 1 || !cmp.Equal(r.Agents[0], before) {
		t.Errorf("after a stop: %+v", r)
	}
	if _, err := os.Stat(p.conf.Scratch); !os.IsNotExist(err) {
		t.Errorf("the folder of trials: %v", err)
	}
	if again := doctor.New(p.conf).Report(); len(again.Agents) != 1 || !cmp.Equal(again.Agents[0], before) {
		t.Errorf("read again: %+v", again)
	}
}

// What is asked for must be there.
func TestWhoIsTried(t *testing.T) {
	p := newPlace(t, quick, newScripted(t, good))
	if _, err := p.Start(t.Context(), []string{"nobody"}); app.ErrorCode(err) != app.CodeInvalidArgument {
		t.Errorf("an unknown agent: %v", err)
	}
	empty := newPlace(t, quick)
	if _, err := empty.Start(t.Context(), nil); app.ErrorCode(err) != app.CodeAgentNotInstalled {
		t.Errorf("nobody to try: %v", err)
	}
}

// A file that cannot be read keeps nobody from being tried anew.
func TestBrokenFile(t *testing.T) {
	p := newPlace(t, quick)
	if err := os.WriteFile(p.conf.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p.conf.Log = slog.New(slog.NewTextHandler(&log, nil))
	if r := doctor.New(p.conf).Report(); len(r.Agents) != 0 || r.Running || !strings.Contains(log.String(), "doctor.json") {
		t.Errorf("%+v, log %q", r, log.String())
	}
}
