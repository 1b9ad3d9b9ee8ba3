package question_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/app"
)

// TestManyAskOnASlowRecord has 20 sessions ask at the same moment while every
// write takes half a second, one after the other: each card comes up, each
// answer goes to the one who asked, and nothing is lost for being slow.
func TestManyAskOnASlowRecord(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		one := make(chan struct{}, 1)
		w.records.failing(func(string) error {
			one <- struct{}{}
			time.Sleep(500 * time.Millisecond)
			<-one
			return nil
		})
		const sessions = 20
		var all []*asked
		for range sessions {
			w.begin()
			all = append(all, w.ask(w.clarify()))
		}
		start := time.Now()
		time.Sleep(sessions*500*time.Millisecond + time.Millisecond)
		synctest.Wait()
		shown := map[string]int{}
		for _, e := range w.take() {
			if in, ok := e.Data.(app.Interaction); ok {
				shown[in.ID]++
			}
		}
		for i, q := range all {
			if shown[q.id] != 1 || q.ended() {
				t.Errorf("question %d was shown %d times %v after it was asked, ended %v", i, shown[q.id], time.Since(start), q.ended())
			}
		}
		replies := make(chan error, sessions)
		for i, q := range all {
			go func() {
				_, err := w.answer(q.id, fmt.Sprintf("answer %d", i))
				replies <- err
			}()
		}
		for range all {
			w.must(<-replies)
		}
		for i, q := range all {
			if out := q.wait(); out.Text != fmt.Sprintf("answer %d", i) {
				t.Errorf("question %d got %+v", i, out)
			}
		}
	})
}

// TestTimeoutsLeaveNothing lets 200 questions time out: nothing of them stays
// with the desk. (The bubble that the test runs in has no end while a goroutine
// or a timer of one is left.)
func TestTimeoutsLeaveNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var all []*asked
		for range 200 {
			w.begin()
			all = append(all, w.ask(w.clarify()))
		}
		equal(t, w.Held(), 200)
		time.Sleep(5 * time.Minute)
		for _, q := range all {
			equal(t, q.wait().Reason, app.ReasonTimeout)
		}
		synctest.Wait()
		equal(t, w.Held(), 0)
	})
}

// TestClockIsSetByDays sets the wall clock by days while a question waits, and
// once more while Parley is not running: the time left is what has not passed,
// the times on the card follow the clock, and there is one end.
func TestClockIsSetByDays(t *testing.T) {
	const days = 72 * time.Hour
	for name, by := range map[string]time.Duration{"back": -days, "forward": days} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				ctx := context.Background()
				q := w.ask(w.clarify())
				before := w.get(q.id)
				time.Sleep(time.Minute)
				w.take()
				w.setClock(by)
				time.Sleep(time.Second)
				synctest.Wait()
				equal(t, w.types(), []string{"clarify.updated"})
				in := w.get(q.id)
				equal(t, []int64{in.RemainingTimeoutMS, in.DeadlineAt - before.DeadlineAt}, []int64{239_000, by.Milliseconds()})
				w.setClock(-by) // and back again
				time.Sleep(time.Second)
				synctest.Wait()
				in = w.get(q.id)
				equal(t, []int64{in.RemainingTimeoutMS, in.DeadlineAt - before.DeadlineAt}, []int64{238_000, 0})

				// A crash, the clock set before the next start.
				w.must(w.records.Close())
				w.setClock(by)
				w.open()
				in, err := w.records.Interaction(ctx, q.id)
				w.must(err)
				equal(t, []any{in.Outcome.Reason, in.Outcome.Cause, in.MovedOn(), in.RemainingTimeoutMS}, []any{app.ReasonCancelled, app.CauseRestart, true, int64(0)})
				_, err = w.answer(q.id, "late")
				w.must(err)
				in, err = w.records.Interaction(ctx, q.id)
				w.must(err)
				equal(t, []any{in.Late.Text, in.Outcome.Cause}, []any{"late", app.CauseRestart})
				resolved := 0
				for _, typ := range w.types() {
					if typ == "clarify.resolved" {
						resolved++
					}
				}
				equal(t, resolved, 1)
				waited, err := w.records.WaitedMS(ctx, w.turn)
				w.must(err)
				if waited < 0 || by < 0 && waited != 0 {
					t.Errorf("waited %d ms", waited)
				}
				q.stop(nil) // its Ask belonged to the process that is gone
				<-q.done
			})
		})
	}
}
