package secrets

import (
	"context"
	"errors"
	"time"

	"github.com/zalando/go-keyring"

	"parley/app"
)

// ringLimit is how long the keyring may take for one secret. A locked one asks
// the person for a password.
const ringLimit = 60 * time.Second

// ring is the system's keyring. It is asked one thing at a time: some services
// fail when several connections open sessions at once.
type ring struct {
	service string // under which the secrets stand there
	getenv  func(string) string
	limit   time.Duration
	turn    chan struct{} // holds who is asking; a call that hangs keeps it
}

func newRing(service string, getenv func(string) string) *ring {
	return &ring{service: service, getenv: getenv, limit: ringLimit, turn: make(chan struct{}, 1)}
}

func (r *ring) set(ctx context.Context, ref app.SecretRef, value string) error {
	_, err := r.ask(ctx, func() (string, error) { return "", keyring.Set(r.service, key(ref), value) })
	return err
}

func (r *ring) get(ctx context.Context, ref app.SecretRef) (string, error) {
	return r.ask(ctx, func() (string, error) { return keyring.Get(r.service, key(ref)) })
}

// remove also succeeds where the secret has gone already.
func (r *ring) remove(ctx context.Context, ref app.SecretRef) error {
	_, err := r.ask(ctx, func() (string, error) {
		if err := keyring.Delete(r.service, key(ref)); !errors.Is(err, keyring.ErrNotFound) {
			return "", err
		}
		return "", nil
	})
	return err
}

// ask runs one call of the keyring, which knows no context: one that hangs is
// left behind, and those after it are told.
func (r *ring) ask(ctx context.Context, call func() (string, error)) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.limit,
		app.Errorf(app.CodeUnavailable, "The system's keyring does not answer. It may be waiting for you to unlock it."))
	defer cancel()
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if !r.there(ctx) {
		<-r.turn
		return "", app.Errorf(app.CodeUnavailable, "The system's keyring is not there. Secrets that it holds can be had once it runs again.")
	}
	type reply struct {
		value string
		err   error
	}
	done := make(chan reply, 1)
	go func() {
		defer func() { <-r.turn }()
		value, err := call()
		done <- reply{value, err}
	}()
	select {
	case got := <-done:
		if errors.Is(got.err, keyring.ErrNotFound) {
			return "", app.Errorf(app.CodeUnavailable, "The system's keyring no longer holds this secret. Store it again.")
		}
		if got.err != nil {
			return "", app.Errorf(app.CodeUnavailable, "The system's keyring refused: %w", got.err)
		}
		return got.value, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
