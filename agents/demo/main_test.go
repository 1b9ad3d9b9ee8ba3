package demo_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/leaks"
	"parley/agents/demo"
	"parley/agents/registry"
	"parley/app/apptest"
	"parley/mcp"
	"parley/mcp/bridge"
	"parley/mcp/inject"
)

// TestMain lets the test binary be the program `parley`, as far as `agent demo`
// goes.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" && os.Args[2] == "demo" {
		os.Exit(demo.Run(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args[3:]))
	}
	os.Exit(leaks.Run(m))
}

// adapter is the demo family as the registry lists it, with the test binary as
// its program.
func adapter(t *testing.T) (agents.Adapter, agents.Install) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range registry.All(registry.Programs{Parley: self, Version: "test", State: t.TempDir()}) {
		if a.Info().Family == agents.Demo {
			return a, agents.Install{Family: agents.Demo, Path: self, Args: []string{"agent", "demo", "--fast"}}
		}
	}
	t.Fatal("the registry does not list the demo agent")
	return nil, agents.Install{}
}

// app is what parley-mcp talks to: the child endpoints on a socket, answered by
// the test.
type app struct {
	t          *testing.T
	credential string
	ready      chan bridge.ReadyRequest
	plans      chan bridge.PlanRequest
	asked      chan *asked
	mayAsk     bool
	refusal    *bridge.Error // what a question gets at once, nil to wait for an answer
}

// asked is a question that waits.
type asked struct {
	bridge.ClarifyRequest
	answer chan bridge.ClarifyResult
	gone   <-chan struct{} // the caller went away
}

const contextOfTurn = "pctx_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"

// startApp serves until the test ends.
func startApp(t *testing.T, mayAsk bool) *app {
	t.Helper()
	dir, err := os.MkdirTemp("", "pdemo") // short, since a socket lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	a := &app{
		t: t, credential: filepath.Join(dir, "credential.json"), mayAsk: mayAsk,
		ready: make(chan bridge.ReadyRequest, 10), plans: make(chan bridge.PlanRequest, 100), asked: make(chan *asked, 10),
	}
	socket := filepath.Join(dir, "s")
	data, err := json.Marshal(bridge.Credential{Version: 1, Socket: socket, Token: "token", SessionID: "session", Profile: "default", Family: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.credential, data, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: a.handler()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Close()
		<-served
	})
	return a
}

func (a *app) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, f func(w http.ResponseWriter, r *http.Request)) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer token" {
				a.t.Errorf("%s without the token", path)
			}
			f(w, r)
		})
	}
	handle(bridge.PathHello, func(w http.ResponseWriter, r *http.Request) {
		a.reply(w, bridge.HelloReply{Protocol: bridge.ProtocolVersion, Family: "demo", Profile: "default", MayAsk: a.mayAsk, MayPlan: true, CallLimitMS: 60_000})
	})
	handle(bridge.PathReady, func(w http.ResponseWriter, r *http.Request) {
		a.ready <- decode[bridge.ReadyRequest](a.t, r)
	})
	handle(bridge.PathPlan, func(w http.ResponseWriter, r *http.Request) {
		a.plans <- decode[bridge.PlanRequest](a.t, r)
		a.reply(w, bridge.PlanReply{PlanID: "p", Revision: 1})
	})
	handle(bridge.PathCancel, func(http.ResponseWriter, *http.Request) {})
	handle(bridge.PathClarify, func(w http.ResponseWriter, r *http.Request) {
		q := &asked{ClarifyRequest: decode[bridge.ClarifyRequest](a.t, r), answer: make(chan bridge.ClarifyResult, 1), gone: r.Context().Done()}
		if a.refusal != nil {
			w.WriteHeader(http.StatusConflict)
			a.reply(w, bridge.ErrorBody{Error: a.refusal})
			return
		}
		w.WriteHeader(http.StatusProcessing)
		a.asked <- q
		select {
		case result := <-q.answer:
			a.reply(w, bridge.ClarifyReply{Result: &result})
		case <-r.Context().Done():
		}
	})
	return mux
}

func (a *app) reply(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		a.t.Error(err)
	}
}

func decode[T any](t *testing.T, r *http.Request) T {
	var v T
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		t.Error(err)
	}
	return v
}

// spec is a session with the managed server in a folder of its own.
func (a *app) spec(t *testing.T) agents.SessionSpec {
	t.Helper()
	program := apptest.Program(t, "parley-mcp")
	return agents.SessionSpec{
		SessionID: "session", Cwd: t.TempDir(), Mode: agents.ModeAsk, RunDir: t.TempDir(), Env: os.Environ(),
		Catalog: mcp.Catalog{mcp.Interaction(program, a.credential, a.mayAsk, false, mcp.DefaultLimits())},
	}
}

// chat is a conversation with a demo agent in a process of its own.
type chat struct {
	t     *testing.T
	host  *agenttest.Host
	child *agenttest.Child
	agent agents.Agent
	cwd   string
	turns int
}

// open starts the demo agent. Close and the checks of its events come with the
// end of the test.
func open(t *testing.T, spec agents.SessionSpec) *chat {
	t.Helper()
	a, install := adapter(t)
	return openWith(t, a, install, spec)
}

func openWith(t *testing.T, a agents.Adapter, install agents.Install, spec agents.SessionSpec) *chat {
	t.Helper()
	launch, err := a.Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	c := &chat{t: t, host: agenttest.NewHost(t), child: agenttest.StartChild(t, launch), cwd: spec.Cwd}
	ctx, cancel := context.WithTimeout(t.Context(), agenttest.Limit)
	defer cancel()
	if c.agent, err = a.Open(ctx, c.child.Conn, spec, c.host); err != nil {
		t.Fatalf("open: %v; on stderr:\n%s", err, c.child.Tail())
	}
	t.Cleanup(func() { agenttest.CheckEvents(t, c.host.Events()) })
	return c
}

// prompt sends a prompt with the context block that a session would add, and
// returns how many events came before.
func (c *chat) prompt(text string) int {
	c.t.Helper()
	n := len(c.host.Events())
	c.turns++
	block := inject.ContextBlock("demo", contextOfTurn, true, true)
	if err := c.agent.Prompt(c.t.Context(), agents.Turn{ID: c.t.Name() + string(rune('0'+c.turns)), Text: text, Context: block}); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (c *chat) turn(text string) []agents.Event {
	c.t.Helper()
	return c.host.EndOfTurn(c.prompt(text))
}

func (c *chat) stop(events []agents.Event) agents.Stop {
	return events[len(events)-1].(agents.Ended).Stop
}

// page is hello.html, "" when it does not exist.
func (c *chat) page() string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.cwd, "hello.html"))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	return string(data)
}

// next waits for what the agent sends to the app.
func next[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), agenttest.Limit)
	defer cancel()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		t.Fatalf("no %s within %v", what, agenttest.Limit)
	}
	panic("unreachable")
}
