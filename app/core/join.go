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
// another one comes up, closes or is silent it waits, 20 s at most.
//
// Errors: those of Open but for app.CodeDataFolderInUse; app.CodeUnavailable
// when the one that has the folder did not answer in time; the cause of ctx.
func Join(ctx context.Context, cfg Config) (*App, error) {
	other := api.Dial(cfg.Dirs.Socket())
	limit, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	for {
		own, err := Open(ctx, cfg)
		if app.ErrorCode(err) != app.CodeDataFolderInUse {
			return own, err
		}
		if _, err = other.About(limit); err == nil {
			return nil, nil
		}
		if code := app.ErrorCode(err); limit.Err() == nil && code != app.CodeUnavailable && code != app.CodeClosing {
			return nil, err
		}
		select {
		case <-time.After(joinPause):
		case <-limit.Done():
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			// Not the error of the call: that reads as if to try again were of use.
			return nil, app.Errorf(app.CodeUnavailable,
				"Another Parley uses the data folder %s and doesn't answer at %s. If it was stopped (Ctrl-Z), let it go on; else end it, and try again.",
				cfg.Dirs.Data, cfg.Dirs.Socket())
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
