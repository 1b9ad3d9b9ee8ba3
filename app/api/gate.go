package api

import (
	"context"
	"sync"

	"parley/app"
)

// Gate lets calls in until it is shut, so that a back end ends between calls
// and not in the middle of one. Who is refused knows that nothing was done.
type Gate struct {
	over context.Context // ends when calls under way are cut short
	cut  context.CancelCauseFunc

	mu    sync.Mutex // guards the fields below
	shut  bool
	under int           // calls under way that end by themselves
	none  chan struct{} // closed when none is under way; nil while nobody waits for that
}

// errClosing refuses a call before anything of it was done.
var errClosing = app.Errorf(app.CodeClosing, "Parley is closing. Try again in a moment.")

// NewGate makes a gate that is open.
func NewGate() *Gate {
	g := &Gate{}
	g.over, g.cut = context.WithCancelCause(context.Background())
	return g
}

// enter lets a call in; leave must be called at its end. The context that the
// call gets ends with ctx and with Cut. One that stays open until its caller or
// the back end goes is let in and not waited for.
func (g *Gate) enter(ctx context.Context, stays bool) (_ context.Context, leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return ctx, nil, errClosing
	}
	if stays {
		return ctx, func() {}, nil
	}
	g.under++
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(g.over, func() { cancel(errClosing) })
	return ctx, func() {
		stop()
		cancel(nil)
		g.left()
	}, nil
}

func (g *Gate) left() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.under--; g.under == 0 && g.none != nil {
		close(g.none)
		g.none = nil
	}
}

// Shut refuses calls from now on, with app.CodeClosing, and returns when those
// under way have ended, or false when ctx ends first.
func (g *Gate) Shut(ctx context.Context) bool {
	g.mu.Lock()
	g.shut = true
	if g.under == 0 {
		g.mu.Unlock()
		return true
	}
	if g.none == nil {
		g.none = make(chan struct{})
	}
	none := g.none
	g.mu.Unlock()
	select {
	case <-none:
		return true
	case <-ctx.Done():
		return false
	}
}

// Open lets calls in again.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
}

// Cut ends the contexts of the calls under way, which then fail with
// app.CodeClosing whatever they fail with. It is for good.
func (g *Gate) Cut() { g.cut(errClosing) }
