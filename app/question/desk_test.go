package question_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/app"
	"parley/app/question"
	"parley/mcp"
)

func TestAnswerReachesWhoAsked(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.clarify()
		in.Agent, in.SaidBefore, in.PlanStep = "claude", "I need to know", "3/5 decide"
		q := w.ask(in)
		events := w.take()
		equal(t, len(events), 1)
		shown := events[0].Data.(app.Interaction)
		equal(t, events[0].Type, app.EventType("clarify.requested"))
		now := time.Now().UnixMilli()
		want := in
		want.ID, want.ClarifyID, want.Choices = q.id, q.id, []string{"exponential", "fixed", "none"}
		want.RequestedAt, want.TimeoutMS, want.RemainingTimeoutMS = now, 300_000, 300_000
		want.DeadlineAt, want.MaxDeadlineAt = now+300_000, now+3_600_000
		equal(t, shown, want)
		equal(t, w.get(q.id), want) // recorded when it is shown
		equal(t, q.ended(), false)

		time.Sleep(10 * time.Second)
		reply, err := w.answer(q.id, "  but slower ", "fixed")
		w.must(err)
		out := app.Outcome{
			Reason: app.ReasonResponse, Cause: app.CausePerson, Response: "fixed\nbut slower", Selected: []string{"fixed"},
			Text: "but slower", By: app.ByWindow, ResolvedAt: now + 10_000,
		}
		equal(t, reply, app.Reply{Accepted: true, Outcome: &out})
		returned := q.wait()
		w.must(q.err)
		equal(t, w.get(q.id).Outcome, &out)
		equal(t, returned.InteractionID, q.id)
		returned.InteractionID = ""
		equal(t, returned, out)
		equal(t, w.types(), []string{"clarify.resolved"})

		w.must(w.Delivered(context.Background(), q.id))
		w.must(w.Delivered(context.Background(), q.id))
		equal(t, w.types(), []string{"clarify.delivered"})
		equal(t, w.Held(), 0)
	})
}

func TestEndsWithoutAnAnswer(t *testing.T) {
	type end struct {
		Reason app.Reason
		Cause  app.Cause
	}
	for name, c := range map[string]struct {
		end  func(t *testing.T, w *world, q *asked)
		want end
	}{
		"dismissed": {func(t *testing.T, w *world, q *asked) {
			reply, err := w.dismiss(q.id)
			w.must(err)
			equal(t, reply.Accepted, true)
		}, end{app.ReasonDismissed, app.CausePerson}},
		"blanks": {func(t *testing.T, w *world, q *asked) {
			_, err := w.answer(q.id, " \t\n\u00a0\u200b\ufeff\x00")
			w.must(err)
		}, end{app.ReasonDismissed, app.CausePerson}},
		"nothing at all": {func(t *testing.T, w *world, q *asked) {
			_, err := w.answer(q.id, "")
			w.must(err)
		}, end{app.ReasonDismissed, app.CausePerson}},
		"time": {func(t *testing.T, w *world, q *asked) { time.Sleep(5 * time.Minute) },
			end{app.ReasonTimeout, app.CauseDeadline}},
		"connection": {func(t *testing.T, w *world, q *asked) { q.stop(nil) },
			end{app.ReasonCancelled, app.CauseConnectionClosed}},
		"named cause": {func(t *testing.T, w *world, q *asked) { q.stop(&app.Withdrawn{Cause: app.CauseMCPCancelled}) },
			end{app.ReasonCancelled, app.CauseMCPCancelled}},
		"turn": {func(t *testing.T, w *world, q *asked) {
			w.must(w.CancelTurn(context.Background(), newID(), app.CauseTurnEnded)) // another's end changes nothing
			equal(t, q.ended(), false)
			w.must(w.CancelTurn(context.Background(), w.turn, app.CauseTurnStopped))
		}, end{app.ReasonCancelled, app.CauseTurnStopped}},
		"quit": {func(t *testing.T, w *world, q *asked) { w.must(w.CancelAll(context.Background(), app.CauseQuit)) },
			end{app.ReasonCancelled, app.CauseQuit}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				q := w.ask(w.clarify())
				c.end(t, w, q)
				out := q.wait()
				w.must(q.err)
				equal(t, end{out.Reason, out.Cause}, c.want)
				// No end without an answer carries one, not even the recommended.
				if out.Response != "" || len(out.Selected) > 0 || out.Text != "" || out.Action != "" {
					t.Errorf("an answer came along: %+v", out)
				}
				equal(t, w.get(q.id).Outcome.Reason, c.want.Reason)
				equal(t, w.types(), []string{"clarify.requested", "clarify.resolved"})
				equal(t, w.Held(), 0)
			})
		})
	}
}

func TestGoneCallerAsksNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&app.Withdrawn{Cause: app.CauseTurnEnded})
		out, err := w.Ask(ctx, w.clarify())
		w.must(err)
		equal(t, []any{out.Reason, out.Cause}, []any{app.ReasonCancelled, app.CauseTurnEnded})
		equal(t, len(w.take()), 0)
	})
}

func TestRefusedQuestionsAreNotShown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		stale := w.clarify()
		stale.RunID = newID()
		q := w.ask(stale)
		q.wait()
		wantCode(t, q.err, app.CodeNotFound)
		w.must(w.records.EndTurn(context.Background(), w.turn, app.TurnEnded{Status: app.TurnCompleted}))
		w.take()
		q = w.ask(w.clarify())
		q.wait()
		wantCode(t, q.err, app.CodeNoActiveTurn)
		w.records.failOn("open")
		q = w.ask(w.clarify())
		q.wait()
		wantCode(t, q.err, app.CodeStorageFailed)
		form := w.clarify()
		form.Kind = app.KindForm
		if q = w.ask(form); q.wait().Reason != "" || q.err == nil {
			t.Errorf("a form was asked as a waiting question: %v", q.err)
		}
		equal(t, len(w.take()), 0)
		equal(t, w.Held(), 0)
	})
}

func TestOneClarifyAtATime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := w.ask(w.clarify())
		second := w.ask(w.clarify())
		second.wait()
		wantCode(t, second.err, app.CodeAlreadyPending)

		// Approvals, native questions and elicitations stand beside it.
		var beside []*asked
		for _, kind := range []app.Kind{app.KindApproval, app.KindApproval, app.KindNative, app.KindElicitation} {
			in := w.clarify()
			in.Kind = kind
			beside = append(beside, w.ask(in))
		}
		// And other sessions ask what they like, in the same words.
		mine, myTurn := w.session, w.turn
		w.begin()
		other := w.ask(w.clarify())
		w.session, w.turn = mine, myTurn

		_, err := w.answer(other.id, "other")
		w.must(err)
		_, err = w.answer(first.id, "first")
		w.must(err)
		equal(t, []string{other.wait().Text, first.wait().Text}, []string{"other", "first"})
		for _, q := range beside {
			equal(t, q.ended(), false)
		}
		third := w.ask(w.clarify())
		equal(t, third.ended(), false)
		w.must(w.CancelTurn(context.Background(), w.turn, app.CauseTurnEnded))
		for _, q := range append(beside, third) {
			equal(t, q.wait().Reason, app.ReasonCancelled)
		}
	})
}

func TestFirstOfManyAnswersWins(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.clarify())
		var wg sync.WaitGroup
		var mu sync.Mutex
		var accepted []string
		var refused []*question.Resolved
		for i := range 20 {
			wg.Go(func() {
				text := string(rune('a' + i))
				_, err := w.answer(q.id, text)
				mu.Lock()
				defer mu.Unlock()
				if r, ok := errors.AsType[*question.Resolved](err); ok {
					refused = append(refused, r)
				} else if err == nil {
					accepted = append(accepted, text)
				} else {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(accepted) != 1 || len(refused) != 19 {
			t.Fatalf("%d accepted, %d refused", len(accepted), len(refused))
		}
		out := q.wait()
		equal(t, out.Text, accepted[0])
		for _, r := range refused { // every other client learns what was accepted
			equal(t, r.Outcome.Text, accepted[0])
			wantCode(t, r, app.CodeAlreadyResolved)
			equal(t, app.ErrorMessage(r), "This was answered already in the window.")
		}
		equal(t, w.types(), []string{"clarify.requested", "clarify.resolved"})
		_, err := w.MoreTime(context.Background(), q.id)
		wantCode(t, err, app.CodeAlreadyResolved)
		_, err = w.Typing(context.Background(), q.id)
		wantCode(t, err, app.CodeAlreadyResolved)
	})
}

func TestAnswersMeantForSomethingElse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.clarify()
		in.ToolUseID = "toolu_1"
		q := w.ask(in)
		for name, a := range map[string]app.Answer{
			"another session": {InteractionID: q.id, SessionID: newID(), Status: app.StatusAnswered, Text: "x"},
			"another call":    {InteractionID: q.id, ToolUseID: "toolu_2", Status: app.StatusAnswered, Text: "x"},
			"no status":       {InteractionID: q.id, Text: "x"},
		} {
			_, err := w.Answer(context.Background(), a)
			if app.ErrorCode(err) != app.CodeInvalidArgument {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := w.answer(newID(), "x")
		wantCode(t, err, app.CodeNotFound)
		equal(t, q.ended(), false)
		_, err = w.Answer(context.Background(), app.Answer{
			InteractionID: q.id, SessionID: w.session, ToolUseID: "toolu_1", Status: app.StatusAnswered, Text: "x",
		})
		w.must(err)
		equal(t, q.wait().Text, "x")
	})
}

func TestRepeatedCallsMakeOneCard(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.clarify()
		in.ToolUseID = "toolu_1"
		first := w.ask(in)
		again := w.ask(in)
		equal(t, w.types(), []string{"clarify.requested"})
		first.stop(nil) // the CLI gives up the call that it repeated
		equal(t, first.wait().Reason, app.ReasonCancelled)
		equal(t, again.ended(), false)
		_, err := w.answer(first.id, "x")
		w.must(err)
		out := again.wait()
		equal(t, []string{out.Text, out.InteractionID}, []string{"x", first.id})
		equal(t, w.types(), []string{"clarify.resolved"})

		// The answer never got through, and the call is repeated: it has it.
		third := w.ask(in)
		out = third.wait()
		w.must(third.err)
		equal(t, []string{out.Text, out.InteractionID}, []string{"x", first.id})
		equal(t, w.types(), []string{"clarify.delivered"})

		// Handed out once. The same id again is a new question, as is the same
		// text under another id, or other text under this one.
		fourth := w.ask(in)
		equal(t, fourth.ended(), false)
		equal(t, w.types(), []string{"clarify.requested"})
		_, err = w.dismiss(fourth.id)
		w.must(err)
		w.take()

		approval := app.Interaction{Kind: app.KindApproval, SessionID: w.session, RunID: w.turn, ToolUseID: "toolu_2",
			Approval: &app.Approval{Tool: "Bash", Command: "ls", Scopes: []app.Action{app.ActionAllowOnce}}}
		other := approval
		other.Approval = &app.Approval{Tool: "Bash", Command: "rm -r .", Scopes: []app.Action{app.ActionAllowOnce}}
		other2 := approval
		other2.ToolUseID = "toolu_3"
		for _, a := range []app.Interaction{approval, other, other2} {
			w.ask(a)
		}
		equal(t, w.types(), []string{"approval.requested", "approval.requested", "approval.requested"})
		w.must(w.CancelAll(context.Background(), app.CauseQuit))
	})
}

// TestRepeatedCallOutlivesTheFirst repeats a call while its card is being
// written, and lets the first go before that is done.
func TestRepeatedCallOutlivesTheFirst(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		hold := make(chan struct{})
		w.records.failing(func(call string) error {
			if call == "open" {
				<-hold
			}
			return nil
		})
		in := w.clarify()
		in.ToolUseID = "toolu_1"
		first, again := w.ask(in), w.ask(in)
		first.stop(nil)
		close(hold)
		equal(t, first.wait().Reason, app.ReasonCancelled)
		equal(t, again.ended(), false)
		_, err := w.answer(first.id, "x")
		w.must(err)
		equal(t, again.wait().Text, "x")
		equal(t, w.types(), []string{"clarify.requested", "clarify.resolved"})
	})
}

// TestQuestionsAskedWhileTheTurnIsCancelled cancels a turn while the record of a
// question of it is being written: the question must not outlive the turn.
func TestQuestionsAskedWhileTheTurnIsCancelled(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		hold := make(chan struct{})
		w.records.failing(func(call string) error {
			if call == "open" {
				<-hold
			}
			return nil
		})
		q := w.ask(w.clarify())
		var wg sync.WaitGroup
		wg.Go(func() { w.must(w.CancelTurn(context.Background(), w.turn, app.CauseTurnStopped)) })
		synctest.Wait()
		close(hold)
		wg.Wait()
		equal(t, q.wait().Cause, app.CauseTurnStopped)
		equal(t, w.get(q.id).Outcome.Cause, app.CauseTurnStopped)
	})
}

func TestManyAtOnceOnASlowRecord(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.records.failing(func(string) error {
			time.Sleep(500 * time.Millisecond)
			return nil
		})
		var all []*asked
		for range 20 {
			w.begin()
			all = append(all, w.ask(w.clarify()))
		}
		time.Sleep(time.Second)
		list, err := w.records.Interactions(context.Background(), app.InteractionFilter{State: app.InteractionsWaiting})
		w.must(err)
		equal(t, len(list), 20)
		for i, q := range all {
			_, err := w.answer(q.id, q.id)
			w.must(err)
			if out := all[i].wait(); out.Text != q.id {
				t.Errorf("question %d got the answer of another: %+v", i, out)
			}
		}
	})
}

func TestNothingIsLeftBehind(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.limits = mcp.Limits{Deadline: time.Minute, MaxWait: time.Minute}
		for range 200 {
			in := w.clarify()
			in.Kind = app.KindNative
			w.ask(in)
		}
		equal(t, w.Held(), 200)
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		equal(t, w.Held(), 0)
		// The bubble itself fails the test if a goroutine or timer is left.
	})
}
