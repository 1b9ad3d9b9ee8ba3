package question_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/app"
	"parley/mcp"
)

func TestDeadlineIsExact(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		start := time.Now()
		q := w.ask(w.clarify())
		time.Sleep(5*time.Minute - time.Millisecond)
		equal(t, q.ended(), false)
		equal(t, w.get(q.id).RemainingTimeoutMS, int64(1))
		equal(t, q.wait().Reason, app.ReasonTimeout)
		equal(t, time.Since(start), 5*time.Minute)
	})
}

func TestLimitsFollowTheSettingsAndTheAgent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.limits = mcp.Limits{Deadline: time.Hour, MaxWait: time.Minute} // never under the deadline
		q := w.ask(w.clarify())
		in := w.get(q.id)
		equal(t, []int64{in.TimeoutMS, in.MaxDeadlineAt - in.RequestedAt}, []int64{3_600_000, 3_600_000})
		_, err := w.dismiss(q.id)
		w.must(err)

		hasty := w.clarify() // an agent that gives a call ten minutes
		hasty.MaxDeadlineAt = w.now().Add(10 * time.Minute).UnixMilli()
		q = w.ask(hasty)
		in = w.get(q.id)
		equal(t, []int64{in.TimeoutMS, in.DeadlineAt - in.RequestedAt, in.MaxDeadlineAt - in.RequestedAt}, []int64{600_000, 600_000, 600_000})
		time.Sleep(10 * time.Minute)
		equal(t, q.wait().Reason, app.ReasonTimeout)
	})
}

func TestMoreTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		w.limits = mcp.Limits{Deadline: 5 * time.Minute, MaxWait: 12 * time.Minute}
		start := time.Now()
		q := w.ask(w.clarify())
		w.take()
		time.Sleep(4 * time.Minute)
		in, err := w.MoreTime(ctx, q.id)
		w.must(err)
		asked := start.UnixMilli()
		equal(t, []int64{in.DeadlineAt - asked, in.RemainingTimeoutMS, in.MaxDeadlineAt - asked}, []int64{600_000, 360_000, 720_000})
		events := w.take()
		equal(t, events[0].Data.(app.InteractionUpdated), app.InteractionUpdated{
			InteractionID: q.id, ClarifyID: q.id, DeadlineAt: asked + 600_000, MaxDeadlineAt: asked + 720_000,
			RemainingTimeoutMS: 360_000, Cause: "more_time",
		})
		in, err = w.MoreTime(ctx, q.id) // up to the latest end
		w.must(err)
		equal(t, in.DeadlineAt-asked, int64(720_000))
		w.take()
		in, err = w.MoreTime(ctx, q.id) // there is no more to give, and nothing to tell
		w.must(err)
		equal(t, in.DeadlineAt-asked, int64(720_000))
		equal(t, len(w.take()), 0)
		equal(t, q.wait().Reason, app.ReasonTimeout)
		equal(t, time.Since(start), 12*time.Minute)
		_, err = w.MoreTime(ctx, newID())
		wantCode(t, err, app.CodeNotFound)
	})
}

func TestTypingGivesGrace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		start := time.Now()
		q := w.ask(w.clarify())
		w.take()
		type_ := func() time.Duration {
			t.Helper()
			in, err := w.Typing(ctx, q.id)
			w.must(err)
			return time.UnixMilli(in.DeadlineAt).Sub(start)
		}
		equal(t, type_(), 5*time.Minute) // too early
		time.Sleep(4*time.Minute + 29*time.Second)
		equal(t, type_(), 5*time.Minute) // 31 s left
		equal(t, len(w.take()), 0)
		time.Sleep(2 * time.Second)
		for n := 1; n <= 5; n++ {
			equal(t, type_(), time.Duration(5+n)*time.Minute)
			equal(t, type_(), time.Duration(5+n)*time.Minute) // not in the last 30 s any more
			equal(t, w.types(), []string{"clarify.updated"})
			time.Sleep(time.Minute)
		}
		equal(t, type_(), 10*time.Minute) // used up
		equal(t, q.wait().Reason, app.ReasonTimeout)
		equal(t, time.Since(start), 10*time.Minute)
	})
}

func TestGraceEndsAtTheLatestEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.limits = mcp.Limits{Deadline: 5 * time.Minute, MaxWait: 5*time.Minute + 20*time.Second}
		start := time.Now()
		q := w.ask(w.clarify())
		time.Sleep(4*time.Minute + 50*time.Second)
		in, err := w.Typing(context.Background(), q.id)
		w.must(err)
		equal(t, in.RemainingTimeoutMS, int64(30_000))
		q.wait()
		equal(t, time.Since(start), 5*time.Minute+20*time.Second)
	})
}

// TestClockIsSet sets the wall clock back and forward during a wait: the time
// left stays, the times on the card follow the clock, and there is one end.
func TestClockIsSet(t *testing.T) {
	for name, by := range map[string]time.Duration{"back": -10 * time.Minute, "forward": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				start := time.Now()
				q := w.ask(w.clarify())
				before := w.get(q.id)
				w.take()
				time.Sleep(2 * time.Minute)
				w.setClock(by)
				equal(t, w.get(q.id).RemainingTimeoutMS, int64(180_000)) // at once, though nothing was corrected yet
				time.Sleep(time.Second)
				synctest.Wait()
				equal(t, w.types(), []string{"clarify.updated"})
				in := w.get(q.id)
				equal(t, []int64{in.RemainingTimeoutMS, in.DeadlineAt - before.DeadlineAt, in.MaxDeadlineAt - before.MaxDeadlineAt},
					[]int64{179_000, by.Milliseconds(), by.Milliseconds()})
				stored, err := w.records.Interaction(context.Background(), q.id)
				w.must(err)
				equal(t, stored.RemainingTimeoutMS, int64(179_000)) // who reads the record sees it too
				equal(t, q.wait().Reason, app.ReasonTimeout)
				equal(t, time.Since(start), 5*time.Minute)
				equal(t, w.types(), []string{"clarify.resolved"})
			})
		})
	}
}

// TestComputerSleeps lets the computer sleep with three minutes left: time has
// passed, though no timer has run.
func TestComputerSleeps(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		time.Sleep(2 * time.Minute)
		w.sleep(time.Minute) // a nap
		time.Sleep(time.Second)
		equal(t, q.ended(), false)
		equal(t, w.get(q.id).RemainingTimeoutMS, int64(119_000))
		w.take()
		w.sleep(8 * time.Hour)
		woke := time.Now()
		equal(t, q.wait().Reason, app.ReasonTimeout)
		if after := time.Since(woke); after > time.Second {
			t.Errorf("the end was noticed %v after waking", after)
		}
		equal(t, w.types(), []string{"clarify.resolved"}) // and the clock was not "set"
	})
}

// TestAnswerAfterWaking answers before the desk has noticed that time is up:
// whoever takes it first settles it, once.
func TestAnswerAfterWaking(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		time.Sleep(4*time.Minute + 59*time.Second + 500*time.Millisecond)
		w.sleep(time.Hour)
		reply, err := w.answer(q.id, "still there")
		w.must(err)
		equal(t, reply.Late, false)
		equal(t, q.wait().Text, "still there")
		time.Sleep(10 * time.Second)
		equal(t, w.types(), []string{"clarify.requested", "clarify.resolved"})
	})
}

// TestAnswerAtTheLastMoment answers around the deadline in every way in which
// the two can meet: always one outcome, the same for all.
func TestAnswerAtTheLastMoment(t *testing.T) {
	for _, off := range []time.Duration{-time.Second, -100 * time.Millisecond, -1, 0, 1, 100 * time.Millisecond} {
		inWorld(t, func(t *testing.T, w *world) {
			q := w.ask(w.clarify())
			time.Sleep(5*time.Minute + off)
			reply, err := w.answer(q.id, "x")
			w.must(err) // in time or late, it is taken
			out := q.wait()
			recorded := w.get(q.id)
			equal(t, recorded.Outcome.Reason, out.Reason)
			equal(t, reply.Late, out.Reason == app.ReasonTimeout)
			equal(t, recorded.Late != nil, reply.Late)
			if off < 0 && reply.Late || off > 0 && !reply.Late {
				t.Errorf("%v around the deadline: late %v", off, reply.Late)
			}
		})
	}
}
