package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"parley/app"
	"parley/app/session"
)

// Whatever a person and an agent do to a session, in whatever order: at most
// one turn runs at a time, every turn that began has ended once, nothing that
// was sent is lost or overtakes what was sent before it, and in the end the
// session is idle.
func TestAnyOrderEndsIdle(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { anyOrder(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func anyOrder(t *testing.T, r *rand.Rand) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Wait.Stop = 200 * time.Millisecond })
	s := w.create(app.NewSession{})
	ctx := context.Background()
	scripts := []string{
		"say m hello", "tool t1\nwait", "delta m1 abc\napprove a1", "crash 1 boom", "broken", "tool t1\ndeaf",
		"native n1", "flood 300", "fork\nsay m x", "tool t1\ntoolend t1 x\nsay m y",
	}
	var sent []app.TurnID
	closed := false
	for range 20 {
		switch r.IntN(10) {
		default:
			turn, _, err := w.m.Send(ctx, s.ID, app.Input{Text: scripts[r.IntN(len(scripts))], Steer: r.IntN(8) == 0})
			switch {
			case closed && app.ErrorCode(err) == app.CodeSessionClosed:
			case err != nil:
				t.Fatal(err)
			case !slices.Contains(sent, turn): // else it was steered
				sent = append(sent, turn)
			}
		case 1, 2:
			if err := w.m.Stop(ctx, s.ID); err != nil {
				t.Fatal(err)
			}
		case 3:
			if list, err := w.m.Processes(s.ID); err != nil {
				t.Fatal(err)
			} else if len(list) > 0 {
				if p, err := os.FindProcess(list[0].PID); err == nil {
					p.Kill()
				}
			}
		case 4:
			open, err := w.db.Interactions(ctx, app.InteractionFilter{State: app.InteractionsWaiting})
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range open {
				ans := app.Answer{InteractionID: in.ID, Status: app.StatusCancelled}
				if _, err := w.desk.Answer(ctx, ans); err != nil && app.ErrorCode(err) != app.CodeAlreadyResolved {
					t.Fatal(err)
				}
			}
		case 5:
			if err := w.m.Resume(ctx, s.ID); err != nil {
				t.Fatal(err)
			}
			closed = false
		case 6:
			if r.IntN(3) == 0 {
				if err := w.m.Close(ctx, s.ID); err != nil {
					t.Fatal(err)
				}
				closed = true
			}
		}
	}
	// Everything that waits is worked off, whatever the turns are like.
	for got := w.session(s.ID); ; got = w.session(s.ID) {
		if got.State == app.StateIdle {
			if len(got.Queued) == 0 {
				break
			}
			if err := w.m.Resume(ctx, s.ID); err != nil {
				t.Fatal(err)
			}
			continue
		}
		before := ended(w.tape.All())
		w.tape.Wait("a start", func(app.Event) bool { return w.session(s.ID).State != app.StateStarting })
		if err := w.m.Stop(ctx, s.ID); err != nil {
			t.Fatal(err)
		}
		w.tape.Wait("an end", func(app.Event) bool { return ended(w.tape.All()) > before || w.session(s.ID).State == app.StateIdle })
	}

	// What is committed is published a moment later.
	last := w.session(s.ID).LastSeq
	w.tape.Wait("the last event", func(e app.Event) bool { return e.Seq == last })

	var began []app.TurnID
	running, next := "", int64(1)
	for _, e := range w.tape.All() {
		if e.Durable() {
			if e.Seq != next {
				t.Fatalf("event %d follows %d", e.Seq, next-1)
			}
			next++
		}
		switch e.Type {
		case app.EventTurnStarted:
			if running != "" {
				t.Fatalf("turn %s began while %s ran", e.TurnID, running)
			}
			running = e.TurnID
			began = append(began, e.TurnID)
		case app.EventTurnCompleted:
			if running != e.TurnID {
				t.Fatalf("turn %s ended while %q ran", e.TurnID, running)
			}
			running = ""
		}
	}
	if running != "" || !slices.Equal(began, sent) {
		t.Fatalf("running %q, began %v, sent %v", running, began, sent)
	}
	if list, err := w.db.Interactions(ctx, app.InteractionFilter{State: app.InteractionsWaiting}); err != nil || len(list) > 0 {
		t.Fatalf("still waiting: %v, %v", list, err)
	}
}

func ended(events []app.Event) int {
	n := 0
	for _, e := range events {
		if e.Type == app.EventTurnCompleted {
			n++
		}
	}
	return n
}
