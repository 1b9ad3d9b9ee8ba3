package childapi

import (
	"context"
	"sync"

	"parley/app"
)

// callKey names a waiting call; a launch can't reach another's.
type callKey struct{ launch, call string }

// calls are the waiting calls.
type calls struct {
	mu     sync.Mutex // guards the fields below
	open   map[callKey]context.CancelCauseFunc
	closed bool
	empty  chan struct{} // closed once closed is set and open is empty
}

func newCalls() *calls {
	return &calls{open: map[callKey]context.CancelCauseFunc{}, empty: make(chan struct{})}
}

func (c *calls) add(key callKey, cancel context.CancelCauseFunc) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return app.Errorf(app.CodeUnavailable, "Parley is quitting, so nobody can be asked now. Go on without what depends on it, and say so.")
	}
	if _, twice := c.open[key]; twice {
		return app.Errorf(app.CodeInvalidArgument, "A call with this id waits already.")
	}
	c.open[key] = cancel
	return nil
}

func (c *calls) remove(key callKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, key)
	if c.closed && len(c.open) == 0 {
		close(c.empty)
	}
}

// cancel withdraws one call; false means that it doesn't wait.
func (c *calls) cancel(key callKey, cause app.Cause) bool {
	c.mu.Lock()
	cancel, ok := c.open[key]
	c.mu.Unlock()
	if ok {
		cancel(&app.Withdrawn{Cause: cause})
	}
	return ok
}

// close withdraws every call, takes no more, and returns when none waits or
// when ctx ends. It is called once.
func (c *calls) close(ctx context.Context, cause app.Cause) {
	c.mu.Lock()
	c.closed = true
	all := make([]context.CancelCauseFunc, 0, len(c.open))
	for _, cancel := range c.open {
		all = append(all, cancel)
	}
	if len(all) == 0 {
		close(c.empty)
	}
	c.mu.Unlock()
	for _, cancel := range all {
		cancel(&app.Withdrawn{Cause: cause})
	}
	select {
	case <-c.empty:
	case <-ctx.Done():
	}
}
