package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/core"
	"parley/app/paths"
	"parley/frontend"
)

const (
	// startLimit is how long another back end may take to come up: it holds the
	// lock before it listens.
	startLimit = 10 * time.Second
	startPause = 50 * time.Millisecond
	// closeLimit is how long agents may take to end.
	closeLimit = 15 * time.Second
)

// backend is the back end behind a command: the one that lives in the data
// folder already, or one of this process.
type backend struct {
	*api.Client
	own *core.App // nil when attached
}

// connect attaches to the back end that runs, or starts one.
func (p *program) connect(ctx context.Context) (*backend, error) {
	dirs, err := paths.Resolve(p.getenv)
	if err != nil {
		return nil, err
	}
	b := &backend{Client: api.Dial(dirs.Socket())}
	b.own, err = core.Open(ctx, core.Config{Dirs: dirs, Page: frontend.Dist(), Getenv: p.getenv})
	if app.ErrorCode(err) == app.CodeDataFolderInUse {
		err = b.awaitOther(ctx)
	}
	if err != nil {
		return nil, err
	}
	if b.own != nil {
		// Later commands attach or find all well: now is when it can be said.
		if about, err := b.About(ctx); err == nil {
			for _, problem := range about.Problems {
				p.say("! %s", plain(problem))
			}
		}
	}
	return b, nil
}

// awaitOther waits until the other back end answers.
func (b *backend) awaitOther(ctx context.Context) error {
	limit := time.Now().Add(startLimit)
	for {
		_, err := b.About(ctx)
		if app.ErrorCode(err) != app.CodeUnavailable || time.Now().After(limit) {
			return err
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// attached reports whether the back end goes on without this process.
func (b *backend) attached() bool { return b.own == nil }

// Close ends an own back end with all its agents, in bounded time.
func (b *backend) Close() error {
	if b.attached() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := b.own.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// with runs f on a back end and closes it afterwards.
func (p *program) with(ctx context.Context, f func(*backend) (int, error)) (int, error) {
	b, err := p.connect(ctx)
	if err != nil {
		return 0, err
	}
	code, err := f(b)
	return code, errors.Join(err, b.Close())
}
