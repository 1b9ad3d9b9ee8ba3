package gateway

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"parley/app"
	"parley/app/api"
)

// Config is what a Gateway stands on.
type Config struct {
	Page fs.FS            // the built page, index.html at its root
	Now  func() time.Time // nil is time.Now
	Log  *slog.Logger     // nil is slog.Default
}

// Gateway serves the page at most once at a time.
type Gateway struct {
	cfg Config

	over context.Context // ends with Close
	end  context.CancelFunc

	mu   sync.Mutex // guards open
	open *server    // nil while nothing is served
}

// New makes a Gateway that does not listen yet.
func New(c Config) *Gateway {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	g := &Gateway{cfg: c}
	g.over, g.end = context.WithCancel(context.Background())
	return g
}

// Close ends the serving, and refuses to serve again.
func (g *Gateway) Close() { g.end() }

// Limits of a connection. The stream of events sets its own.
const (
	headerLimit = 10 * time.Second
	writeLimit  = 60 * time.Second
	idleLimit   = 2 * time.Minute
	headerBytes = 64 << 10
	closeLimit  = 2 * time.Second
)

// Serve listens where the request says and calls opened with the address and a
// first link; it returns when ctx has ended and the listener is closed. It
// refuses an address that others can reach when no name is allowed for it
// (app.CodeInvalidArgument), one that is in use (app.CodeUnavailable), and a
// second serving beside a first (app.CodeAlreadyPending).
func (g *Gateway) Serve(ctx context.Context, calls http.Handler, r api.ServeRequest, opened func(api.ServeReply)) error {
	l, err := listen(cmp.Or(r.Listen, "127.0.0.1:0"), r.AllowHosts)
	if err != nil {
		return err
	}
	s := newServer(g.cfg, calls, l.Addr().(*net.TCPAddr), r.AllowHosts)
	if !g.claim(s) {
		l.Close()
		return app.Errorf(app.CodeAlreadyPending, "The page is served already. Get a link with: parley serve link")
	}
	defer g.release()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(g.over, stop)()

	web := &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true, // the door answers everything
		ReadHeaderTimeout:            headerLimit,
		WriteTimeout:                 writeLimit,
		IdleTimeout:                  idleLimit,
		MaxHeaderBytes:               headerBytes,
		BaseContext:                  func(net.Listener) context.Context { return ctx }, // ends the streams
		ErrorLog:                     slog.NewLogLogger(g.cfg.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	opened(s.link())
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = shutDown(web)
		<-ended
	}
	return err
}

func (g *Gateway) claim(s *server) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		return false
	}
	g.open = s
	return true
}

func (g *Gateway) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = nil
}

// Serving reports whether the page is served now.
func (g *Gateway) Serving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open != nil
}

// Link makes a fresh link that lets one browser in.
func (g *Gateway) Link() (api.ServeReply, error) {
	g.mu.Lock()
	s := g.open
	g.mu.Unlock()
	if s == nil {
		return api.ServeReply{}, app.Errorf(app.CodeNotFound, "The page is not served. Start it with: parley serve")
	}
	return s.link(), nil
}

// listen opens the listener, on the loopback unless names are allowed.
func listen(address string, allowed []string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &app.Error{Code: app.CodeInvalidArgument, Message: "The address to listen on is a host and a port, such as 127.0.0.1:8080.",
			Field: "listen", Got: address, Err: err}
	}
	if host == "localhost" {
		host, address = "127.0.0.1", "127.0.0.1"+address[len("localhost"):]
	}
	if ip := net.ParseIP(host); (ip == nil || !ip.IsLoopback()) && len(allowed) == 0 {
		return nil, &app.Error{Code: app.CodeInvalidArgument, Field: "listen", Got: address,
			Message: "Others could reach " + address + ". Name the host by which browsers will call it: --allow-host NAME. Safer: leave it on 127.0.0.1 and use ssh -L."}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, app.Errorf(app.CodeUnavailable, "Can't listen on %s: %w", address, err)
	}
	return l, nil
}

func shutDown(web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return web.Close()
}
