package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/app"
	"parley/app/store/sqlgen"
)

// SettleForm stores how a form ended and, with it, the message that tells the
// agent: next stands at the head of the queue, before all that waited for the
// form. nil queues nothing. It emits form.resolved, turn.queued and
// session.updated, and returns the record as it is then; settled is false, and
// nothing was queued, when an earlier outcome stands.
func (d *DB) SettleForm(ctx context.Context, id string, out app.Outcome, next *app.Turn) (in app.Interaction, settled bool, err error) {
	err = d.update(ctx, func(t *tx) error {
		if in, err = t.interaction(id); err != nil || !in.Waiting() {
			return err
		}
		settled = true
		if in, err = t.settle(in, out, false); err != nil {
			return err
		}
		if next != nil {
			if err := t.queueFirst(*next); err != nil {
				return err
			}
		}
		_, err = t.emitSession(in.SessionID, app.EventSessionUpdated)
		return err
	})
	return in, settled && err == nil, err
}

// QueueFirst stores a message that goes out before all others that wait, and
// emits turn.queued.
func (d *DB) QueueFirst(ctx context.Context, turn app.Turn) error {
	return d.update(ctx, func(t *tx) error {
		if err := t.queueFirst(turn); err != nil {
			return err
		}
		_, err := t.emitSession(turn.SessionID, app.EventSessionUpdated)
		return err
	})
}

func (t *tx) queueFirst(turn app.Turn) error {
	if err := t.insertTurn(turn, app.TurnQueued); err != nil {
		return err
	}
	if _, err := t.emit(turn.SessionID, app.Fact{TurnID: turn.ID, Type: app.EventTurnQueued, Data: turnText(turn)}); err != nil {
		return err
	}
	row, err := t.queued(turn.ID)
	if err != nil {
		return err
	}
	return t.moveQueued(row, 0)
}

// OwedForm is a session's newest form while its end has not reached the agent:
// it waits, or it was settled and the agent doesn't know yet. deferred says that
// the turn which showed it ended for it, as the agent's CLI noted too. ok is
// false when nothing is owed.
func (d *DB) OwedForm(ctx context.Context, id app.SessionID) (in app.Interaction, deferred, ok bool, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		r, err := q.NewestForm(ctx, id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		in, err = fromInteraction(record{r.Interaction, r.Draft}, d.now())
		deferred, ok = r.Status == string(app.TurnDeferred), in.DeliveredAt == 0
		return err
	})
	return in, deferred, ok && err == nil, err
}
