package core

import (
	"context"
	"time"

	"parley/app"
	"parley/app/api"
)

const (
	// joinLimit is how long another back end may take to come up or to close: it
	// holds the lock before it listens, and after.
	joinLimit = 20 * time.Second
	joinPause = 50 * time.Millisecond
)

// Join opens a back end on the folders, or finds the one that lives there; then
// it returns nil, and api.Dial(cfg.Dirs.Socket()) reaches that one. While
// another one comes up or closes it waits, 20 s at most.
//
// Errors: those of Open but for app.CodeDataFolderInUse; app.CodeUnavailable
// when the one that has the folder did not answer in time; the cause of ctx.
func Join(ctx context.Context, cfg Config) (*App, error) {
	other := api.Dial(cfg.Dirs.Socket())
	for limit := time.Now().Add(joinLimit); ; {
		own, err := Open(ctx, cfg)
		if app.ErrorCode(err) != app.CodeDataFolderInUse {
			return own, err
		}
		if _, err = other.About(ctx); err == nil {
			return nil, nil
		}
		if code := app.ErrorCode(err); code != app.CodeUnavailable && code != app.CodeClosing || time.Now().After(limit) {
			return nil, err
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Client speaks to the back end in the terms of the command line.
func (a *App) Client() *api.Client {
	if a.cfg.Private {
		return api.Direct(api.Door(a.api, app.ByCLI))
	}
	return api.Dial(a.cfg.Dirs.Socket())
}
