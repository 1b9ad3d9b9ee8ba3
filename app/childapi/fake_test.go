//go:build unix

package childapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

// patience is how long a test waits for what must come; it says nothing of speed.
const patience = time.Minute

// sessions is a stand-in for the sessions behind the socket. Its questions wait
// until the test answers them.
type sessions struct {
	asked  chan *asked
	plans  chan planned
	listed chan []string

	mu         sync.Mutex // guards the fields below
	launches   map[string]app.Launch
	supervised []int
	waiting    map[string]bool // launches with a question
	refuse     error           // of every question and plan
}

type asked struct {
	launchID, contextID, meta string
	in                        app.Interaction
	answer                    chan app.Outcome
	withdrawn                 chan app.Cause // holds the cause once the question was withdrawn
}

type planned struct {
	launchID, contextID, meta, explanation string
	steps                                  []app.PlanStep
}

// launch is what the token stands for in most tests.
var launch = app.Launch{
	ID: "launch-1", SessionID: "session-1", Profile: "default", Family: "claude",
	ToolPrefix: "mcp__parley-interaction__", MayAsk: true, MayPlan: true, CallLimitMS: 3_630_000,
}

const token = "launch-token"

func newSessions() *sessions {
	return &sessions{
		asked: make(chan *asked, 100), plans: make(chan planned, 100), listed: make(chan []string, 100),
		launches: map[string]app.Launch{token: launch}, waiting: map[string]bool{},
	}
}

func (s *sessions) LaunchByToken(token string) (app.Launch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.launches[token]
	if !ok {
		return app.Launch{}, app.Errorf(app.CodeUnauthenticated, "This token is unknown.")
	}
	return l, nil
}

func (s *sessions) ToolsListed(_ string, tools []string) { s.listed <- tools }

func (s *sessions) SupervisedPIDs() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.supervised
}

// Form knows no more of a form than its arguments: the sessions read them.
func (s *sessions) Form(_ context.Context, launchID, meta string, arguments []byte) (app.FormCall, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.refuse != nil:
		return app.FormCall{}, s.refuse
	case string(arguments) == `{"again":true}`:
		return app.FormCall{AskID: "form-of-" + launchID, Answer: []byte(`{"answer":["a"]}`), Note: meta}, nil
	}
	return app.FormCall{AskID: "form-of-" + launchID}, nil
}

func (s *sessions) Clarify(ctx context.Context, launchID, contextID, meta string, in app.Interaction) (app.Interaction, app.Outcome, error) {
	s.mu.Lock()
	refuse, pending := s.refuse, s.waiting[contextID]
	s.waiting[contextID] = true
	s.mu.Unlock()
	switch {
	case refuse != nil:
		return in, app.Outcome{}, refuse
	case pending:
		return in, app.Outcome{}, app.Errorf(app.CodeAlreadyPending, "A question of this session waits already.")
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, contextID)
	}()
	a := &asked{launchID, contextID, meta, in, make(chan app.Outcome, 1), make(chan app.Cause, 1)}
	s.asked <- a
	in.ID = "question-of-" + contextID
	select {
	case o := <-a.answer:
		return in, o, nil
	case <-ctx.Done():
		cause := app.WithdrawnBy(ctx, "unknown")
		a.withdrawn <- cause
		return in, app.Outcome{Reason: app.ReasonCancelled, Cause: cause}, nil
	}
}

func (s *sessions) UpdatePlan(_ context.Context, launchID, contextID, meta, explanation string, steps []app.PlanStep) (app.Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return app.Plan{}, s.refuse
	}
	s.plans <- planned{launchID, contextID, meta, explanation, steps}
	return app.Plan{ID: "plan-1", Revision: 3}, nil
}

func (s *sessions) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// rig is a socket that serves.
type rig struct {
	*sessions
	path     string
	refused  chan childapi.Refusal
	outdated chan bridge.HelloRequest
	stop     func()        // ends the server
	stopped  chan struct{} // closed once Serve has returned
	err      error         // of Serve
	client   *http.Client
}

func serve(t *testing.T, change func(*childapi.Config)) *rig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run", "s")
	ln, err := childapi.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, path, ln, change)
}

func serveOn(t *testing.T, path string, ln net.Listener, change func(*childapi.Config)) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{
		sessions: newSessions(), path: path, stop: cancel, stopped: make(chan struct{}),
		refused: make(chan childapi.Refusal, 100), outdated: make(chan bridge.HelloRequest, 100),
	}
	c := childapi.Config{
		Service: r.sessions, Ancestors: ancestors, Log: slog.New(slog.DiscardHandler),
		API:      http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the api") }),
		Refused:  func(f childapi.Refusal) { r.refused <- f },
		Outdated: func(_ app.Launch, h bridge.HelloRequest) { r.outdated <- h },
	}
	if change != nil {
		change(&c)
	}
	go func() {
		defer close(r.stopped)
		r.err = childapi.New(c).Serve(ctx, ln)
	}()
	r.client = overSocket(path)
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		cancel()
		<-r.stopped
		if r.err != nil {
			t.Errorf("serve: %v", r.err)
		}
	})
	return r
}

func overSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
}

// do makes a raw request and returns status and body.
func (r *rig) do(t *testing.T, method, path, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://parley"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return resp.StatusCode, string(data)
}

func code(body string) string {
	var b bridge.ErrorBody
	if json.Unmarshal([]byte(body), &b) != nil || b.Error == nil {
		return ""
	}
	return b.Error.Code
}

func (r *rig) bridge() *bridge.Client {
	return bridge.NewClient(bridge.Credential{Socket: r.path, Token: token})
}

func (r *rig) question(t *testing.T) *asked {
	t.Helper()
	return within(t, "a question", r.asked)
}

func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// ancestors walks up /proc, as the owner of processes does.
func ancestors(pid int) ([]int, error) {
	var above []int
	for pid > 1 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return nil, err
		}
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if pid, err = strconv.Atoi(string(fields[1])); err != nil {
			return nil, err
		}
		above = append(above, pid)
	}
	return above, nil
}
