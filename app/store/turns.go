package store

import (
	"context"
	"slices"

	"parley/app"
	"parley/app/store/sqlgen"
)

const noTurn = "There is no such message or turn."

// QueueTurn stores a message that waits, at the end of the queue, and emits
// turn.queued.
func (d *DB) QueueTurn(ctx context.Context, turn app.Turn) error {
	return d.update(ctx, func(t *tx) error {
		if err := t.insertTurn(turn, app.TurnQueued); err != nil {
			return err
		}
		if _, err := t.emit(turn.SessionID, app.Fact{TurnID: turn.ID, Type: app.EventTurnQueued, Data: turnText(turn)}); err != nil {
			return err
		}
		_, err := t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

// ChangeQueued edits the text or the place (from 0) of a queued message. A new
// text is told by turn.unqueued with that text, the order by session.updated.
func (d *DB) ChangeQueued(ctx context.Context, id app.TurnID, newText *string, index *int) error {
	return d.update(ctx, func(t *tx) error {
		turn, err := t.queued(id)
		if err != nil {
			return err
		}
		if newText != nil {
			if err := t.SetTurnText(t.ctx, sqlgen.SetTurnTextParams{ID: id, Text: text(*newText)}); err != nil {
				return err
			}
			fact := app.Fact{TurnID: id, Type: app.EventTurnUnqueued, Data: app.TurnUnqueued{Text: *newText}}
			if _, err := t.emit(turn.SessionID, fact); err != nil {
				return err
			}
		}
		if index != nil {
			if err := t.moveQueued(turn, *index); err != nil {
				return err
			}
		}
		_, err = t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

func (t *tx) moveQueued(turn sqlgen.Turn, index int) error {
	queue, err := t.ListQueued(t.ctx, turn.SessionID)
	if err != nil {
		return err
	}
	queue = slices.DeleteFunc(queue, func(q sqlgen.Turn) bool { return q.ID == turn.ID })
	queue = slices.Insert(queue, min(max(index, 0), len(queue)), turn)
	for i, q := range queue {
		if err := t.SetTurnPlace(t.ctx, sqlgen.SetTurnPlaceParams{ID: q.ID, Place: int64(i + 1)}); err != nil {
			return err
		}
	}
	return nil
}

// BeganSince reports whether a turn of a session began at a time or later. An
// unknown session has none.
func (d *DB) BeganSince(ctx context.Context, id app.SessionID, since int64) (began bool, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		began, err = q.BeganSince(ctx, sqlgen.BeganSinceParams{SessionID: id, Since: since})
		return err
	})
	return began, err
}

// DropQueued removes a queued message and emits turn.unqueued.
func (d *DB) DropQueued(ctx context.Context, id app.TurnID) error {
	return d.update(ctx, func(t *tx) error {
		turn, err := t.queued(id)
		if err != nil {
			return err
		}
		if err := t.DeleteTurn(t.ctx, id); err != nil {
			return err
		}
		fact := app.Fact{TurnID: id, Type: app.EventTurnUnqueued, Data: app.TurnUnqueued{}}
		if _, err := t.emit(turn.SessionID, fact); err != nil {
			return err
		}
		_, err = t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

// Queue lists a session's queued turns in order.
func (d *DB) Queue(ctx context.Context, id app.SessionID) (turns []app.Turn, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		rows, err := q.ListQueued(ctx, id)
		if err != nil {
			return err
		}
		for _, r := range rows {
			turn, err := fromTurn(r)
			if err != nil {
				return err
			}
			turns = append(turns, turn)
		}
		return nil
	})
	return turns, err
}

// StartTurn marks a queued or new turn as running, sets the session's state to
// running and emits turn.started and session.updated. Of a queued turn the
// stored text counts: it may have been edited.
func (d *DB) StartTurn(ctx context.Context, turn app.Turn) error {
	return d.update(ctx, func(t *tx) error {
		row, err := t.queued(turn.ID)
		switch {
		case app.ErrorCode(err) == app.CodeNotFound:
			err = t.insertTurn(turn, app.TurnRunning)
		case err == nil:
			if turn, err = fromTurn(row); err == nil {
				err = t.Queries.StartTurn(t.ctx, sqlgen.StartTurnParams{ID: turn.ID, Now: t.now})
			}
		}
		if err != nil {
			return err
		}
		if err := t.setState(turn.SessionID, func(s *app.Session) { s.State = app.StateRunning }); err != nil {
			return err
		}
		if _, err := t.emit(turn.SessionID, app.Fact{TurnID: turn.ID, Type: app.EventTurnStarted, Data: turnText(turn)}); err != nil {
			return err
		}
		_, err = t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

// EndTurn ends a running turn: settles its plan, sets the session's state to
// idle and LastStatus, and emits plan.updated (if one changed), turn.completed
// and session.updated. A turn that has ended before is app.CodeNoActiveTurn.
func (d *DB) EndTurn(ctx context.Context, id app.TurnID, end app.TurnEnded) error {
	return d.update(ctx, func(t *tx) error {
		turn, err := t.GetTurn(t.ctx, id)
		if err != nil {
			return orNotFound(err, noTurn)
		}
		if turn.State != app.TurnRunning {
			return &app.Error{Code: app.CodeNoActiveTurn, Message: "This turn is not running."}
		}
		if err := t.endTurn(turn, end); err != nil {
			return err
		}
		_, err = t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

// endTurn does all of EndTurn but the last event.
func (t *tx) endTurn(turn sqlgen.Turn, end app.TurnEnded) error {
	if err := t.Queries.EndTurn(t.ctx, sqlgen.EndTurnParams{ID: turn.ID, Now: t.now, Status: end.Status}); err != nil {
		return err
	}
	if err := t.settlePlan(turn, end.Status); err != nil {
		return err
	}
	if err := t.setState(turn.SessionID, func(s *app.Session) {
		s.State, s.LastStatus = app.StateIdle, end.Status
	}); err != nil {
		return err
	}
	_, err := t.emit(turn.SessionID, app.Fact{TurnID: turn.ID, Type: app.EventTurnCompleted, Data: end})
	return err
}

// setState changes a session without telling; the caller emits it afterwards.
func (t *tx) setState(id app.SessionID, change func(*app.Session)) error {
	row, err := t.row(id)
	if err != nil {
		return err
	}
	s := fromRow(row)
	change(&s)
	return t.setSession(id, s)
}

func (t *tx) insertTurn(turn app.Turn, state app.TurnState) error {
	if _, err := t.row(turn.SessionID); err != nil {
		return err
	}
	if turn.Attachments == nil {
		turn.Attachments = []app.Attachment{}
	}
	attachments, err := encode(turn.Attachments)
	if err != nil {
		return err
	}
	row := sqlgen.InsertTurnParams{
		ID: turn.ID, SessionID: turn.SessionID, Text: text(turn.Text), Attachments: attachments, LateID: turn.Late, FormID: turn.Form,
		Unrequested: turn.Unrequested, State: state,
	}
	if state == app.TurnQueued {
		row.QueuedMs = t.now
		if row.Place, err = t.LastPlace(t.ctx, turn.SessionID); err != nil {
			return err
		}
		row.Place++
	} else {
		row.StartedMs = t.now
	}
	if err := t.InsertTurn(t.ctx, row); err != nil {
		if turn.Late != "" && duplicate(err) {
			return &app.Error{Code: app.CodeAlreadyResolved, Message: "This question has been answered late already.", Err: err}
		}
		return err
	}
	return nil
}

// queued returns a turn that waits; one that runs or is over can't be edited.
func (t *tx) queued(id app.TurnID) (sqlgen.Turn, error) {
	turn, err := t.GetTurn(t.ctx, id)
	if err != nil {
		return turn, orNotFound(err, noTurn)
	}
	if turn.State != app.TurnQueued {
		return turn, &app.Error{Code: app.CodeSessionBusy, Message: "This message has been sent to the agent already."}
	}
	return turn, nil
}

func turnText(t app.Turn) app.TurnText {
	return app.TurnText{Text: t.Text, Attachments: t.Attachments, Unrequested: t.Unrequested, Late: t.Late, Form: t.Form}
}

func fromTurn(r sqlgen.Turn) (app.Turn, error) {
	t := app.Turn{
		ID: r.ID, SessionID: r.SessionID, Text: r.Text, Late: r.LateID, Form: r.FormID, Unrequested: r.Unrequested, State: r.State,
		QueuedAt: r.QueuedMs, StartedAt: r.StartedMs, EndedAt: r.EndedMs,
	}
	return t, decode(r.Attachments, &t.Attachments)
}
