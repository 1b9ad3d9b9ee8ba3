package core

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/doctor"
	"parley/app/gateway"
	"parley/app/mask"
	"parley/app/paths"
	"parley/app/profiles"
	"parley/app/servers"
	"parley/app/session"
	"parley/mcp/override"
)

// Config is what a back end stands on. Only Dirs must be set.
type Config struct {
	Dirs    paths.Dirs
	Version string                   // "" is app.Version
	Page    fs.FS                    // the built page, for browsers; nil serves none
	Log     *slog.Logger             // where people look, beside the log file; nil is nowhere
	Now     func() time.Time         // the wall clock; nil is time.Now
	Getenv  func(name string) string // of the program that opens it; nil is os.Getenv
	// Private keeps it to the program that opens it: nobody else finds it, so no
	// agent can run in it. It is for commands that only look something up.
	Private bool

	// Trial makes it a back end that tries one agent and knows no other; nil is an
	// ordinary one.
	Trial *doctor.Trial
}

// App is a running back end.
type App struct {
	cfg      Config
	log      *slog.Logger
	logs     *logFile // what log writes to
	gate     *api.Gate
	api      http.Handler
	sessions *session.Manager
	gateway  *gateway.Gateway // nil when no page is served
	doctor   *doctor.Doctor

	overrides *override.File
	servers   *servers.Servers
	profiles  *profiles.Profiles

	secrets  mask.Secrets                  // what neither the log nor the record may show
	problems []string                      // what was wrong when it came up, in sentences
	undo     []func(context.Context) error // what Close does, in the order in which it was added
}

// Open brings a back end up on the folders. When it returns, the record is
// settled, what a crash left is ended, and the socket listens.
//
// Errors: app.CodeDataFolderInUse when another back end lives there, the codes
// of store.Open, app.CodeFolderUnusable; others are the system's.
func Open(ctx context.Context, cfg Config) (*App, error) {
	if cfg.Version == "" {
		cfg.Version = app.Version
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	a := &App{cfg: cfg, gate: api.NewGate()}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	return a, nil
}

// API is the handler of every user interface; wrap it in the door that its
// callers come through.
func (a *App) API() http.Handler { return a.api }

// Close takes everything down in an order in which nobody is left without an
// answer: calls are refused (app.CodeClosing) and those under way end, then the
// agents, then the streams once they have told that, then the socket, the
// record and the lock. Each part gets what is left of ctx and cannot outstay it;
// the processes of an agent that did not end in time are ended by their
// supervisor once this program is gone. It may be called again.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	undo := a.undo
	a.undo = nil
	for _, step := range slices.Backward(undo) {
		errs = append(errs, step(ctx))
	}
	return errors.Join(errs...)
}

// closing adds what Close does for something that was opened.
func (a *App) closing(step func(context.Context) error) { a.undo = append(a.undo, step) }
