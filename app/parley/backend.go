package main

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	for limit := time.Now().Add(startLimit); ; {
		b.own, err = core.Open(ctx, core.Config{Dirs: dirs, Page: frontend.Dist(), Getenv: p.getenv})
		if app.ErrorCode(err) == app.CodeDataFolderInUse {
			_, err = b.About(ctx)
		}
		if err == nil {
			break
		}
		// The other one is coming up, or has just ended: then the folder is free.
		if app.ErrorCode(err) != app.CodeUnavailable || time.Now().After(limit) {
			return nil, err
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
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

// repeat runs f as with does, and again when the back end that was attached to
// ended before it could be reached: for commands that do nothing twice.
func (p *program) repeat(ctx context.Context, f func(*backend) (int, error)) (int, error) {
	for {
		attached := false
		code, err := p.with(ctx, func(b *backend) (int, error) {
			attached = b.attached()
			return f(b)
		})
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" || !attached || ctx.Err() != nil {
			return code, err
		}
	}
}
