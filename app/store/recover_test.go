package store_test

import (
	"testing"
	"time"

	"parley/app"
)

// TestRecover leaves a record as a kill does, opens it again and looks at every
// promise about it.
func TestRecover(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	_, err := r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Live = true })
	must(t, err)
	_, err = r.PutPlan(ctx, app.Plan{ID: newID(), SessionID: s.ID, TurnID: turn, Steps: []app.PlanStep{{ID: "a", Step: "s", Status: app.StepInProgress}}})
	must(t, err)
	must(t, r.QueueTurn(ctx, app.Turn{ID: newID(), SessionID: s.ID, Text: "queued"}))
	settle := func(in app.Interaction, out app.Outcome) app.Interaction {
		t.Helper()
		_, _, err := r.SettleInteraction(ctx, in.ID, out)
		must(t, err)
		return in
	}
	pictures := []app.Attachment{{Name: "a.png", Mime: "image/png", Path: "/x/a.png"}}
	answer := app.Outcome{
		Reason: app.ReasonResponse, Cause: app.CausePerson, Response: "fixed\nand more",
		Selected: []string{"fixed"}, Text: "and more", Files: pictures,
	}
	clarify := r.ask(t, s.ID, turn, app.KindClarify)
	saveDraft(t, r, clarify.ID, app.Draft{Revision: 4, Text: "half an ans"})
	approval := r.ask(t, s.ID, turn, app.KindApproval)
	form := r.ask(t, s.ID, turn, app.KindForm)
	lost := settle(r.ask(t, s.ID, turn, app.KindClarify), answer)
	told := settle(r.ask(t, s.ID, turn, app.KindClarify), answer)
	must(t, r.InteractionDelivered(ctx, told.ID))
	allowed := settle(r.ask(t, s.ID, turn, app.KindApproval), app.Outcome{Reason: app.ReasonResponse, Cause: app.CausePerson, Action: app.ActionAllowOnce})
	timedOut := settle(r.ask(t, s.ID, turn, app.KindClarify), app.Outcome{Reason: app.ReasonTimeout, Cause: app.CauseDeadline})

	idle := r.session(t)
	// A late answer whose message was stored when the power went.
	lateTurn := newID()
	must(t, r.QueueTurn(ctx, app.Turn{ID: lateTurn, SessionID: s.ID, Text: "late: fixed", Late: timedOut.ID}))
	must(t, r.Close())

	r.clock.add(time.Hour)
	r = reopen(t, r.path, r.clock)
	now := r.clock.now().UnixMilli()
	must(t, r.Recover(ctx))
	events := r.heard.take()
	var types []app.EventType
	for _, e := range events {
		types = append(types, e.Type)
	}
	equal(t, types, []app.EventType{
		"clarify.late_answered", "clarify.resolved", "approval.resolved",
		"clarify.updated", "plan.updated", "turn.completed", "session.updated",
	})

	v := r.view(t, s.ID)
	equal(t, []any{v.State, v.Live, v.LastStatus, v.WaitingFor, len(v.Queued), v.Queued[0].Held},
		[]any{app.StateIdle, false, app.TurnFailed, 1, 2, true})
	if v.UpdatedAt > now-3_600_000 {
		t.Errorf("changed at %d, though nothing happened in it since %d", v.UpdatedAt, now-3_600_000)
	}
	end := events[5].Data.(app.TurnEnded)
	if end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != "restarted" || end.DurationMS != 3_600_000 {
		t.Errorf("the turn ended as %+v", end)
	}
	get := func(id string) app.Interaction {
		t.Helper()
		in, err := r.Interaction(ctx, id)
		must(t, err)
		return in
	}
	restarted := &app.Outcome{Reason: app.ReasonCancelled, Cause: app.CauseRestart, Selected: []string{}, ResolvedAt: now}
	equal(t, get(clarify.ID).Outcome, restarted)
	equal(t, get(approval.ID).Outcome, restarted)
	equal(t, get(clarify.ID).Draft, &app.Draft{Revision: 4, Text: "half an ans"})
	equal(t, get(form.ID).Waiting(), true)
	equal(t, get(told.ID).MovedOn(), false)
	equal(t, get(allowed.ID).MovedOn(), false)
	equal(t, get(approval.ID).MovedOn(), false)
	equal(t, get(timedOut.ID).Late, &app.Late{TurnID: lateTurn, Response: "late: fixed", Selected: []string{}, Text: "late: fixed", AnsweredAt: now - 3_600_000})
	// The answer that never arrived can go out again, as it was given.
	in := get(lost.ID)
	equal(t, []any{in.MovedOn(), in.UndeliveredAt, in.Outcome.Reason}, []any{true, now, app.ReasonResponse})
	equal(t, in.Draft, &app.Draft{Selected: []string{"fixed"}, Text: "and more", Files: pictures})
	plan, _, err := r.TurnPlan(ctx, turn)
	must(t, err)
	equal(t, []any{plan.State, plan.Steps[0].Status}, []any{app.PlanFailed, app.StepPending})
	equal(t, r.view(t, idle.ID), idle)

	// A second start finds nothing left to do.
	must(t, r.Recover(ctx))
	equal(t, len(r.heard.take()), 0)
	// A question is answered late by one message only.
	wantCode(t, r.StartTurn(ctx, app.Turn{ID: newID(), SessionID: s.ID, Late: timedOut.ID}), app.CodeAlreadyResolved)
}
