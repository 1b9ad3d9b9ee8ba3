package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/app"
)

// Times of the stream.
const (
	// framePause is the least time between two frames of a client: 30 a second
	// look smooth, and more would keep the page from drawing.
	framePause = 33 * time.Millisecond
	// heartbeat keeps a proxy from closing a quiet stream, and finds a client
	// that is gone.
	heartbeat = 15 * time.Second
	// writeLimit ends the stream of a client that takes nothing.
	writeLimit = 30 * time.Second
)

// stream sends the present and then what happens, until the client goes, the
// bus closes or a write fails. When events were lost it subscribes anew, so that
// the client gets a present that the next events continue.
func (h *handler) stream(w http.ResponseWriter, r *http.Request) {
	snap, sub, err := h.subscribe(r.Context())
	if err != nil {
		h.fail(w, r, err)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	s := &frames{w: w, control: http.NewResponseController(w)}
	err = follow(r.Context(), s, Frame{Snapshot: &snap}, sub)
	for errors.Is(err, errLost) {
		if snap, sub, err = h.subscribe(r.Context()); err == nil {
			err = follow(r.Context(), s, Frame{Snapshot: &snap, Resync: true}, sub)
		}
	}
	h.Log.Debug("a stream ended", "door", doorOf(r.Context()), "err", err)
}

func (h *handler) subscribe(ctx context.Context) (app.Snapshot, Subscription, error) {
	snap, sub, err := h.Subscribe(func() (app.Snapshot, error) { return h.Records.Snapshot(ctx) })
	return h.present(snap), sub, err
}

// errLost ends a subscription that has lost events.
var errLost = errors.New("events were lost")

// follow sends the present and the events of one subscription and returns why
// that ended.
func follow(ctx context.Context, s *frames, present Frame, sub Subscription) error {
	defer sub.Close()
	if err := s.send(present); err != nil {
		return err
	}
	for {
		if err := pause(ctx, framePause); err != nil {
			return err
		}
		events, lost, err := next(ctx, sub)
		switch {
		case errors.Is(err, errQuiet):
			err = s.beat()
		case err != nil:
		case lost:
			err = errLost
		case len(events) > 0:
			err = s.send(Frame{Events: events})
		}
		if err != nil {
			return err
		}
	}
}

// errQuiet says that nothing happened for the time of a heartbeat.
var errQuiet = errors.New("nothing happened")

func next(ctx context.Context, sub Subscription) ([]app.Event, bool, error) {
	wait, cancel := context.WithTimeoutCause(ctx, heartbeat, errQuiet)
	defer cancel()
	events, lost, err := sub.Next(wait)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(wait), errQuiet) {
		return nil, false, errQuiet
	}
	return events, lost, err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// frames writes server-sent events.
type frames struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *frames) send(f Frame) error {
	body, err := json.Marshal(noNilLists(f))
	if err != nil {
		return err
	}
	return s.write("data: " + string(body) + "\n\n")
}

// beat sends a comment, which a client ignores.
func (s *frames) beat() error { return s.write(":\n\n") }

// write sends a piece at once. The window's asset server can neither flush
// (each write reaches the page by itself) nor limit a write.
func (s *frames) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
