package question_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/question"
)

func (w *world) timedOut() *asked {
	w.t.Helper()
	q := w.ask(w.clarify())
	time.Sleep(5 * time.Minute)
	equal(w.t, q.wait().Reason, app.ReasonTimeout)
	w.take()
	return q
}

func TestLateAnswerBecomesOneMessage(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		q := w.timedOut()
		w.draft(q.id, app.Draft{Revision: 1, Text: "half"})
		var heard app.Answer
		w.late = func(ctx context.Context, in app.Interaction, a app.Answer) (app.TurnID, error) {
			heard = a
			return w.sendLate(ctx, in, a)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		accepted, refused := []app.Reply{}, 0
		_, err := w.answer(q.id, "", "none", "exponential")
		wantCode(t, err, app.CodeInvalidArgument) // a single choice stays one
		for range 10 {
			wg.Go(func() {
				reply, err := w.answer(q.id, " slower ", "none")
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					accepted = append(accepted, reply)
				} else if r, ok := errors.AsType[*question.Resolved](err); ok && r.Late != nil {
					refused++
				} else {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, []int{len(accepted), refused, len(w.sent)}, []int{1, 9, 1})
		reply := accepted[0]
		equal(t, []any{reply.Accepted, reply.Late, reply.TurnID, reply.Outcome.Reason}, []any{true, true, w.sent[0].ID, app.ReasonTimeout})
		equal(t, []any{heard.Selected, heard.Text}, []any{[]string{"none"}, "slower"})
		card := w.get(q.id)
		equal(t, card.Late, &app.Late{
			TurnID: w.sent[0].ID, Response: "none\nslower", Selected: []string{"none"}, Text: "slower",
			By: app.ByWindow, AnsweredAt: time.Now().UnixMilli(),
		})
		equal(t, card.Outcome.Reason, app.ReasonTimeout) // what was, was
		equal(t, []any{card.MovedOn(), card.Draft == nil}, []any{false, true})
		equal(t, w.types(), []string{"turn.queued", "clarify.late_answered"})
		// The message leaves for the agent.
		w.must(w.Delivered(ctx, q.id))
		equal(t, w.types(), []string{"clarify.delivered"})
	})
}

func TestWhatTakesNoLateAnswer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		refused := func(q *asked, kind string) {
			t.Helper()
			a := app.Answer{InteractionID: q.id, Status: app.StatusAnswered, Text: "x", Action: app.ActionAllowOnce}
			_, err := w.Answer(ctx, a)
			if _, ok := errors.AsType[*question.Resolved](err); !ok {
				t.Errorf("%s: %v", kind, err)
			}
		}
		q := w.ask(w.clarify())
		w.must(w.CancelTurn(ctx, w.turn, app.CauseTurnStopped))
		refused(q, "deliberately stopped")
		q = w.ask(w.clarify())
		_, err := w.dismiss(q.id)
		w.must(err)
		refused(q, "dismissed")
		approval := w.clarify()
		approval.Kind, approval.Approval = app.KindApproval, &app.Approval{Scopes: []app.Action{app.ActionAllowOnce}}
		q = w.ask(approval)
		time.Sleep(5*time.Minute + time.Second)
		refused(q, "stale approval")
		q.wait()
		elicitation := w.clarify()
		elicitation.Kind = app.KindElicitation
		q = w.ask(elicitation)
		time.Sleep(5*time.Minute + time.Second)
		refused(q, "stale elicitation")
		q.wait()
		equal(t, len(w.sent), 0)

		// Closing what has moved on, or sending blanks, sends nothing.
		q = w.timedOut()
		_, err = w.dismiss(q.id)
		wantCode(t, err, app.CodeAlreadyResolved)
		_, err = w.answer(q.id, "  ")
		wantCode(t, err, app.CodeInvalidArgument)
		equal(t, []any{len(w.sent), w.get(q.id).MovedOn()}, []any{0, true})
		w.must(w.Clear(ctx, q.id))
		equal(t, w.get(q.id).MovedOn(), false)
		waiting := w.ask(w.clarify())
		wantCode(t, w.Clear(ctx, waiting.id), app.CodeInvalidArgument)
		_, err = w.dismiss(waiting.id)
		w.must(err)
	})
}

func TestLateAnswerThatCannotBeSent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.timedOut()
		w.late = func(context.Context, app.Interaction, app.Answer) (app.TurnID, error) {
			return "", &app.Error{Code: app.CodeSessionClosed, Message: "This session is closed."}
		}
		_, err := w.answer(q.id, "x")
		wantCode(t, err, app.CodeSessionClosed)
		equal(t, w.get(q.id).MovedOn(), true)
		w.late = nil
		reply, err := w.answer(q.id, "x")
		w.must(err)
		equal(t, reply.Late, true)
	})
}

// TestCrashBetweenMessageAndRecord loses the record of a late answer whose
// message was stored: it must not go out twice, before or after the restart.
func TestCrashBetweenMessageAndRecord(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.timedOut()
		w.records.failOn("late")
		reply, err := w.answer(q.id, "x")
		w.must(err) // it is on its way
		equal(t, reply.Late, true)
		_, err = w.answer(q.id, "y")
		if r, ok := errors.AsType[*question.Resolved](err); !ok || r.Outcome.Reason != app.ReasonTimeout {
			t.Errorf("a second late answer: %v", err)
		}
		w.records.failing(nil)
		w.close()
		w.open()
		card := w.get(q.id)
		equal(t, []any{card.Late != nil, card.MovedOn(), card.Late.TurnID}, []any{true, false, w.sent[0].ID})
		_, err = w.answer(q.id, "z")
		wantCode(t, err, app.CodeAlreadyResolved)
		equal(t, len(w.sent), 1)
	})
}

func TestRestartLosesNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		q := w.ask(w.clarify())
		draft := app.Draft{Revision: 3, Selected: []string{"fixed"}, Text: "half an answ"}
		w.draft(q.id, draft)
		w.must(w.Seen(ctx, q.id))
		desk := w.Desk
		db := w.records.DB
		w.open() // a second opening, as after a kill
		card := w.get(q.id)
		equal(t, []any{card.Outcome.Reason, card.Outcome.Cause, card.MovedOn(), card.SeenAt > 0}, []any{app.ReasonCancelled, app.CauseRestart, true, true})
		equal(t, card.Draft, &draft)
		reply, err := w.answer(q.id, "half an answer", "fixed")
		w.must(err)
		equal(t, reply.Late, true)

		// The old process, could it still act, finds that it is over.
		_, err = desk.Answer(ctx, app.Answer{InteractionID: q.id, Status: app.StatusAnswered, Text: "old"})
		wantCode(t, err, app.CodeAlreadyResolved)
		equal(t, q.wait().Cause, app.CauseRestart)
		w.must(db.Close())
	})
}

// TestQuestionThatNobodyWaitsFor answers one that is open in the record and that
// no call waits for: the answer must not be taken as if one did.
func TestQuestionThatNobodyWaitsFor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.clarify()
		in.ID, in.RequestedAt = newID(), w.now().UnixMilli()
		w.must(w.records.DB.OpenInteraction(context.Background(), in))
		reply, err := w.answer(in.ID, "x")
		w.must(err)
		card := w.get(in.ID)
		equal(t, []any{reply.Late, len(w.sent), card.Outcome.Cause, card.Late != nil}, []any{true, 1, app.CauseConnectionClosed, true})

		form := in
		form.ID, form.Kind = newID(), app.KindForm
		w.must(w.records.DB.OpenInteraction(context.Background(), form))
		_, err = w.answer(form.ID, "x")
		wantCode(t, err, app.CodeInvalidFormAnswer)
		equal(t, w.get(form.ID).Waiting(), true)
	})
}

func TestDraftsAreBounded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		q := w.ask(w.clarify())
		long := make([]byte, 100_001)
		for i := range long {
			long[i] = 'x'
		}
		_, err := w.SaveDraft(ctx, q.id, app.Draft{Revision: 1, Text: string(long)})
		wantCode(t, err, app.CodeInvalidArgument)
		w.draft(q.id, app.Draft{Revision: 1, Text: string(long[1:])})
		_, err = w.answer(q.id, string(long))
		wantCode(t, err, app.CodeInvalidArgument)
		equal(t, q.ended(), false)
		_, err = w.answer(q.id, string(long[1:]))
		w.must(err)
		equal(t, len(q.wait().Text), 100_000)
	})
}
