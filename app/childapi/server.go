package childapi

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/app"
	"parley/mcp/bridge"
)

// Service is what the child endpoints need of the sessions. Errors are
// *app.Error where an agent may read them.
type Service interface {
	// LaunchByToken finds the launch of a token, which it knows as a hash only
	// and compares in constant time. An unknown token is CodeUnauthenticated, one
	// of another kind CodeForbidden.
	LaunchByToken(token string) (app.Launch, error)
	// ToolsListed says that the agent's CLI knows the tools now.
	ToolsListed(launchID string, tools []string)
	// Clarify asks the person and waits. When ctx ends it withdraws the
	// question, with the cause that app.WithdrawnBy finds.
	Clarify(ctx context.Context, launchID, contextID, meta string, in app.Interaction) (app.Interaction, app.Outcome, error)
	// Form shows a form and returns once the run has ended for it, or hands out
	// how it ended when the CLI makes the call again.
	Form(ctx context.Context, launchID, meta string, arguments []byte) (app.FormCall, error)
	// UpdatePlan stores and shows a plan.
	UpdatePlan(ctx context.Context, launchID, contextID, meta, explanation string, steps []app.PlanStep) (app.Plan, error)
	// SupervisedPIDs are the processes below which everything belongs to an
	// agent.
	SupervisedPIDs() []int
}

// Config is what a Server is made of. Only API, Refused, Outdated, KeepAlive and
// BodyLimit may be left out.
type Config struct {
	Service Service
	// API serves /api/ for the command line and attached windows, already
	// wearing its door; nil serves none.
	API http.Handler
	// Ancestors are the parents of a process, nearest first.
	Ancestors func(pid int) ([]int, error)
	// Refused hears of every peer that was kept from the API, for the record.
	Refused func(Refusal)
	// Outdated hears of an agent whose parley-mcp no longer fits, so that the
	// window can say "restart this agent".
	Outdated func(app.Launch, bridge.HelloRequest)
	// KeepAlive is how often a waiting call gets a blank line; 0 is 15 s.
	KeepAlive time.Duration
	// BodyLimit is how long a child may take to send a request's body; 0 is 30 s.
	BodyLimit time.Duration
	Log       *slog.Logger
}

// Refusal is a call that was not let in.
type Refusal struct {
	PID   int   // of the peer, 0 when unknown
	UID   int   // of the peer, -1 when unknown
	Chain []int // the peer and its ancestors, as they were when it connected
	Path  string
	Why   string
}

const (
	keepAlive    = 15 * time.Second
	headerLimit  = 10 * time.Second // to send the header of a request
	bodyLimit    = 30 * time.Second // to send the body of a child's request
	tellingLimit = time.Second      // for the API's streams to end by themselves when the server ends
	closingLimit = 2 * time.Second  // for all requests to end then
)

// Server serves one control socket.
type Server struct {
	cfg   Config
	calls *calls
	child map[string]endpoint
}

// New makes a server.
func New(c Config) *Server {
	if c.KeepAlive == 0 {
		c.KeepAlive = keepAlive
	}
	if c.BodyLimit == 0 {
		c.BodyLimit = bodyLimit
	}
	s := &Server{cfg: c, calls: newCalls(), child: map[string]endpoint{}}
	for _, e := range endpoints {
		s.child[e.path] = e
	}
	return s
}

// Serve serves ln until ctx ends, and closes it; a socket whose file is taken
// away meanwhile is opened again. It returns once every request has ended:
// waiting calls are withdrawn because Parley quits, and get to say so; streams
// have a moment to pass on what they hold.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	// Requests outlive ctx, so that a withdrawn call gets its answer.
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var conns sync.WaitGroup
	srv := &http.Server{
		Handler:           http.HandlerFunc(s.route),
		ReadHeaderTimeout: headerLimit,
		MaxHeaderBytes:    64 << 10,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       s.identify,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				conns.Add(1)
			case http.StateClosed, http.StateHijacked:
				conns.Done()
			}
		},
		ErrorLog: slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	if socket, ok := ln.(*net.UnixListener); ok {
		ln = keepListening(socket, s.cfg.Log)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		drain(ln)
		_ = ln.Close()
		<-served
	}

	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingLimit)
	defer cancel()
	s.calls.close(limit, app.CauseQuit)
	telling := time.AfterFunc(tellingLimit, end)
	defer telling.Stop()
	// Not Shutdown: it drops, without an answer, who was let in and has not said
	// yet what he wants.
	srv.SetKeepAlivesEnabled(false)
	gone := make(chan struct{})
	go func() {
		conns.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-limit.Done():
	}
	_ = srv.Close()
	<-gone
	return err
}

// route decides by the peer and the path.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	p := peerOf(r.Context())
	if why := p.stranger(); why != "" {
		s.refuse(w, r, p, why, "Only the person who runs Parley may use this socket.")
		return
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/child/"):
		s.serveChild(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/") && s.cfg.API != nil:
		s.serveAPI(w, r, p)
	default:
		writeError(w, app.Errorf(app.CodeNotFound, "There is nothing at this address."))
	}
}

// serveAPI lets in whoever is the person and no agent.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, p peer) {
	const sentence = "An agent may not use this: only the person may answer, start or change anything in Parley."
	if why := p.belowAny(s.cfg.Service.SupervisedPIDs()); why != "" {
		s.refuse(w, r, p, why, sentence)
		return
	}
	if token := bearer(r); token != "" {
		if _, err := s.cfg.Service.LaunchByToken(token); err == nil {
			s.refuse(w, r, p, "it showed a launch token", sentence)
			return
		}
	}
	s.cfg.API.ServeHTTP(w, r)
}

// refuse answers 403 and records it.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, p peer, why, sentence string) {
	s.cfg.Log.Warn("refused a call at the socket",
		slog.Int("pid", p.pid), slog.Int("uid", p.uid), slog.String("path", r.URL.Path), slog.String("why", why))
	if s.cfg.Refused != nil {
		s.cfg.Refused(Refusal{PID: p.pid, UID: p.uid, Chain: p.chain, Path: r.URL.Path, Why: why})
	}
	writeError(w, app.Errorf(app.CodeForbidden, "%s", sentence))
}
