package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
	"parley/mcp"
	"parley/mcp/bridge"
	"parley/mcp/server"
)

// patience is how long a test waits for what must come; it says nothing of speed.
const patience = time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeApp is the app as a test plays it. Its questions wait until the test
// answers them.
type fakeApp struct {
	hello func() (bridge.HelloReply, error)
	asked chan *asked
	plans chan bridge.PlanRequest
	forms func(bridge.FormRequest) (bridge.FormReply, error) // nil shows every form that can be read
	ready chan bridge.ReadyRequest
}

// asked is one question that waits.
type asked struct {
	bridge.ClarifyRequest
	end     chan reply    // the test's answer
	dropped chan struct{} // closed when the caller went away
	cause   error         // why; valid once dropped is closed
}

type reply struct {
	result bridge.ClarifyResult
	err    error
}

func newFakeApp() *fakeApp {
	return &fakeApp{
		hello: func() (bridge.HelloReply, error) {
			return bridge.HelloReply{Protocol: 1, MayAsk: true, MayPlan: true}, nil
		},
		asked: make(chan *asked, 200),
		plans: make(chan bridge.PlanRequest, 200),
		ready: make(chan bridge.ReadyRequest, 200),
	}
}

func (f *fakeApp) Hello(context.Context, string) (bridge.HelloReply, error) { return f.hello() }

func (f *fakeApp) Ready(_ context.Context, r bridge.ReadyRequest) error {
	f.ready <- r
	return nil
}

func (f *fakeApp) Clarify(ctx context.Context, q bridge.ClarifyRequest) (bridge.ClarifyResult, error) {
	a := &asked{ClarifyRequest: q, end: make(chan reply, 1), dropped: make(chan struct{})}
	f.asked <- a
	select {
	case r := <-a.end:
		return r.result, r.err
	case <-ctx.Done():
		a.cause = context.Cause(ctx)
		close(a.dropped)
		return bridge.ClarifyResult{}, a.cause
	}
}

func (f *fakeApp) Plan(_ context.Context, p bridge.PlanRequest) (bridge.PlanReply, error) {
	f.plans <- p
	return bridge.PlanReply{PlanID: "plan1", Revision: 1}, nil
}

func (f *fakeApp) Form(_ context.Context, r bridge.FormRequest) (bridge.FormReply, error) {
	if f.forms != nil {
		return f.forms(r)
	}
	if _, err := bridge.FormQuestions(r.Arguments); err != nil {
		return bridge.FormReply{}, err
	}
	return bridge.FormReply{AskID: "ask-1"}, nil
}

// cli is a CLI that speaks raw lines to a server.
type cli struct {
	t     *testing.T
	app   *fakeApp
	in    io.WriteCloser
	lines chan string   // what the server says; closed at its end
	ended chan struct{} // closed when Serve has returned
	err   error         // of Serve; valid once ended is closed
}

var everything = mcp.Offer{Ask: true, Plan: true}

// start runs a server with an app that the test plays.
func start(t *testing.T, offer mcp.Offer) *cli {
	t.Helper()
	leaks.Each(t)
	f := newFakeApp()
	return startWith(t, t.Context(), offer, f, f)
}

func startWith(t *testing.T, ctx context.Context, offer mcp.Offer, played *fakeApp, app server.App) *cli {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &cli{t: t, app: played, in: inW, lines: make(chan string, 1000), ended: make(chan struct{})}
	s := server.New(server.Config{App: app, Offer: offer, Version: "1.2.3", Log: slog.New(slog.DiscardHandler)})
	var all sync.WaitGroup
	all.Go(func() {
		c.err = s.Serve(ctx, inR, outW)
		close(c.ended)
		_ = outW.Close()
	})
	all.Go(func() {
		defer close(c.lines)
		for r := bufio.NewReader(outR); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	})
	t.Cleanup(func() { _ = inW.Close(); _ = inR.Close(); all.Wait() })
	return c
}

func (c *cli) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// message is what a server sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *cli) next() message {
	c.t.Helper()
	line, ok := within(c.t, "a line of the server", c.lines)
	if !ok {
		c.t.Fatal("the server ended")
	}
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatalf("the server wrote what is no message: %q", line)
	}
	return m
}

// answerTo skips everything up to the answer to a request.
func (c *cli) answerTo(id string) message {
	c.t.Helper()
	for {
		if m := c.next(); string(m.ID) == id {
			return m
		}
	}
}

// quiet fails if the server says anything about a request before it answers a
// ping sent now.
func (c *cli) quiet(id string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"quiet","method":"ping"}`)
	for {
		m := c.next()
		switch string(m.ID) {
		case id:
			c.t.Errorf("the server answered %s: %s", id, m.Result)
		case `"quiet"`:
			return
		}
	}
}

// toolResult is a tool's result.
type toolResult struct {
	IsError bool `json:"isError"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
}

func (c *cli) resultOf(id string) toolResult {
	c.t.Helper()
	m := c.answerTo(id)
	var r toolResult
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil || len(r.Content) != 1 {
		c.t.Fatalf("no tool result: %+v %s", m.Error, m.Result)
	}
	return r
}

// refusalOf is the error object of a refused call.
func (c *cli) refusalOf(id string) bridge.Error {
	c.t.Helper()
	r := c.resultOf(id)
	var e bridge.Error
	if err := json.Unmarshal(r.Structured, &e); err != nil || !r.IsError {
		c.t.Fatalf("not refused: %s", r.Structured)
	}
	if r.Content[0].Text != e.Message {
		c.t.Errorf("the text %q is not the message %q", r.Content[0].Text, e.Message)
	}
	return e
}

func (c *cli) call(id, tool, arguments string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

const ask = `{"context_id":"pctx_1","question":"Which greeting?","choices":["Hello","Ahoy"]}`

func (c *cli) question() *asked {
	c.t.Helper()
	a, _ := within(c.t, "a question", c.app.asked)
	return a
}

func within[T any](t *testing.T, what string, c <-chan T) (T, bool) {
	t.Helper()
	select {
	case v, ok := <-c:
		return v, ok
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// pretty is a JSON text in one form, for comparing and for golden files.
func pretty(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("no JSON: %s", text)
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
