// Package backend opens the whole back end for a test: the real record, the
// real socket, the demo agent. It is apart from apptest, so that a test of one
// mechanism doesn't build all of them. Its functions belong to the goroutine of
// the test they are given.
package backend

import (
	"context"
	"log/slog"
	"testing"

	"parley/app/api"
	"parley/app/apptest"
	"parley/app/core"
	"parley/app/paths"
)

// Backend is an open back end and a client on its socket.
type Backend struct {
	App    *core.App
	Client *api.Client
	Dirs   paths.Dirs

	tb testing.TB
}

// Config is what a back end of a test is opened with.
func Config(tb testing.TB, dirs paths.Dirs) core.Config {
	bin := apptest.Programs(tb, "parley", "parley-mcp", "parley-run")
	return core.Config{
		Dirs: dirs, Version: "test",
		Log:    slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})),
		Getenv: func(name string) string { return map[string]string{"PARLEY_BIN_DIR": bin}[name] },
	}
}

// Open brings up a back end on folders and closes it with the test.
func Open(tb testing.TB, dirs paths.Dirs) *Backend {
	tb.Helper()
	a, err := core.Open(context.Background(), Config(tb, dirs))
	if err != nil {
		tb.Fatal(err)
	}
	b := &Backend{App: a, Client: api.Dial(dirs.Socket()), Dirs: dirs, tb: tb}
	tb.Cleanup(b.Close)
	return b
}

// Close closes the back end; a second time does nothing.
func (b *Backend) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
	defer cancel()
	if err := b.App.Close(ctx); err != nil {
		b.tb.Error(err)
	}
}
