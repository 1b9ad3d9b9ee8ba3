package core

import (
	"context"
	"time"
)

// useLook is how often it is looked whether a back end is still needed.
const useLook = 200 * time.Millisecond

// Use is what a back end is needed for. An open window or a watching command is
// no use: it goes on with the next back end.
type Use struct {
	Sessions int  // in which a turn is under way, also one that waits for a person
	Served   bool // browsers are served
}

// None reports whether it is needed for nothing.
func (u Use) None() bool { return u == Use{} }

// Use says what the back end is needed for now.
func (a *App) Use(ctx context.Context) Use {
	return Use{Sessions: a.sessions.AtWork(ctx), Served: a.gateway != nil && a.gateway.Serving()}
}

// Unused waits until the back end is needed for nothing and then lets nobody in
// any more: what follows is Close. It returns the cause of ctx when that ends
// first; then it goes on as before.
func (a *App) Unused(ctx context.Context) error {
	for {
		if a.Use(ctx).None() {
			// Who came in before the gate was shut may have begun something.
			if a.gate.Shut(ctx) && a.Use(ctx).None() && ctx.Err() == nil {
				return nil
			}
			a.gate.Open()
		}
		select {
		case <-time.After(useLook):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
