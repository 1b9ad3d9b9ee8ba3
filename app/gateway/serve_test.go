package gateway_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/gateway"
)

// backEnd is the API on a socket, with a gateway behind it.
func backEnd(t *testing.T) *api.Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	calls := api.New(api.Config{Gateway: gateway.New(gateway.Config{Page: page}), About: api.About{Version: "v1"}})
	web := &http.Server{Handler: api.SocketDoor(calls)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		web.Serve(l)
	}()
	t.Cleanup(func() {
		web.Close()
		<-done
	})
	return api.Dial(socket)
}

// The whole way: a command asks over the socket, a browser comes in by the
// link, makes a call, may not let in another, and the end of the command is the
// end of the serving.
func TestACommandServesForAsLongAsItLives(t *testing.T) {
	c := backEnd(t)
	if _, err := c.Link(t.Context()); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("a link before: %v", err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	opened, ended := make(chan api.ServeReply, 1), make(chan error, 1)
	go func() { ended <- c.Serve(ctx, api.ServeRequest{}, func(r api.ServeReply) { opened <- r }) }()
	reply := <-opened

	s := &served{host: hostOf(reply.URL)}
	cookie := s.letIn(t, reply.Link)
	if resp, text := s.visit(t, "GET", "/api/about", "", cookie); resp.StatusCode != 200 {
		t.Errorf("a call: %d %s", resp.StatusCode, text)
	}
	for _, path := range []string{"/api/gateway/link", "/api/gateway"} {
		if resp, text := s.visit(t, "POST", path, "{}", cookie); resp.StatusCode != 403 {
			t.Errorf("%s from a browser: %d %s", path, resp.StatusCode, text)
		}
	}
	second, err := c.Link(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.letIn(t, second.Link)
	if err := c.Serve(t.Context(), api.ServeRequest{}, func(api.ServeReply) { t.Error("open") }); app.ErrorCode(err) != app.CodeAlreadyPending {
		t.Errorf("a second serving: %v", err)
	}

	cancel(enough)
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("ended with %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	for {
		if _, err := c.Link(t.Context()); app.ErrorCode(err) == app.CodeNotFound {
			break // closed; the test's own limit bounds the wait
		}
	}
	if conn, err := net.Dial("tcp", s.host); err == nil {
		conn.Close()
		t.Error("somebody still listens")
	}
}

func TestABadAddressIsTheCallersFault(t *testing.T) {
	err := backEnd(t).Serve(t.Context(), api.ServeRequest{Listen: "0.0.0.0:0"}, func(api.ServeReply) { t.Error("open") })
	if app.ErrorCode(err) != app.CodeInvalidArgument {
		t.Errorf("%v", err)
	}
}
