package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"parley/app"
)

// handler holds what never changes after New; all its methods may run at once.
type handler struct {
	Config
	mux *http.ServeMux
}

// New makes the API. It serves nobody until it is mounted behind a Door.
func New(c Config) http.Handler {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Gate == nil {
		c.Gate = NewGate()
	}
	h := &handler{Config: c, mux: http.NewServeMux()}
	for _, r := range routes {
		h.mux.Handle(r.Method+" "+r.Path, h.guard(r))
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, r, app.Errorf(app.CodeNotFound, "There is no call %s %s.", r.Method, r.URL.Path))
	})
	return h
}

// ServeHTTP keeps one broken call from ending the program.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler {
			panic(p)
		}
		h.fail(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}()
	if doorOf(r.Context()) == "" {
		h.fail(w, r, app.Errorf(app.CodeForbidden, "This call came through no door that Parley knows."))
		return
	}
	h.mux.ServeHTTP(w, r)
}

// guard refuses a call at a door that is not one of its own, and any call once
// the back end closes.
func (h *handler) guard(route Route) http.Handler {
	serve := route.serve(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route.Doors != nil && !slices.Contains(route.Doors, doorOf(r.Context())) {
			h.fail(w, r, app.Errorf(app.CodeForbidden, "This call is not open to a %s.", doorOf(r.Context())))
			return
		}
		ctx, leave, err := h.Gate.enter(r.Context(), route.Stays)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		defer leave()
		serve(w, r.WithContext(ctx))
	})
}
