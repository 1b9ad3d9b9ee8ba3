package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/app"
	"parley/app/store/sqlgen"
)

// PutPlan stores the whole plan of a running turn and emits plan.updated. The
// first makes the card with the id given (revision 1); later ones replace its
// steps and count the revision up. A turn that doesn't run in that session is
// app.CodeNoActiveTurn.
func (d *DB) PutPlan(ctx context.Context, p app.Plan) (out app.Plan, err error) {
	err = d.update(ctx, func(t *tx) error {
		turn, err := t.GetTurn(t.ctx, p.TurnID)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if turn.State != app.TurnRunning || turn.SessionID != p.SessionID {
			return &app.Error{Code: app.CodeNoActiveTurn, Message: "This turn is over, so its plan can't be changed any more."}
		}
		out, err = t.putPlan(p)
		return err
	})
	return out, err
}

func (t *tx) putPlan(p app.Plan) (app.Plan, error) {
	steps, err := encode(p.Steps)
	if err != nil {
		return p, err
	}
	before, err := t.GetTurnPlan(t.ctx, p.TurnID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		p.Revision, p.State = 1, app.PlanActive
		err = t.InsertPlan(t.ctx, sqlgen.InsertPlanParams{
			ID: p.ID, SessionID: p.SessionID, TurnID: p.TurnID, Revision: p.Revision, State: p.State,
			Explanation: text(p.Explanation), Steps: steps, Now: t.now,
		})
	case err == nil:
		p.ID, p.Revision, p.State = before.ID, before.Revision+1, app.PlanActive
		err = t.updatePlan(p, steps)
	}
	if err != nil {
		return p, err
	}
	return p, t.tellPlan(p)
}

// settlePlan brings the plan of a turn that ends into its last state.
func (t *tx) settlePlan(turn sqlgen.Turn, end app.TurnStatus) error {
	row, err := t.GetTurnPlan(t.ctx, turn.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := fromPlan(row)
	if err != nil {
		return err
	}
	p, changed := p.Settled(end)
	if !changed {
		return nil
	}
	steps, err := encode(p.Steps)
	if err != nil {
		return err
	}
	if err := t.updatePlan(p, steps); err != nil {
		return err
	}
	return t.tellPlan(p)
}

func (t *tx) updatePlan(p app.Plan, steps string) error {
	return t.UpdatePlan(t.ctx, sqlgen.UpdatePlanParams{
		ID: p.ID, Revision: p.Revision, State: p.State, Explanation: text(p.Explanation), Steps: steps, Now: t.now,
	})
}

func (t *tx) tellPlan(p app.Plan) error {
	_, err := t.emit(p.SessionID, app.Fact{TurnID: p.TurnID, Type: app.EventPlanUpdated, Data: p})
	return err
}

// TurnPlan returns the plan of a turn; ok is false when it has none.
func (d *DB) TurnPlan(ctx context.Context, id app.TurnID) (p app.Plan, ok bool, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		row, err := q.GetTurnPlan(ctx, id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		p, err = fromPlan(row)
		return err
	})
	return p, ok, err
}

func fromPlan(r sqlgen.Plan) (app.Plan, error) {
	p := app.Plan{ID: r.ID, SessionID: r.SessionID, TurnID: r.TurnID, Revision: r.Revision, State: r.State, Explanation: r.Explanation}
	return p, decode(r.Steps, &p.Steps)
}
