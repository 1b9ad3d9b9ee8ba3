package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/mcp/bridge"
)

// patience is how long a test waits for what must come; it says nothing of speed.
const patience = time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers a client with handler over a unix socket.
func serve(t *testing.T, handler http.Handler) (*bridge.Client, *http.Server) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }()
	client := bridge.NewClient(bridge.Credential{Socket: path, Token: "the-token"})
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return client, srv
}

func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}

// clarify runs a call aside.
func clarify(ctx context.Context, c *bridge.Client) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.Clarify(ctx, bridge.ClarifyRequest{ContextID: "pctx_1", Question: "Which?"})
		done <- err
	}()
	return done
}

// body reads a request to its end, without which net/http does not notice that
// the client goes away.
func body(t *testing.T, r *http.Request, into any) {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Errorf("body of %s: %v", r.URL.Path, err)
	}
}

func TestHelloCarriesTheTokenAndComparesProtocols(t *testing.T) {
	protocol := bridge.ProtocolVersion
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in bridge.HelloRequest
		body(t, r, &in)
		if r.Header.Get("Authorization") != "Bearer the-token" || in.Protocol != bridge.ProtocolVersion || in.Version != "1.2.3" || in.PID == 0 {
			t.Errorf("hello came as %+v with %q", in, r.Header.Get("Authorization"))
		}
		_ = json.NewEncoder(w).Encode(bridge.HelloReply{Protocol: protocol, MayAsk: true, CallLimitMS: 7})
	}))
	reply, err := client.Hello(t.Context(), "1.2.3")
	if err != nil || !reply.MayAsk || reply.CallLimitMS != 7 {
		t.Fatalf("hello: %+v, %v", reply, err)
	}
	protocol = bridge.ProtocolVersion + 1
	_, err = client.Hello(t.Context(), "1.2.3")
	refused, ok := errors.AsType[*bridge.Error](err)
	if !ok || refused.Code != bridge.CodeVersionMismatch || !strings.Contains(refused.Message, "Restart this agent in Parley") {
		t.Errorf("hello of another protocol: %v", err)
	}
}

func TestRefusalsArePassedOnWhole(t *testing.T) {
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"error":{"code":"already_pending","message":"One waits.","field":"f","limit":"l","got":"g"}}`))
	}))
	want := bridge.Error{Status: 409, Code: "already_pending", Message: "One waits.", Field: "f", Limit: "l", Got: "g"}
	_, planErr := client.Plan(t.Context(), bridge.PlanRequest{})
	_, askErr := client.Clarify(t.Context(), bridge.ClarifyRequest{})
	for call, err := range map[string]error{"plan": planErr, "clarify": askErr, "ready": client.Ready(t.Context(), bridge.ReadyRequest{})} {
		if refused, ok := errors.AsType[*bridge.Error](err); !ok || *refused != want {
			t.Errorf("%s: %+v, want %+v", call, err, want)
		}
	}
}

func TestRefusalWithoutAReasonSaysTheStatus(t *testing.T) {
	client, _ := serve(t, http.NotFoundHandler())
	err := client.Ready(t.Context(), bridge.ReadyRequest{})
	if refused, ok := errors.AsType[*bridge.Error](err); !ok || refused.Status != 404 || !strings.Contains(refused.Message, "404") {
		t.Errorf("got %v", err)
	}
}

func TestNobodyAtTheSocketIsUnavailable(t *testing.T) {
	client := bridge.NewClient(bridge.Credential{Socket: filepath.Join(t.TempDir(), "nothing"), Token: "x"})
	err := within(t, "the refusal", clarify(t.Context(), client))
	if refused, ok := errors.AsType[*bridge.Error](err); !ok || refused.Code != bridge.CodeUnavailable || errors.Is(err, bridge.ErrGone) {
		t.Errorf("got %v, want unavailable", err)
	}
}

func TestClarifyReadsPastBlankLines(t *testing.T) {
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body(t, r, &bridge.ClarifyRequest{})
		w.WriteHeader(http.StatusProcessing)
		flush := http.NewResponseController(w)
		for range 3 {
			_, _ = io.WriteString(w, "\n")
			_ = flush.Flush()
		}
		_, _ = io.WriteString(w, `{"result":{"clarify_id":"q1","reason":"response","response":"Ahoy","selected":["Ahoy"],"text":""}}`+"\n")
	}))
	res, err := client.Clarify(t.Context(), bridge.ClarifyRequest{})
	if err != nil || res.ClarifyID != "q1" || res.Reason != "response" || res.Response != "Ahoy" || len(res.Selected) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestClarifyRefusedAfterItWaited(t *testing.T) {
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body(t, r, &bridge.ClarifyRequest{})
		_, _ = io.WriteString(w, "\n"+`{"error":{"code":"storage_failed","message":"The disk is full."}}`+"\n")
	}))
	_, err := client.Clarify(t.Context(), bridge.ClarifyRequest{})
	if refused, ok := errors.AsType[*bridge.Error](err); !ok || refused.Code != "storage_failed" {
		t.Errorf("got %v", err)
	}
}

// TestLostConnectionIsToldAtOnce: whether the app dies before or after its
// first byte, in the middle of a line, or ends the stream without an answer.
func TestLostConnectionIsToldAtOnce(t *testing.T) {
	for _, begun := range []string{"", "\n", `{"result":`} {
		waits := make(chan struct{}, 1)
		client, srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body(t, r, &bridge.ClarifyRequest{})
			if begun != "" {
				_, _ = io.WriteString(w, begun)
				_ = http.NewResponseController(w).Flush()
			}
			waits <- struct{}{}
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}))
		call := clarify(t.Context(), client)
		within(t, "the call", waits)
		_ = srv.Close()
		if err := within(t, "the end of the call", call); !errors.Is(err, bridge.ErrGone) {
			t.Errorf("after %q: %v, want ErrGone", begun, err)
		}
	}
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body(t, r, &bridge.ClarifyRequest{})
		_, _ = io.WriteString(w, "\n")
	}))
	if err := within(t, "the end of the call", clarify(t.Context(), client)); !errors.Is(err, bridge.ErrGone) {
		t.Errorf("stream without an answer: %v, want ErrGone", err)
	}
}

// TestEndOfContextClosesTheRequest: the app notices, without being told why.
func TestEndOfContextClosesTheRequest(t *testing.T) {
	waits, closed := make(chan struct{}, 1), make(chan struct{}, 1)
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != bridge.PathClarify {
			t.Errorf("unasked call of %s", r.URL.Path)
		}
		body(t, r, &bridge.ClarifyRequest{})
		w.WriteHeader(http.StatusProcessing)
		waits <- struct{}{}
		<-r.Context().Done()
		closed <- struct{}{}
	}))
	ctx, cancel := context.WithCancel(t.Context())
	call := clarify(ctx, client)
	within(t, "the call", waits)
	cancel()
	if err := within(t, "the end of the call", call); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	within(t, "the app's notice", closed)
}

// TestWithdrawnCallIsCancelledByName, also when the cancel comes before the app
// has taken the call: it must not overtake it.
func TestWithdrawnCallIsCancelledByName(t *testing.T) {
	arrived, take := make(chan string, 1), make(chan struct{})
	cancelled := make(chan string, 1)
	client, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case bridge.PathClarify:
			var q bridge.ClarifyRequest
			body(t, r, &q)
			arrived <- q.ID
			<-take
			w.WriteHeader(http.StatusProcessing)
			<-r.Context().Done()
		case bridge.PathCancel:
			var c bridge.CancelRequest
			body(t, r, &c)
			cancelled <- c.ID
			_, _ = io.WriteString(w, "{}")
		}
	}))
	ctx, cancel := context.WithCancelCause(t.Context())
	call := clarify(ctx, client)
	id := within(t, "the call", arrived)
	cancel(bridge.ErrWithdrawn)
	select {
	case <-cancelled:
		t.Error("the cancel overtook the call")
	case <-time.After(50 * time.Millisecond): // long enough for a wrong order to show, no test of speed
	}
	close(take)
	if got := within(t, "the cancel", cancelled); got != id || id == "" {
		t.Errorf("cancelled call %q, want %q", got, id)
	}
	if err := within(t, "the end of the call", call); !errors.Is(err, bridge.ErrWithdrawn) {
		t.Errorf("got %v", err)
	}
}
