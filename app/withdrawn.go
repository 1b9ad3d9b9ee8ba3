package app

import (
	"context"
	"errors"
)

// Withdrawn is the cause of a context (context.WithCancelCause) whose end takes
// a waiting interaction back. The desk settles it as cancelled and records the
// Cause. It lives here because whoever waits for a person (the child endpoints,
// a session, an adapter's host) knows the cause and none of them knows the desk.
type Withdrawn struct{ Cause Cause }

// Error implements error.
func (w *Withdrawn) Error() string { return "withdrawn: " + string(w.Cause) }

// WithdrawnBy tells why ctx ended: the cause of a Withdrawn, else otherwise.
func WithdrawnBy(ctx context.Context, otherwise Cause) Cause {
	if w, ok := errors.AsType[*Withdrawn](context.Cause(ctx)); ok {
		return w.Cause
	}
	return otherwise
}
