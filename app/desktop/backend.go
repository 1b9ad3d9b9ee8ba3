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
	own    *core.App // nil when the window is attached to another program's
	client *api.Client
	proxy  http.Handler
}

// closeLimit is how long the back end may take to end its agents.
const closeLimit = 15 * time.Second

// openBackend starts a back end or attaches to the one that uses the folder. page
// is for browsers that `parley serve` lets in beside the window.
func openBackend(ctx context.Context, dirs paths.Dirs, page fs.FS, log *slog.Logger) (*backend, error) {
	own, err := core.Open(ctx, core.Config{Dirs: dirs, Version: app.Version, Page: page, Log: log})
	if err != nil && app.ErrorCode(err) != app.CodeDataFolderInUse {
		return nil, err
	}
	return &backend{own: own, client: api.Dial(dirs.Socket()).AsWindow(), proxy: proxyTo(dirs.Socket())}, nil
}

// Close ends an own back end with all its agents, in bounded time.
func (b *backend) Close() error {
	if b.own == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return b.own.Close(ctx)
}

// busy counts the sessions whose turn a quit would cut off; none when the back
// end outlives the window.
func (b *backend) busy(ctx context.Context) int {
	if b.own == nil {
		return 0
	}
	sessions, err := b.client.Sessions(ctx)
	if err != nil {
		return 0
	}
	n := 0
	for _, s := range sessions {
		if s.State != app.StateIdle {
			n++
		}
	}
	return n
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
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			},
			MaxIdleConnsPerHost: 8,
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintf(w, `{"error":{"code":%q,"message":"Parley's back end does not answer."}}`, app.CodeUnavailable)
		},
	}
}
