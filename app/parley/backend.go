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

// closeLimit is how long agents may take to end.
const closeLimit = 15 * time.Second

// backend is the back end behind a command: the one that lives in the data
// folder already, or one of this process.
type backend struct {
	*api.Client
	own *core.App // nil when attached
}

// connect attaches to the back end that runs, or starts one. A private one is
// found by nobody else and can run no agent.
func (p *program) connect(ctx context.Context, private bool) (*backend, error) {
	dirs, err := paths.Resolve(p.getenv)
	if err != nil {
		return nil, err
	}
	if !p.heeds { // nothing has begun yet, so that a first interrupt ends it
		var stop context.CancelFunc
		ctx, stop = p.untilInterrupt(ctx)
		defer stop()
	}
	own, err := core.Join(ctx, core.Config{Dirs: dirs, Page: frontend.Dist(), Getenv: p.getenv, Private: private})
	if err != nil {
		return nil, err
	}
	if own == nil {
		return &backend{Client: api.Dial(dirs.Socket())}, nil
	}
	b := &backend{Client: own.Client(), own: own}
	// Later commands attach or find all well: now is when it can be said.
	if about, err := b.About(ctx); err == nil {
		for _, problem := range about.Problems {
			p.say("! %s", plain(problem))
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

// with runs f on a back end and closes it afterwards. Others may have begun
// something in it meanwhile; then it stays until they are done.
func (p *program) with(ctx context.Context, f func(*backend) (int, error)) (int, error) {
	b, err := p.connect(ctx, false)
	if err != nil {
		return 0, err
	}
	code, err := f(b)
	p.stay(b)
	return code, errors.Join(err, b.Close())
}

// stay waits until an own back end is of no more use to anybody. The person, or
// the system, may end the wait.
func (p *program) stay(b *backend) {
	if b.attached() || p.hurry.Load() {
		return
	}
	ctx, stop := p.untilInterrupt(context.Background())
	defer stop()
	switch use := b.own.Use(ctx); {
	case use.Sessions > 0:
		p.say("Others work in the back end of this command (%s), so it stays until they are done. Ctrl-C ends them.", plural(use.Sessions, "session"))
	case use.Served:
		p.say("The page is served from the back end of this command, so it stays until that ends. Ctrl-C ends it.")
	}
	_ = b.own.Unused(ctx) // an error is the person's haste
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// look runs f, which only looks something up, as repeat does. A back end that it
// has to open is its own alone: what others begin in one must not end with it.
func (p *program) look(ctx context.Context, f func(*backend) (int, error)) (int, error) {
	return p.again(ctx, func() (int, error) {
		b, err := p.connect(ctx, true)
		if err != nil {
			return 0, err
		}
		code, err := f(b)
		return code, errors.Join(err, b.Close())
	})
}

// repeat runs f as with does, and again when the back end that was attached to
// took nothing, since it closes or has ended.
func (p *program) repeat(ctx context.Context, f func(*backend) (int, error)) (int, error) {
	return p.again(ctx, func() (int, error) { return p.with(ctx, f) })
}

func (p *program) again(ctx context.Context, try func() (int, error)) (int, error) {
	for {
		code, err := try()
		if !untaken(err) || ctx.Err() != nil {
			return code, err
		}
	}
}

// untaken reports whether a call was refused, or never reached anybody, so that
// nothing was done.
func untaken(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" || app.ErrorCode(err) == app.CodeClosing
}
