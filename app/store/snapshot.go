package store

import (
	"context"
	"slices"

	"parley/app"
	"parley/app/store/sqlgen"
)

// Snapshot is the present as one consistent state: the sessions, what waits or
// has moved on, and the plan that the newest turn of each session with an agent has.
func (d *DB) Snapshot(ctx context.Context) (snap app.Snapshot, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		now := d.now()
		snap = app.Snapshot{Version: d.cfg.Version, At: now, Interactions: []app.Interaction{}, Plans: []app.Plan{}}
		if snap.Sessions, err = sessions(ctx, q); err != nil {
			return err
		}
		for _, part := range []app.InteractionState{app.InteractionsWaiting, app.InteractionsMovedOn} {
			list, err := interactions(ctx, q, app.InteractionFilter{State: part}, now)
			if err != nil {
				return err
			}
			snap.Interactions = append(snap.Interactions, list...)
		}
		rows, err := q.ListNewestPlans(ctx)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !slices.ContainsFunc(snap.Sessions, func(s app.Session) bool { return s.ID == r.SessionID && s.Live }) {
				continue
			}
			p, err := fromPlan(r)
			if err != nil {
				return err
			}
			snap.Plans = append(snap.Plans, p)
		}
		return nil
	})
	return snap, err
}
