package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents/agenttest/leaks"
	"parley/app"
	"parley/app/api"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

func postWithHeader(t testing.TB, h http.Handler, path, body, header, value string) {
	t.Helper()
	req := httptest.NewRequest("POST", path, strings.NewReader(body))
	req.Header.Set(header, value)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if rec.Code != 200 {
		t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
}

// serve puts a back end on a socket; the returned function ends it.
func serve(t testing.TB, socket string, w *world) (end func()) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: api.SocketDoor(api.New(w.config(t)))}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(l) //nolint:errcheck // always ErrServerClosed
	}()
	return func() {
		server.Close()
		<-done
	}
}

func TestClientSpeaksEveryCallOfTheCommandLine(t *testing.T) {
	w := newWorld()
	w.interactions["q"] = app.Interaction{ID: "q", SessionID: "s1"}
	socket := filepath.Join(t.TempDir(), "s")
	end := serve(t, socket, w)
	defer end()
	c := api.Dial(socket)
	ctx := t.Context()

	s, err := c.CreateSession(ctx, api.NewSession{Agent: "demo", Prompt: "hi", Env: map[string]string{"A": "1"}})
	if err != nil || s.ID != "s1" || w.created[0].Env["A"] != "1" || w.sent[0].Text != "hi" {
		t.Fatalf("%+v %v", s, err)
	}
	if list, err := c.Sessions(ctx); err != nil || len(list) != 1 {
		t.Errorf("sessions %v %v", list, err)
	}
	if _, err := c.Session(ctx, "../about"); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("an id is a name, not a path: %v", err)
	}
	if tl, err := c.Events(ctx, "s1", 0, 41, 10); err != nil || tl.Events[0].Seq != 42 || tl.Through != 10 {
		t.Errorf("events %+v %v", tl, err)
	}
	if reply, err := c.Answer(ctx, app.Answer{InteractionID: "q", Status: app.StatusAnswered, Text: "one"}); err != nil || !reply.Accepted {
		t.Errorf("answer %+v %v", reply, err)
	}
	_, err = c.AsWindow().Answer(ctx, app.Answer{InteractionID: "q", Status: app.StatusAnswered, Text: "two"})
	if r, ok := errors.AsType[*api.Resolved](err); !ok || r.Outcome.Text != "one" || r.Outcome.By != app.ByCLI {
		t.Errorf("second answer: %v", err)
	}
	if app.ErrorCode(err) != app.CodeAlreadyResolved {
		t.Errorf("code %q", app.ErrorCode(err))
	}
	if err := c.Stop(ctx, "s1"); app.ErrorCode(err) != app.CodeNoActiveTurn {
		t.Errorf("stop: %v", err)
	}
	if list, err := c.Interactions(ctx, app.InteractionFilter{State: app.InteractionsWaiting}); err != nil || len(list) != 1 {
		t.Errorf("interactions %v %v", list, err)
	}
}

func TestNoBackEndIsUnavailable(t *testing.T) {
	_, err := api.Dial(filepath.Join(t.TempDir(), "none")).About(t.Context())
	if app.ErrorCode(err) != app.CodeUnavailable {
		t.Errorf("%v", err)
	}
}

// The command line learns which of its variables differ, and no value.
func TestEnvironmentDiff(t *testing.T) {
	w := newWorld()
	c := w.config(t)
	c.Environ = func(context.Context) []string { return []string{"HOME=/home/ann", "TOKEN=hunter2", "EMPTY="} }
	h := api.New(c)
	_, body := call(t, api.Door(h, app.ByCLI), "GET", "/api/environment", "")
	if strings.Contains(body, "hunter2") {
		t.Error("a value was told")
	}
	var e api.Environment
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	got := e.Diff([]string{"HOME=/home/ann", "TOKEN=other", "EMPTY=", "NEW=a=b", "=C:=x", "rubbish"})
	if diff := cmp.Diff(map[string]string{"TOKEN": "other", "NEW": "a=b"}, got); diff != "" {
		t.Error(diff)
	}
	for _, by := range []app.By{app.ByWindow, app.ByBrowser} {
		if status, _ := call(t, api.Door(h, by), "GET", "/api/environment", ""); status != 403 {
			t.Errorf("%s: %d", by, status)
		}
	}
}

// A client that follows survives a restart of the back end, and is told that
// it must start from the new present.
func TestFollowSurvivesARestart(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	w := newWorld()
	w.subs <- newSubscription()
	end := serve(t, socket, w)

	ctx, cancel := context.WithCancelCause(t.Context())
	frames, done := make(chan api.Frame, 10), make(chan error, 1)
	go func() { done <- api.Dial(socket).Follow(ctx, func(f api.Frame) { frames <- f }) }()
	if f := receive(t, frames); f.Snapshot == nil || f.Resync {
		t.Fatalf("first %+v", f)
	}
	end()
	w = newWorld()
	sub := newSubscription()
	w.subs <- sub
	sub.feed <- []app.Event{note(3)}
	end = serve(t, socket, w)
	defer end()
	if f := receive(t, frames); f.Snapshot == nil || !f.Resync {
		t.Fatalf("after the restart %+v", f)
	}
	if f := receive(t, frames); len(f.Events) != 1 || f.Resync {
		t.Fatalf("after the restart %+v", f)
	}
	enough := errors.New("enough")
	cancel(enough)
	if err := <-done; !errors.Is(err, enough) {
		t.Errorf("ended with %v", err)
	}
}

func TestFollowDoesNotTryWhatIsForbidden(t *testing.T) {
	server := httptest.NewServer(api.New(newWorld().config(t))) // no door
	defer server.Close()
	rt := &http.Transport{}
	defer rt.CloseIdleConnections()
	err := api.NewClient(rt, server.URL).Follow(t.Context(), func(api.Frame) { t.Error("a frame") })
	if app.ErrorCode(err) != app.CodeForbidden {
		t.Errorf("%v", err)
	}
}

func receive(t testing.TB, frames <-chan api.Frame) api.Frame {
	t.Helper()
	select {
	case f := <-frames:
		return f
	case <-time.After(2 * time.Minute):
		t.Fatal("no frame came")
		return api.Frame{}
	}
}
