package apptest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
)

// Patience bounds every wait of a test. Nothing passes or fails by being
// quicker; it only says when to give up.
const Patience = 3 * time.Minute

// Tape is every event in the order in which it came. Waiting for one is a
// test's receipt that something has happened.
type Tape struct {
	tb      testing.TB
	mu      sync.Mutex // guards the fields below
	events  []app.Event
	changed chan struct{} // closed by the next event
}

// NewTape makes an empty tape.
func NewTape(tb testing.TB) *Tape { return &Tape{tb: tb, changed: make(chan struct{})} }

// Follow records what a back end sends from now on, until the test ends.
func Follow(tb testing.TB, c *api.Client) *Tape {
	tb.Helper()
	t := NewTape(tb)
	ctx, cancel := context.WithCancel(context.Background())
	ended, began := make(chan struct{}), make(chan struct{})
	tb.Cleanup(func() {
		cancel()
		<-ended
	})
	var once sync.Once
	go func() {
		defer close(ended)
		err := c.Follow(ctx, func(f api.Frame) {
			once.Do(func() { close(began) })
			t.Add(f.Events)
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			tb.Log("the stream ended:", err)
		}
	}()
	select {
	case <-began:
	case <-time.After(Patience):
		tb.Fatal("the stream does not begin")
	}
	return t
}

// Publish adds one event.
func (t *Tape) Publish(e app.Event) { t.Add([]app.Event{e}) }

// Add adds events.
func (t *Tape) Add(events []app.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, events...)
	close(t.changed)
	t.changed = make(chan struct{})
}

// All are the events so far.
func (t *Tape) All() []app.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}

// Wait returns the first event that fits, from the beginning of the tape on.
func (t *Tape) Wait(what string, fits func(app.Event) bool) app.Event {
	t.tb.Helper()
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for seen := 0; ; {
		t.mu.Lock()
		events, changed := t.events, t.changed
		t.mu.Unlock()
		for ; seen < len(events); seen++ {
			if fits(events[seen]) {
				return events[seen]
			}
		}
		select {
		case <-changed:
		case <-limit.C:
			for _, e := range events {
				data, _ := json.Marshal(e.Data)
				t.tb.Logf("%d %s %.160s", e.Seq, e.Type, data)
			}
			t.tb.Fatalf("waited in vain for %s", what)
		}
	}
}

// Ended waits for the end of a turn.
func (t *Tape) Ended(turn app.TurnID) app.TurnEnded {
	t.tb.Helper()
	e := t.Wait("the end of turn "+turn, func(e app.Event) bool { return e.Type == app.EventTurnCompleted && e.TurnID == turn })
	end, _ := Data[app.TurnEnded](e)
	return end
}

// Asked waits for a turn's first question of a kind.
func (t *Tape) Asked(turn app.TurnID, kind app.Kind) app.Interaction {
	t.tb.Helper()
	e := t.Wait("a "+string(kind)+" of turn "+turn, func(e app.Event) bool {
		in, ok := Data[app.Interaction](e)
		return ok && e.Type == app.InteractionEvent(kind, app.StepRequested) && in.RunID == turn
	})
	in, _ := Data[app.Interaction](e)
	return in
}

// Data is an event's payload if it is a T. It is a value where the event was
// made and a pointer where it was read from the wire.
func Data[T any](e app.Event) (T, bool) {
	switch d := any(e.Data).(type) {
	case T:
		return d, true
	case *T:
		return *d, true
	}
	var zero T
	return zero, false
}
