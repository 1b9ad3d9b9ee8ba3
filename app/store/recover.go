package store

import (
	"cmp"
	"context"
	"slices"

	"parley/app"
	"parley/app/store/sqlgen"
)

// WaitedMS sums the time in which a turn waited for a person: questions that
// were open at the same time count once, open ones until now.
func (d *DB) WaitedMS(ctx context.Context, id app.TurnID) (int64, error) {
	list, err := d.InteractionsOfTurn(ctx, id)
	if err != nil {
		return 0, err
	}
	return waited(list, d.now()), nil
}

func waited(list []app.Interaction, now int64) (sum int64) {
	slices.SortFunc(list, func(a, b app.Interaction) int { return cmp.Compare(a.RequestedAt, b.RequestedAt) })
	var until int64 // up to where time has been counted
	for _, in := range list {
		end := now
		if in.Outcome != nil {
			end = in.Outcome.ResolvedAt
		}
		sum += max(0, end-max(in.RequestedAt, until))
		until = max(until, end)
	}
	return sum
}

// Recover settles what an unclean end left, at start, before anything else
// runs: waiting interactions other than forms become cancelled (cause
// app_restarted), running turns end as failed, live sessions become idle, and
// queued messages stay queued. A fork whose record is not whole goes. An answer that the agent of a cut-off turn never
// got is marked as undelivered, with the answer as its draft: it can still go
// out as a message. A late answer whose message was stored and whose own record
// was not is completed. Each session is settled in one transaction, so a crash
// in between only leaves some for the next start.
func (d *DB) Recover(ctx context.Context) error {
	if err := d.completeLate(ctx); err != nil {
		return err
	}
	var ids []app.SessionID
	err := d.query(ctx, func(q *sqlgen.Queries) (err error) {
		ids, err = q.ListUnsettledSessions(ctx)
		return err
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		err = d.update(ctx, func(t *tx) error { return t.recoverSession(id) })
	}
	return err
}

func (t *tx) recoverSession(id app.SessionID) error {
	before, err := t.row(id)
	if err != nil {
		return err
	}
	if before.State == copying {
		return t.Queries.DeleteSession(t.ctx, id)
	}
	rows, err := t.ListInteractionsOfPart(t.ctx, sqlgen.ListInteractionsOfPartParams{Part: partWaiting, SessionID: id, Most: -1})
	waiting, err := fromInteractions(rows, err, t.now)
	if err != nil {
		return err
	}
	for _, in := range slices.Backward(waiting) { // oldest first
		if in.Kind == app.KindForm {
			continue
		}
		out := app.Outcome{Reason: app.ReasonCancelled, Cause: app.CauseRestart, Selected: []string{}, ResolvedAt: t.now}
		if _, err := t.settle(in, out, false); err != nil {
			return err
		}
	}
	turns, err := t.ListRunning(t.ctx, id)
	if err != nil {
		return err
	}
	for _, turn := range turns {
		if err := t.cutOff(turn); err != nil {
			return err
		}
	}
	if err := t.setState(id, func(s *app.Session) { s.State, s.Live = app.StateIdle, false }); err != nil {
		return err
	}
	// Nothing of this happened in the session: it changed when it was cut off.
	_, err = t.emitSessionAt(id, app.EventSessionUpdated, before.UpdatedMs)
	return err
}

// cutOff ends a turn that was running when Parley ended without a word.
func (t *tx) cutOff(turn sqlgen.Turn) error {
	list, err := interactionsOfTurn(t.ctx, t.Queries, turn.ID, t.now)
	if err != nil {
		return err
	}
	for _, in := range list {
		if in.DeliveredAt != 0 {
			continue
		}
		if err := t.undelivered(in); err != nil {
			return err
		}
	}
	return t.endTurn(turn, app.TurnEnded{
		Status: app.TurnFailed, StopReason: "restart",
		DurationMS: max(0, t.now-turn.StartedMs), WaitedMS: waited(list, t.now),
		Problem: &app.Problem{
			Code:   "restarted",
			Title:  "This turn was interrupted by a restart of Parley.",
			Advice: "Send a message to go on; the agent keeps what it had done.",
		},
	})
}

// completeLate finishes late answers that were cut off between the message and
// the record of it. The message is what was promised, so it decides.
func (d *DB) completeLate(ctx context.Context) error {
	return d.update(ctx, func(t *tx) error {
		turns, err := t.ListUnrecordedLate(t.ctx)
		if err != nil {
			return err
		}
		for _, turn := range turns {
			in, err := t.interaction(turn.LateID)
			if err != nil {
				return err
			}
			late := app.Late{
				TurnID: turn.ID, Response: turn.Text, Selected: []string{}, Text: turn.Text,
				AnsweredAt: max(turn.QueuedMs, turn.StartedMs),
			}
			if err := t.lateAnswered(in, late); err != nil {
				return err
			}
		}
		return nil
	})
}
