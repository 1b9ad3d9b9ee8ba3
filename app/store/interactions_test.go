package store_test

import (
	"testing"
	"time"

	"parley/app"
)

func TestWaitingIsDerived(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	state := func() []any {
		v := r.view(t, s.ID)
		return []any{v.State, v.WaitingFor, v.WaitingSince}
	}
	equal(t, state(), []any{app.StateRunning, 0, int64(0)})
	r.heard.take()

	first := r.ask(t, s.ID, turn, app.KindClarify)
	events := r.heard.take()
	equal(t, []app.EventType{events[0].Type, events[1].Type}, []app.EventType{"clarify.requested", app.EventSessionUpdated})
	equal(t, events[0].TurnID, turn)
	equal(t, events[0].Data.(app.Interaction), first)
	told := events[1].Data.(app.Session)
	equal(t, []any{told.State, told.WaitingFor, told.LastSeq}, []any{app.StateWaiting, 1, events[1].Seq})
	equal(t, state(), []any{app.StateWaiting, 1, first.RequestedAt})

	r.clock.add(time.Minute)
	second := r.ask(t, s.ID, turn, app.KindApproval)
	equal(t, state(), []any{app.StateWaiting, 2, first.RequestedAt})
	// A change made meanwhile must not turn "waiting" into what is stored.
	_, err := r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Title = "t" })
	must(t, err)
	r.heard.take()

	out := app.Outcome{
		Reason: app.ReasonResponse, Cause: app.CausePerson, Response: "fixed", Selected: []string{"fixed"}, By: app.ByWindow,
		ResolvedAt: r.clock.now().UnixMilli(),
	}
	must(t, r.InteractionSeen(ctx, first.ID))
	seen := r.clock.now().UnixMilli()
	in, settled, err := r.SettleInteraction(ctx, first.ID, out)
	must(t, err)
	if !settled || in.Outcome == nil || in.RemainingTimeoutMS != 0 {
		t.Fatalf("settled %v: %+v", settled, in)
	}
	events = r.heard.take()
	equal(t, events[0].Data.(app.InteractionResolved), app.InteractionResolved{
		InteractionID: first.ID, ClarifyID: first.ID, RunID: turn, Kind: app.KindClarify, Resolved: true, SeenAt: seen, Outcome: out,
	})
	equal(t, state(), []any{app.StateWaiting, 1, second.RequestedAt})

	// The first outcome stands, whatever comes.
	in, settled, err = r.SettleInteraction(ctx, first.ID, app.Outcome{Reason: app.ReasonTimeout, Cause: app.CauseDeadline})
	must(t, err)
	if settled || in.Outcome.Reason != app.ReasonResponse {
		t.Fatalf("settled again: %+v", in.Outcome)
	}
	equal(t, len(r.heard.take()), 0)
	_, _, err = r.SettleInteraction(ctx, newID(), out)
	wantCode(t, err, app.CodeNotFound)

	_, _, err = r.SettleInteraction(ctx, second.ID, app.Outcome{Reason: app.ReasonDismissed, Cause: app.CausePerson})
	must(t, err)
	equal(t, state(), []any{app.StateRunning, 0, int64(0)})

	// A form waits without the agent running.
	form := r.ask(t, s.ID, turn, app.KindForm)
	must(t, r.EndTurn(ctx, turn, app.TurnEnded{Status: app.TurnDeferred}))
	equal(t, state(), []any{app.StateIdle, 1, form.RequestedAt})
	must(t, r.QueueTurn(ctx, app.Turn{ID: newID(), SessionID: s.ID, Text: "later"}))
	equal(t, r.view(t, s.ID).Queued[0].Held, true)
}

func TestAskingNeedsARunningTurn(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	other, otherTurn := r.running(t)
	open := func(session app.SessionID, turn app.TurnID) error {
		return r.OpenInteraction(ctx, app.Interaction{ID: newID(), SessionID: session, RunID: turn, Kind: app.KindClarify})
	}
	wantCode(t, open(newID(), turn), app.CodeNotFound)
	wantCode(t, open(s.ID, newID()), app.CodeNotFound)
	wantCode(t, open(s.ID, otherTurn), app.CodeNoActiveTurn)
	wantCode(t, open(other.ID, ""), "")
	_, err := r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.State = app.StateStopping })
	must(t, err)
	wantCode(t, open(s.ID, turn), app.CodeNoActiveTurn)
	must(t, r.EndTurn(ctx, turn, app.TurnEnded{Status: app.TurnCompleted}))
	wantCode(t, open(s.ID, turn), app.CodeNoActiveTurn)
}

func TestInteractionLife(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	in := r.ask(t, s.ID, turn, app.KindClarify)
	r.heard.take()

	must(t, r.InteractionSeen(ctx, in.ID))
	seen := r.clock.now().UnixMilli()
	r.clock.add(time.Second)
	must(t, r.InteractionSeen(ctx, in.ID)) // only the first look counts
	must(t, r.InteractionDelivered(ctx, in.ID))
	equal(t, len(r.heard.take()), 0)

	moved, err := r.MoveDeadline(ctx, in.ID, in.DeadlineAt+60_000, in.MaxDeadlineAt, app.UpdatedTyping)
	must(t, err)
	equal(t, moved.RemainingTimeoutMS, int64(359_000))
	equal(t, r.heard.take()[0].Data.(app.InteractionUpdated), app.InteractionUpdated{
		InteractionID: in.ID, ClarifyID: in.ID, DeadlineAt: in.DeadlineAt + 60_000, MaxDeadlineAt: in.MaxDeadlineAt,
		RemainingTimeoutMS: 359_000, Cause: "typing",
	})

	// Calls arrive out of order: only a newer draft replaces one.
	for _, d := range []app.Draft{{Revision: 2, Text: "two"}, {Revision: 1, Text: "one"}, {Revision: 2, Text: "again"}} {
		kept, err := r.SaveDraft(ctx, in.ID, d)
		must(t, err)
		equal(t, kept, &app.Draft{Revision: 2, Text: "two"}) // whoever is overtaken hears of it
	}
	got, err := r.Interaction(ctx, in.ID)
	must(t, err)
	equal(t, got.Draft, &app.Draft{Revision: 2, Text: "two"})
	equal(t, got.SeenAt, seen)

	_, _, err = r.SettleInteraction(ctx, in.ID, app.Outcome{Reason: app.ReasonTimeout, Cause: app.CauseDeadline, Selected: []string{}, ResolvedAt: seen + 5})
	must(t, err)
	got, err = r.Interaction(ctx, in.ID)
	must(t, err)
	if !got.MovedOn() || got.Draft == nil {
		t.Fatalf("after the timeout: moved on %v, draft %v", got.MovedOn(), got.Draft)
	}
	saveDraft(t, r, in.ID, app.Draft{Revision: 3, Text: "three"})
	_, err = r.MoveDeadline(ctx, in.ID, in.DeadlineAt+1, in.MaxDeadlineAt, app.UpdatedTyping)
	must(t, err)
	after, err := r.Interaction(ctx, in.ID)
	must(t, err)
	equal(t, after.DeadlineAt, got.DeadlineAt) // it has ended; nothing moves
	r.heard.take()

	late := app.Late{TurnID: newID(), Response: "three", Selected: []string{}, Text: "three", By: app.ByCLI, AnsweredAt: seen + 9}
	must(t, r.LateAnswered(ctx, in.ID, late))
	must(t, r.LateAnswered(ctx, in.ID, app.Late{Text: "second"}))
	events := r.heard.take()
	equal(t, len(events), 1)
	equal(t, events[0].Data.(app.InteractionLateAnswered), app.InteractionLateAnswered{
		InteractionID: in.ID, ClarifyID: in.ID, SeenAt: seen, Late: late,
	})
	got, err = r.Interaction(ctx, in.ID)
	must(t, err)
	equal(t, got.Late, &late)
	if got.MovedOn() || got.Draft != nil {
		t.Errorf("after the late answer: moved on %v, draft %v", got.MovedOn(), got.Draft)
	}
}

func TestDeliveredOnceAndOnlyAnswers(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	in := r.ask(t, s.ID, turn, app.KindNative)
	_, _, err := r.SettleInteraction(ctx, in.ID, app.Outcome{Reason: app.ReasonResponse, Cause: app.CausePerson})
	must(t, err)
	r.heard.take()
	must(t, r.InteractionDelivered(ctx, in.ID))
	at := r.clock.now().UnixMilli()
	r.clock.add(time.Second)
	must(t, r.InteractionDelivered(ctx, in.ID))
	events := r.heard.take()
	equal(t, len(events), 1)
	equal(t, events[0].Type, app.EventType("native.delivered"))
	equal(t, events[0].Data.(app.InteractionDelivered), app.InteractionDelivered{InteractionID: in.ID, DeliveredAt: at})
}

func TestInboxParts(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	end := func(kind app.Kind, reason app.Reason, cause app.Cause) string {
		in := r.ask(t, s.ID, turn, kind)
		_, _, err := r.SettleInteraction(ctx, in.ID, app.Outcome{Reason: reason, Cause: cause})
		must(t, err)
		return in.ID
	}
	timedOut := end(app.KindClarify, app.ReasonTimeout, app.CauseDeadline)
	cutOff := end(app.KindNative, app.ReasonCancelled, app.CauseConnectionClosed)
	end(app.KindClarify, app.ReasonCancelled, app.CauseTurnStopped)
	end(app.KindClarify, app.ReasonResponse, app.CausePerson)
	end(app.KindApproval, app.ReasonTimeout, app.CauseDeadline) // a stale approval can never act
	end(app.KindElicitation, app.ReasonCancelled, app.CauseRestart)
	waiting := r.ask(t, s.ID, turn, app.KindApproval)

	ids := func(f app.InteractionFilter) map[string]bool {
		t.Helper()
		list, err := r.Interactions(ctx, f)
		must(t, err)
		out := map[string]bool{}
		for _, in := range list {
			out[in.ID] = true
		}
		return out
	}
	equal(t, ids(app.InteractionFilter{State: app.InteractionsWaiting}), map[string]bool{waiting.ID: true})
	equal(t, ids(app.InteractionFilter{State: app.InteractionsMovedOn}), map[string]bool{timedOut: true, cutOff: true})
	equal(t, len(ids(app.InteractionFilter{})), 7)
	equal(t, len(ids(app.InteractionFilter{SessionID: s.ID})), 7)
	equal(t, len(ids(app.InteractionFilter{State: app.InteractionsAll, Limit: 2})), 2)
	equal(t, ids(app.InteractionFilter{State: app.InteractionsWaiting, SessionID: newID()}), map[string]bool{})

	r.heard.take()
	must(t, r.ClearInteraction(ctx, timedOut))
	must(t, r.ClearInteraction(ctx, timedOut))
	must(t, r.ClearInteraction(ctx, waiting.ID)) // what waits is not cleared
	events := r.heard.take()
	if len(events) != 1 || events[0].Data.(app.InteractionUpdated).Cause != app.UpdatedCleared {
		t.Fatalf("clearing told %+v", events)
	}
	equal(t, ids(app.InteractionFilter{State: app.InteractionsMovedOn}), map[string]bool{cutOff: true})
	equal(t, ids(app.InteractionFilter{State: app.InteractionsWaiting}), map[string]bool{waiting.ID: true})
	in, err := r.Interaction(ctx, timedOut)
	must(t, err)
	if !in.TakesLate() || in.MovedOn() {
		t.Errorf("a cleared one: takes late %v, moved on %v", in.TakesLate(), in.MovedOn())
	}
}

func TestWaitedCountsOverlapsOnce(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	settle := func(id string) {
		t.Helper()
		_, _, err := r.SettleInteraction(ctx, id, app.Outcome{Reason: app.ReasonDismissed, ResolvedAt: r.clock.now().UnixMilli()})
		must(t, err)
	}
	wait := func(want time.Duration) {
		t.Helper()
		ms, err := r.WaitedMS(ctx, turn)
		must(t, err)
		equal(t, time.Duration(ms)*time.Millisecond, want)
	}
	wait(0)
	a := r.ask(t, s.ID, turn, app.KindApproval) // 0 to 30
	r.clock.add(10 * time.Second)
	b := r.ask(t, s.ID, turn, app.KindApproval) // 10 to 20, inside a
	r.clock.add(10 * time.Second)
	settle(b.ID)
	r.clock.add(5 * time.Second)
	c := r.ask(t, s.ID, turn, app.KindApproval) // 25 to 35
	r.clock.add(5 * time.Second)
	settle(a.ID)
	r.clock.add(5 * time.Second)
	settle(c.ID)
	wait(35 * time.Second)
	r.clock.add(time.Minute)
	r.ask(t, s.ID, turn, app.KindClarify) // 95 to now
	r.clock.add(5 * time.Second)
	wait(40 * time.Second)
	r.clock.add(-time.Hour) // the clock was set back
	wait(35 * time.Second)
}

func TestPlanLife(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	steps := func(status ...app.StepStatus) (out []app.PlanStep) {
		for i, st := range status {
			out = append(out, app.PlanStep{ID: string(rune('a' + i)), Step: "do", Status: st})
		}
		return out
	}
	r.heard.take()
	put := func(p app.Plan) app.Plan {
		t.Helper()
		p.ID, p.SessionID, p.TurnID = newID(), s.ID, turn
		p, err := r.PutPlan(ctx, p)
		must(t, err)
		return p
	}
	first := put(app.Plan{Explanation: "why", Steps: steps(app.StepInProgress, app.StepPending, app.StepPending)})
	second := put(app.Plan{Steps: steps(app.StepCompleted, app.StepInProgress)})
	equal(t, []any{first.Revision, second.Revision, second.ID == first.ID, second.State}, []any{int64(1), int64(2), true, app.PlanActive})
	events := r.heard.take()
	equal(t, events[1].Data.(app.Plan), second)
	_, err := r.PutPlan(ctx, app.Plan{ID: newID(), SessionID: newID(), TurnID: turn})
	wantCode(t, err, app.CodeNoActiveTurn)

	must(t, r.EndTurn(ctx, turn, app.TurnEnded{Status: app.TurnInterrupted}))
	equal(t, r.heard.types(), []string{"plan.updated", "turn.completed", "session.updated"})
	got, ok, err := r.TurnPlan(ctx, turn)
	must(t, err)
	want := second
	want.Revision, want.State, want.Steps = 3, app.PlanInterrupted, steps(app.StepCompleted, app.StepPending)
	equal(t, ok, true)
	equal(t, got, want)
	_, err = r.PutPlan(ctx, app.Plan{ID: newID(), SessionID: s.ID, TurnID: turn})
	wantCode(t, err, app.CodeNoActiveTurn)

	// A turn without a plan tells of none, and that of the turn before is no longer
	// one of the present.
	plans := func() int {
		t.Helper()
		snap, err := r.Snapshot(ctx)
		must(t, err)
		return len(snap.Plans)
	}
	_, err = r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Live = true })
	must(t, err)
	equal(t, plans(), 1)
	r.clock.add(time.Second)
	next := newID()
	must(t, r.StartTurn(ctx, app.Turn{ID: next, SessionID: s.ID}))
	equal(t, plans(), 0)
	r.heard.take()
	must(t, r.EndTurn(ctx, next, app.TurnEnded{Status: app.TurnCompleted}))
	equal(t, r.heard.types(), []string{"turn.completed", "session.updated"})
	_, ok, err = r.TurnPlan(ctx, next)
	must(t, err)
	equal(t, ok, false)
}
