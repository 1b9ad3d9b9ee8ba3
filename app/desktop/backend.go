package desktop

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/core"
	"parley/app/paths"
)

// backend is the back end behind a window: one that this window started, or one
// that was there before. Either way the window talks to its socket, so there is
// one way in and one set of rules at the door.
type backend struct {
	client *api.Client
	proxy  http.Handler
	conf   core.Config

	mu  sync.Mutex // guards the field below
	own *core.App  // nil while the window is attached to another program's
}

const (
	// closeLimit is how long the back end may take to end its agents.
	closeLimit = 15 * time.Second
	// aliveLook is how often an attached window looks whether its back end lives.
	aliveLook = 500 * time.Millisecond
)

// openBackend starts a back end or attaches to the one that uses the folder. page
// is for browsers that `parley serve` lets in beside the window.
func openBackend(ctx context.Context, dirs paths.Dirs, page fs.FS, log *slog.Logger) (*backend, error) {
	b := &backend{
		client: api.Dial(dirs.Socket()).AsWindow(), proxy: proxyTo(dirs.Socket()),
		conf: core.Config{Dirs: dirs, Version: app.Version, Page: page, Log: log},
	}
	var err error
	b.own, err = core.Join(ctx, b.conf)
	return b, err
}

// app is the window's own back end, nil while it is attached.
func (b *backend) app() *core.App {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own
}

// takeOver waits for the end of a back end that the window is attached to and
// starts one in its place, or attaches to the next; the window goes on in it. It
// returns once the window has its own, or when ctx ends.
func (b *backend) takeOver(ctx context.Context) {
	tick := time.NewTicker(aliveLook)
	defer tick.Stop()
	for b.app() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, err := b.client.About(ctx); err == nil || ctx.Err() != nil {
			continue
		}
		own, err := core.Join(ctx, b.conf)
		if err != nil {
			b.conf.Log.Warn("start a back end in place of one that ended", "err", err)
			continue
		}
		b.mu.Lock()
		b.own = own
		b.mu.Unlock()
	}
}

// keep holds an own back end until nobody needs it any more or ctx ends.
func (b *backend) keep(ctx context.Context) {
	if own := b.app(); own != nil {
		_ = own.Unused(ctx) // an error is the end of ctx
	}
}

// Close ends an own back end with all its agents, in bounded time.
func (b *backend) Close() error {
	own := b.app()
	if own == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return own.Close(ctx)
}

// busy counts the sessions whose turn a quit would cut off; none when the back
// end outlives the window.
func (b *backend) busy(ctx context.Context) int {
	own := b.app()
	if own == nil {
		return 0
	}
	return own.Use(ctx).Sessions
}

// onQuit is what the person wants of a quit while agents work: "ask", "stop" or
// "keep".
func (b *backend) onQuit(ctx context.Context) string {
	set, err := b.client.Settings(ctx)
	if err != nil {
		return "ask"
	}
	return set.KeepRunningOnQuit
}

// proxyTo passes the page's calls on to the socket. The stream is passed on
// piece by piece; Wails' writer sends each one at once.
func proxyTo(socket string) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "parley"})
			r.Out.Header.Set(api.DoorHeader, string(app.ByWindow))
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, // as in api.Dial
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			},
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintf(w, `{"error":{"code":%q,"message":"Parley's back end does not answer."}}`, app.CodeUnavailable)
		},
	}
}
