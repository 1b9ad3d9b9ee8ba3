package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/acp"
	"parley/agents/agenttest"
)

// TestMain lets the test binary be programs that are no ACP agents.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "be" {
		switch os.Args[2] {
		case "helpful": // prints its help and ends
			os.Stdout.WriteString("usage: something [flags]\n")
			os.Stderr.WriteString("unknown command: acp\n")
			os.Exit(2)
		case "echo": // answers everything with itself
			buf := make([]byte, 4096)
			for {
				n, err := os.Stdin.Read(buf)
				os.Stdout.Write(buf[:n])
				if err != nil {
					os.Exit(0)
				}
			}
		}
	}
	os.Exit(m.Run())
}

func entry() acp.Entry {
	return acp.Entry{
		Family: agents.ACP, Name: "Some agent", Mark: "So", Binaries: []string{"some"}, Args: []string{"--acp"},
		VersionArgs: []string{"--version"}, Env: []string{"MARK=1"}, LoginCmd: "some login", InstallCmd: "npm i some",
		Modes: map[agents.Mode]string{agents.ModeAsk: "", agents.ModePlan: "read-only"}, Resume: true,
	}
}

func TestInfo(t *testing.T) {
	want := agents.Info{
		Family: agents.ACP, Name: "Some agent", Mark: "So", Binaries: []string{"some"}, Args: []string{"--acp"}, InstallCmd: "npm i some", LoginCmd: "some login",
		Caps: agents.Caps{Resume: true, Interrupt: true, Modes: []agents.Mode{agents.ModePlan, agents.ModeAsk}},
	}
	if diff := cmp.Diff(want, acp.New(entry()).Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

func TestInspect(t *testing.T) {
	for _, tt := range []struct {
		name    string
		stdout  string
		code    int
		err     error
		version string
		problem string
	}{
		{"tells", "some-agent v1.2.3-beta.4 (abc)\n", 0, nil, "1.2.3-beta.4", ""},
		{"tells nothing", "hello\n", 0, nil, "", ""},
		{"does not know the flag", "usage 0.0", 2, nil, "", ""},
		{"cannot be run", "", -1, errors.New("exec format error"), "", "broken"},
		{"takes its time", "", -1, fmt.Errorf("ended after 10s: %w", context.DeadlineExceeded), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var argv, env []string
			run := func(_ context.Context, a, e []string) ([]byte, []byte, int, error) {
				argv, env = a, e
				return []byte(tt.stdout), nil, tt.code, tt.err
			}
			in := acp.New(entry()).Inspect(t.Context(), run, "/bin/some", []string{"HOME=/h"})
			if diff := cmp.Diff([][]string{{"/bin/some", "--version"}, {"HOME=/h", "MARK=1"}}, [][]string{argv, env}); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			problem := ""
			if in.Problem != nil {
				problem = in.Problem.Code
			}
			if in.Version != tt.version || problem != tt.problem || in.Login != agents.LoginUnknown || in.Path != "/bin/some" || !cmp.Equal(in.Args, []string{"--acp"}) {
				t.Errorf("found %+v", in)
			}
		})
	}
	e := entry()
	e.VersionArgs = nil
	in := acp.New(e).Inspect(t.Context(), func(context.Context, []string, []string) ([]byte, []byte, int, error) {
		t.Error("it ran the program although it has nothing to ask")
		return nil, nil, 0, nil
	}, "/bin/some", nil)
	if in.Problem != nil {
		t.Errorf("found %+v", in)
	}
}

func TestPlan(t *testing.T) {
	a := acp.New(entry())
	env := append(make([]string, 0, 8), "A=1", "PATH=/usr/bin") // room behind it must not be written to
	launch, err := a.Plan(agents.Install{Path: "/n/bin/some", Args: []string{"--acp"}}, agents.SessionSpec{Cwd: "/w", Mode: agents.ModePlan, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	want := agents.Launch{Argv: []string{"/n/bin/some", "--acp"}, Env: []string{"A=1", "PATH=/n/bin:/usr/bin", "MARK=1"}, Dir: "/w", Connect: agents.ConnectStdio}
	if diff := cmp.Diff(want, launch); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
	if env[:3][2] != "" {
		t.Errorf("Plan wrote %q into the caller's environment", env[:3][2])
	}
	_, err = a.Plan(agents.Install{Path: "/bin/some"}, agents.SessionSpec{Mode: agents.ModeFull})
	if refused, ok := errors.AsType[*agents.PlanError](err); !ok || refused.Problem.Code != "refused_mode" {
		t.Errorf("a mode that it does not have: %v", err)
	}
}

func TestDiagnose(t *testing.T) {
	for _, tt := range []struct {
		name    string
		exit    agents.Exit
		tail    string
		code    string
		title   string
		command string
	}{
		{"by itself", agents.Exit{}, "error: status 401 was retried\n", "exited", "Some agent ended by itself.", ""},
		{"without a word", agents.Exit{Code: 3}, "", "exited", "Some agent ended with the exit code 3.", ""},
		{"killed", agents.Exit{Code: -1, Signal: "killed"}, "", "exited", "Some agent was ended by the signal killed.", ""},
		{"logged out", agents.Exit{Code: 1}, "Error: HTTP 401 Unauthorized", "not_logged_in", "Some agent is not logged in.", "some login"},
		{"limited", agents.Exit{Code: 1}, "429 Too Many Requests", "rate_limited", "Some agent has reached a limit of its service.", ""},
		{"older than ACP", agents.Exit{Code: 2}, "error: unknown option '--acp'", "too_old", "Some agent does not know the arguments that make it speak ACP.", "npm i some"},
		{"half installed", agents.Exit{Code: 1}, "Error: Cannot find module './cli.js'", "broken", "Some agent is not installed as a whole.", "npm i some"},
		{"offline", agents.Exit{Code: 1}, "getaddrinfo ENOTFOUND api.example.org", "network", "Some agent could not reach its service.", ""},
		{"memory", agents.Exit{Code: -1, Signal: "aborted"}, "FATAL ERROR: Reached heap limit", "exited", "Some agent ran out of memory.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := acp.New(entry()).Diagnose(tt.exit, tt.tail)
			if p.Code != tt.code || p.Title != tt.title || p.Command != tt.command || p.Advice == "" {
				t.Errorf("got %+v", p)
			}
		})
	}
	id := "pctx_" + strings.Repeat("a", 43)
	p := acp.New(entry()).Diagnose(agents.Exit{Code: 1}, strings.Repeat("noise\n\n", 50)+"last "+id+"\n")
	if lines := strings.Split(p.Evidence, "\n"); len(lines) != 12 || lines[11] != "last [context id]" {
		t.Errorf("evidence %q", p.Evidence)
	}
}

// TestNoAgent opens conversations with programs that speak no ACP.
func TestNoAgent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := acp.New(entry())
	for _, tt := range []struct {
		be   string
		code string
	}{
		{"helpful", "too_old"}, // by its exit and what it said
		{"echo", "broken"},     // by its answer
	} {
		t.Run(tt.be, func(t *testing.T) {
			spec := agents.SessionSpec{Cwd: t.TempDir(), Mode: agents.ModeAsk, Env: os.Environ()}
			launch, err := a.Plan(agents.Install{Path: self, Args: []string{"be", tt.be}}, spec)
			if err != nil {
				t.Fatal(err)
			}
			child := agenttest.StartChild(t, launch)
			ctx, cancel := context.WithTimeout(t.Context(), agenttest.Limit)
			defer cancel()
			_, err = a.Open(ctx, child.Conn, spec, agenttest.NewHost(t))
			if refused, ok := errors.AsType[*agents.PlanError](err); ok {
				if refused.Problem.Code != tt.code {
					t.Errorf("refused with %+v", refused.Problem)
				}
				return
			}
			if !errors.Is(err, agents.ErrClosed) {
				t.Fatalf("open: %v", err)
			}
			if p := a.Diagnose(child.Wait(), child.Tail()); p.Code != tt.code {
				t.Errorf("diagnosed as %+v", p)
			}
		})
	}
}
