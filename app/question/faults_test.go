package question_test

import (
	"context"
	"testing"
	"time"

	"parley/app"
)

// TestAnswerThatCannotBeStored: it isn't accepted, the question stays open, and
// the same answer goes through once the record works again.
func TestAnswerThatCannotBeStored(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		w.records.failOn("settle")
		for range 20 {
			reply, err := w.answer(q.id, "important")
			wantCode(t, err, app.CodeStorageFailed)
			equal(t, reply, app.Reply{})
		}
		equal(t, q.ended(), false)
		equal(t, w.get(q.id).Waiting(), true)
		equal(t, w.types(), []string{"clarify.requested"})
		w.records.failing(nil)
		_, err := w.answer(q.id, "important")
		w.must(err)
		equal(t, q.wait().Text, "important")
	})
}

func TestMoreTimeThatCannotBeStored(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		start := time.Now()
		q := w.ask(w.clarify())
		w.records.failOn("move")
		_, err := w.MoreTime(context.Background(), q.id)
		wantCode(t, err, app.CodeStorageFailed)
		equal(t, q.wait().Reason, app.ReasonTimeout)
		equal(t, time.Since(start), 5*time.Minute) // what isn't stored doesn't count
	})
}

// TestTimeoutThatCannotBeStored keeps the question open, and still answerable,
// until the end can be recorded.
func TestTimeoutThatCannotBeStored(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		w.records.failOn("settle")
		time.Sleep(5*time.Minute + 30*time.Second)
		equal(t, q.ended(), false)
		w.records.failing(nil)
		time.Sleep(time.Second)
		equal(t, q.ended(), true)
		equal(t, q.wait().Reason, app.ReasonTimeout)

		q = w.ask(w.clarify())
		w.records.failOn("settle")
		time.Sleep(6 * time.Minute)
		w.records.failing(nil)
		_, err := w.answer(q.id, "x")
		w.must(err)
		equal(t, q.wait().Text, "x")
	})
}

// TestWithdrawalThatCannotBeStored lets an agent go while the record is broken.
// Nobody waits then; whoever touches the question next must find it ended, and
// no answer may be taken as if the agent were there.
func TestWithdrawalThatCannotBeStored(t *testing.T) {
	abandoned := func(w *world) *asked {
		in := w.clarify()
		in.ToolUseID = "toolu_1"
		q := w.ask(in)
		w.records.failOn("settle")
		q.stop(nil)
		equal(w.t, q.wait().Reason, app.ReasonCancelled)
		equal(w.t, w.get(q.id).Waiting(), true)
		return q
	}
	ended := func(w *world, q *asked) {
		w.t.Helper()
		in := w.get(q.id)
		if in.Outcome == nil || in.Outcome.Cause != app.CauseConnectionClosed {
			w.t.Fatalf("outcome: %+v", in.Outcome)
		}
	}
	for name, touch := range map[string]func(t *testing.T, w *world, q *asked){
		"answered": func(t *testing.T, w *world, q *asked) {
			_, err := w.answer(q.id, "x") // still broken: not accepted
			wantCode(t, err, app.CodeStorageFailed)
			w.records.failing(nil)
			reply, err := w.answer(q.id, "x")
			w.must(err)
			equal(t, reply.Late, true)
			equal(t, len(w.sent), 1)
		},
		"next question": func(t *testing.T, w *world, q *asked) {
			next := w.ask(w.clarify())
			next.wait()
			wantCode(t, next.err, app.CodeStorageFailed)
			w.records.failing(nil)
			next = w.ask(w.clarify())
			equal(t, next.ended(), false)
			_, err := w.dismiss(next.id)
			w.must(err)
		},
		"same call again": func(t *testing.T, w *world, q *asked) {
			w.records.failing(nil)
			in := w.clarify()
			in.ToolUseID = "toolu_1"
			next := w.ask(in) // a card of its own: the first has ended
			equal(t, next.ended(), false)
			equal(t, w.get(next.id).Waiting(), true)
			_, err := w.dismiss(next.id)
			w.must(err)
		},
		"turn ends": func(t *testing.T, w *world, q *asked) {
			w.records.failing(nil)
			w.must(w.CancelTurn(context.Background(), w.turn, app.CauseTurnEnded))
		},
		"more time": func(t *testing.T, w *world, q *asked) {
			w.records.failing(nil)
			_, err := w.MoreTime(context.Background(), q.id)
			wantCode(t, err, app.CodeAlreadyResolved)
		},
		"cleared": func(t *testing.T, w *world, q *asked) {
			w.records.failing(nil)
			w.must(w.Clear(context.Background(), q.id))
			equal(t, w.get(q.id).MovedOn(), false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				q := abandoned(w)
				touch(t, w, q)
				ended(w, q)
				equal(t, w.Held(), 0)
			})
		})
	}
}

func TestSessionDeletedUnderAQuestion(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		w.must(w.records.DeleteSession(context.Background(), w.session))
		w.must(w.CancelTurn(context.Background(), w.turn, app.CauseSessionClosed))
		equal(t, q.wait().Reason, app.ReasonCancelled)
		equal(t, w.Held(), 0)
	})
}

// TestAnswerInTheMomentOfTheEnd answers while the agent's connection breaks. The
// answer stands, and since it reached nobody it can go out as a message.
func TestAnswerInTheMomentOfTheEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.clarify()
		in.ToolUseID = "toolu_1"
		q := w.ask(in)
		w.records.failing(func(call string) error {
			if call == "settle" {
				q.stop(nil) // while the answer is being stored
				time.Sleep(time.Second)
			}
			return nil
		})
		reply, err := w.answer(q.id, "and more", "fixed")
		w.must(err)
		equal(t, reply.Accepted, true)
		equal(t, q.wait().Reason, app.ReasonResponse)
		w.records.failing(nil)
		equal(t, w.types(), []string{"clarify.requested", "clarify.resolved", "clarify.updated"})
		card := w.get(q.id)
		equal(t, card.MovedOn(), true)
		equal(t, card.Draft, &app.Draft{Selected: []string{"fixed"}, Text: "and more"})

		reply, err = w.answer(q.id, "and more", "fixed")
		w.must(err)
		equal(t, []any{reply.Late, len(w.sent)}, []any{true, 1})
		card = w.get(q.id)
		equal(t, []any{card.MovedOn(), card.Outcome.Reason, card.Late.Response}, []any{false, app.ReasonResponse, "fixed\nand more"})
		_, err = w.answer(q.id, "again")
		wantCode(t, err, app.CodeAlreadyResolved)

		// The call, repeated, gets a question of its own: its answer has gone out.
		next := w.ask(in)
		equal(t, next.ended(), false)
		_, err = w.dismiss(next.id)
		w.must(err)

		// An approval never acts later.
		approval := in
		approval.Kind, approval.Approval = app.KindApproval, &app.Approval{Scopes: []app.Action{app.ActionAllowOnce}}
		q = w.ask(approval)
		w.records.failing(func(call string) error {
			if call == "settle" {
				q.stop(nil)
				time.Sleep(time.Second)
			}
			return nil
		})
		_, err = w.Answer(context.Background(), app.Answer{InteractionID: q.id, Status: app.StatusAnswered, Action: app.ActionAllowOnce})
		w.must(err)
		q.wait()
		equal(t, w.get(q.id).MovedOn(), false)
	})
}
