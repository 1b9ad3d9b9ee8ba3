package store

import (
	"context"

	"parley/app"
	"parley/app/store/sqlgen"
)

const noInteraction = "There is no such question."

// Parts of the inbox, as the column holds them.
const (
	partWaiting = "waiting"
	partMovedOn = "moved_on"
	partDone    = "done"
)

// OpenInteraction stores a new interaction and emits its *.requested and
// session.updated: recorded before shown. Asking needs a running turn; without
// one, or while it is being stopped, it is app.CodeNoActiveTurn.
func (d *DB) OpenInteraction(ctx context.Context, in app.Interaction) error {
	return d.update(ctx, func(t *tx) error {
		if err := t.mayAsk(in); err != nil {
			return err
		}
		if err := t.insertInteraction(in); err != nil {
			return err
		}
		return t.tell(in, app.StepRequested, in, true)
	})
}

func (t *tx) insertInteraction(in app.Interaction) error {
	asked, err := encode(in)
	if err != nil {
		return err
	}
	err = t.InsertInteraction(t.ctx, sqlgen.InsertInteractionParams{
		ID: in.ID, SessionID: in.SessionID, TurnID: in.RunID, Kind: in.Kind, ToolUseID: text(in.ToolUseID), Asked: asked,
		RequestedMs: in.RequestedAt, TimeoutMs: in.TimeoutMS, DeadlineMs: in.DeadlineAt, MaxDeadlineMs: in.MaxDeadlineAt,
	})
	if err != nil {
		return err
	}
	return t.saveText(in)
}

func (t *tx) mayAsk(in app.Interaction) error {
	row, err := t.row(in.SessionID)
	if err != nil {
		return err
	}
	if in.RunID == "" {
		return nil // an MCP server may ask between turns
	}
	turn, err := t.GetTurn(t.ctx, in.RunID)
	if err != nil {
		return orNotFound(err, noTurn)
	}
	if turn.SessionID != in.SessionID || turn.State != app.TurnRunning || row.State == app.StateStopping {
		return &app.Error{Code: app.CodeNoActiveTurn, Message: "This turn is over or is being stopped, so nothing can be asked in it any more."}
	}
	return nil
}

// Interaction returns one interaction as it is now, with its draft.
func (d *DB) Interaction(ctx context.Context, id string) (in app.Interaction, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		r, err := q.GetInteraction(ctx, id)
		if err != nil {
			return orNotFound(err, noInteraction)
		}
		in, err = fromInteraction(record(r), d.now())
		return err
	})
	return in, err
}

// Interactions lists the interactions that f asks for, newest first, never nil.
func (d *DB) Interactions(ctx context.Context, f app.InteractionFilter) (list []app.Interaction, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		list, err = interactions(ctx, q, f, d.now())
		return err
	})
	return list, err
}

func interactions(ctx context.Context, q *sqlgen.Queries, f app.InteractionFilter, now int64) ([]app.Interaction, error) {
	most := int64(f.Limit)
	if most <= 0 {
		most = -1 // SQLite's "no limit"
	}
	switch {
	case f.State == app.InteractionsWaiting || f.State == app.InteractionsMovedOn:
		rows, err := q.ListInteractionsOfPart(ctx, sqlgen.ListInteractionsOfPartParams{Part: string(f.State), SessionID: f.SessionID, Most: most})
		return fromInteractions(rows, err, now)
	case f.SessionID != "":
		rows, err := q.ListInteractionsOfSession(ctx, sqlgen.ListInteractionsOfSessionParams{SessionID: f.SessionID, Most: most})
		return fromInteractions(rows, err, now)
	}
	rows, err := q.ListInteractions(ctx, most)
	return fromInteractions(rows, err, now)
}

// InteractionsOfTurn lists what a turn asked, oldest first.
func (d *DB) InteractionsOfTurn(ctx context.Context, id app.TurnID) (list []app.Interaction, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		list, err = interactionsOfTurn(ctx, q, id, d.now())
		return err
	})
	return list, err
}

func interactionsOfTurn(ctx context.Context, q *sqlgen.Queries, id app.TurnID, now int64) ([]app.Interaction, error) {
	rows, err := q.ListTurnInteractions(ctx, id)
	return fromInteractions(rows, err, now)
}

// SettleInteraction stores how an interaction ended, if it has not ended yet,
// and emits its *.resolved and session.updated. It returns the record as it is
// then; settled is false when an earlier outcome stands.
func (d *DB) SettleInteraction(ctx context.Context, id string, out app.Outcome) (in app.Interaction, settled bool, err error) {
	err = d.update(ctx, func(t *tx) error {
		if in, err = t.interaction(id); err != nil || !in.Waiting() {
			return err
		}
		settled = true
		in, err = t.settle(in, out, true)
		return err
	})
	return in, settled && err == nil, err
}

func (t *tx) settle(in app.Interaction, out app.Outcome, tellSession bool) (app.Interaction, error) {
	in.Outcome, in.RemainingTimeoutMS = &out, 0
	if err := t.setInteraction(&in); err != nil {
		return in, err
	}
	if err := t.saveText(in); err != nil {
		return in, err
	}
	if err := t.keepRule(in, out); err != nil {
		return in, err
	}
	return in, t.tell(in, app.StepResolved, app.InteractionResolved{
		InteractionID: in.ID, ClarifyID: in.ClarifyID, RunID: in.RunID, Kind: in.Kind, Resolved: true, SeenAt: in.SeenAt, Outcome: out,
	}, tellSession)
}

// MoveDeadline stores new ends of a waiting interaction and emits its
// *.updated. One that has ended stays as it is.
func (d *DB) MoveDeadline(ctx context.Context, id string, deadlineAt, maxDeadlineAt int64, cause string) (in app.Interaction, err error) {
	err = d.update(ctx, func(t *tx) error {
		if in, err = t.interaction(id); err != nil || !in.Waiting() {
			return err
		}
		in.DeadlineAt, in.MaxDeadlineAt = deadlineAt, maxDeadlineAt
		in.RemainingTimeoutMS = remaining(in, t.now)
		return t.change(&in, cause)
	})
	return in, err
}

// LateAnswered stores the answer that went out, or will go out, as a message
// and emits its *.late_answered. Only the first counts.
func (d *DB) LateAnswered(ctx context.Context, id string, late app.Late) error {
	return d.update(ctx, func(t *tx) error {
		in, err := t.interaction(id)
		if err != nil || in.Late != nil {
			return err
		}
		return t.lateAnswered(in, late)
	})
}

func (t *tx) lateAnswered(in app.Interaction, late app.Late) error {
	in.Late = &late
	if err := t.setInteraction(&in); err != nil {
		return err
	}
	if err := t.saveText(in); err != nil {
		return err
	}
	return t.tell(in, app.StepLateAnswered, app.InteractionLateAnswered{
		InteractionID: in.ID, ClarifyID: in.ClarifyID, SeenAt: in.SeenAt, Late: late,
	}, false)
}

// InteractionDelivered records that the answer, also a late one, has left for
// the agent and emits its *.delivered; of a form that is any end, since the
// agent that showed it is told in every case. The first time counts. (A late answer's
// message may leave before the record of the answer is complete.)
func (d *DB) InteractionDelivered(ctx context.Context, id string) error {
	return d.update(ctx, func(t *tx) error {
		in, err := t.interaction(id)
		if err != nil || in.DeliveredAt != 0 || in.Outcome == nil {
			return err
		}
		if in.Kind != app.KindForm && in.Outcome.Reason != app.ReasonResponse && in.Late == nil && !in.TakesLate() {
			return nil
		}
		in.DeliveredAt = t.now
		if err := t.setInteraction(&in); err != nil {
			return err
		}
		return t.tell(in, app.StepDelivered, app.InteractionDelivered{InteractionID: id, ClarifyID: in.ClarifyID, DeliveredAt: t.now}, false)
	})
}

// InteractionUndelivered records that an answer was given and the agent was gone
// before it arrived. It moves to "moved on" with the answer as its draft and
// emits its *.updated. Only an answer that makes sense later counts.
func (d *DB) InteractionUndelivered(ctx context.Context, id string) error {
	return d.update(ctx, func(t *tx) error {
		in, err := t.interaction(id)
		if err != nil {
			return err
		}
		return t.undelivered(in)
	})
}

func (t *tx) undelivered(in app.Interaction) error {
	out := in.Outcome
	if out == nil || out.Reason != app.ReasonResponse || in.Late != nil || !in.Kind.AnswersLate() {
		return nil
	}
	if in.Kind == app.KindForm {
		return nil // it is owed to the agent and goes out with the next message
	}
	in.DeliveredAt, in.UndeliveredAt = 0, t.now
	in.Draft = &app.Draft{Selected: out.Selected, Text: out.Text, Answers: out.Answers, Typed: out.Typed, Files: out.Files}
	if err := t.saveDraft(in.ID, *in.Draft); err != nil {
		return err
	}
	return t.change(&in, app.UpdatedUndelivered)
}

// InteractionSeen records when a person first saw it.
func (d *DB) InteractionSeen(ctx context.Context, id string) error {
	return d.update(ctx, func(t *tx) error {
		in, err := t.interaction(id)
		if err != nil || in.SeenAt != 0 {
			return err
		}
		in.SeenAt = t.now
		return t.setInteraction(&in)
	})
}

// NoticedInteractions marks those of the ids as told of that wait, that nobody
// has seen and that nobody was told of before, and returns them, never nil: each
// is given out once. Unknown ids are left out.
func (d *DB) NoticedInteractions(ctx context.Context, ids []string) (fresh []string, err error) {
	err = d.update(ctx, func(t *tx) error {
		fresh = []string{}
		for _, id := range ids {
			in, err := t.interaction(id)
			if app.ErrorCode(err) == app.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			if !in.Waiting() || in.SeenAt != 0 || in.NoticedAt != 0 {
				continue
			}
			in.NoticedAt = t.now
			if err := t.setInteraction(&in); err != nil {
				return err
			}
			fresh = append(fresh, id)
		}
		return nil
	})
	return fresh, err
}

// ClearInteraction takes one out of "moved on", with its draft, and emits its
// *.updated, so that it leaves every client's inbox. Nothing else is cleared.
func (d *DB) ClearInteraction(ctx context.Context, id string) error {
	return d.update(ctx, func(t *tx) error {
		in, err := t.interaction(id)
		if err != nil || !in.MovedOn() {
			return err
		}
		in.ClearedAt = t.now
		return t.change(&in, app.UpdatedCleared)
	})
}

// SaveDraft keeps an answer in the making and returns the draft that is kept
// then: another one when the revision is not above the stored one's, none when
// the interaction can no longer be answered. So a client learns that somebody
// else is at it, and loses nothing of its own.
func (d *DB) SaveDraft(ctx context.Context, id string, draft app.Draft) (kept *app.Draft, err error) {
	err = d.update(ctx, func(t *tx) error {
		kept = nil
		in, err := t.interaction(id)
		if err != nil || partOf(in) == partDone {
			return err
		}
		if err := t.saveDraft(id, draft); err != nil {
			return err
		}
		data, err := t.GetDraft(t.ctx, id)
		if err != nil {
			return err
		}
		return decodePart(data, &kept)
	})
	return kept, err
}

func (t *tx) saveDraft(id string, draft app.Draft) error {
	data, err := encode(draft)
	if err != nil {
		return err
	}
	return t.Queries.SaveDraft(t.ctx, sqlgen.SaveDraftParams{InteractionID: id, Revision: draft.Revision, Data: data, Now: t.now})
}

func (t *tx) interaction(id string) (app.Interaction, error) {
	r, err := t.GetInteraction(t.ctx, id)
	if err != nil {
		return app.Interaction{}, orNotFound(err, noInteraction)
	}
	return fromInteraction(record(r), t.now)
}

// change stores in and emits its *.updated.
func (t *tx) change(in *app.Interaction, cause string) error {
	if err := t.setInteraction(in); err != nil {
		return err
	}
	return t.tell(*in, app.StepUpdated, app.InteractionUpdated{
		InteractionID: in.ID, ClarifyID: in.ClarifyID, DeadlineAt: in.DeadlineAt, MaxDeadlineAt: in.MaxDeadlineAt,
		RemainingTimeoutMS: in.RemainingTimeoutMS, Cause: cause,
	}, false)
}

// setInteraction stores the life of in. A draft goes once nothing can come of
// it.
func (t *tx) setInteraction(in *app.Interaction) error {
	row := sqlgen.UpdateInteractionParams{
		ID: in.ID, Part: partOf(*in), DeadlineMs: in.DeadlineAt, MaxDeadlineMs: in.MaxDeadlineAt, SeenMs: in.SeenAt,
		DeliveredMs: in.DeliveredAt, UndeliveredMs: in.UndeliveredAt, ClearedMs: in.ClearedAt,
		NoticedMs: in.NoticedAt,
	}
	var err error
	if in.Outcome != nil {
		row.Reason, row.Cause, row.ResolvedMs = in.Outcome.Reason, in.Outcome.Cause, in.Outcome.ResolvedAt
		if row.Outcome, err = encode(in.Outcome); err != nil {
			return err
		}
	}
	if in.Late != nil {
		if row.Late, err = encode(in.Late); err != nil {
			return err
		}
	}
	if row.Part == partDone && in.Draft != nil {
		in.Draft = nil
		if err := t.DeleteDraft(t.ctx, in.ID); err != nil {
			return err
		}
	}
	return t.UpdateInteraction(t.ctx, row)
}

// tell emits a step in the life of in, and the session when what it waits for
// has changed.
func (t *tx) tell(in app.Interaction, step string, data app.EventData, session bool) error {
	_, err := t.emit(in.SessionID, app.Fact{TurnID: in.RunID, Type: app.InteractionEvent(in.Kind, step), Data: data})
	if err == nil && session {
		_, err = t.emitSession(in.SessionID, app.EventSessionUpdated)
	}
	return err
}

// partOf says where the inbox keeps an interaction.
func partOf(in app.Interaction) string {
	switch {
	case in.Waiting():
		return partWaiting
	case in.MovedOn():
		return partMovedOn
	}
	return partDone
}

// record is the row of every query for interactions.
type record = struct {
	Interaction sqlgen.Interaction
	Draft       string
}

func fromInteractions[R ~record](rows []R, err error, now int64) ([]app.Interaction, error) {
	if err != nil {
		return nil, err
	}
	list := make([]app.Interaction, 0, len(rows))
	for _, r := range rows {
		in, err := fromInteraction(record(r), now)
		if err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	return list, nil
}

func fromInteraction(rec record, now int64) (app.Interaction, error) {
	r := rec.Interaction
	var in app.Interaction
	if err := decode(r.Asked, &in); err != nil {
		return in, err
	}
	in.RequestedAt, in.TimeoutMS, in.DeadlineAt, in.MaxDeadlineAt = r.RequestedMs, r.TimeoutMs, r.DeadlineMs, r.MaxDeadlineMs
	in.SeenAt, in.DeliveredAt, in.UndeliveredAt, in.ClearedAt = r.SeenMs, r.DeliveredMs, r.UndeliveredMs, r.ClearedMs
	in.NoticedAt = r.NoticedMs
	if err := decodePart(r.Outcome, &in.Outcome); err != nil {
		return in, err
	}
	if err := decodePart(r.Late, &in.Late); err != nil {
		return in, err
	}
	if err := decodePart(rec.Draft, &in.Draft); err != nil {
		return in, err
	}
	in.RemainingTimeoutMS = remaining(in, now)
	return in, nil
}

// decodePart reads an optional part; "" leaves it nil.
func decodePart[T any](text string, part **T) error {
	if text == "" {
		return nil
	}
	*part = new(T)
	return decode(text, *part)
}

// remaining is the time left by the store's clock, 0 without a limit.
func remaining(in app.Interaction, now int64) int64 {
	if !in.Waiting() || in.DeadlineAt == 0 {
		return 0
	}
	return max(0, in.DeadlineAt-now)
}
