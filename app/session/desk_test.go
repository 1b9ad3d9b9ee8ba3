package session_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/app"
	"parley/app/store"
)

type desk struct {
	db   *store.DB
	mu   sync.Mutex
	open map[string]*card
}

type card struct {
	in   app.Interaction
	done chan app.Outcome
}

func newDesk(db *store.DB) *desk { return &desk{db: db, open: map[string]*card{}} }

func (d *desk) Ask(ctx context.Context, in app.Interaction) (app.Outcome, error) {
	in.ID = uuid.NewString()
	in.ClarifyID = in.ID
	in.RequestedAt = time.Now().UnixMilli()
	c := &card{in: in, done: make(chan app.Outcome, 1)}
	d.mu.Lock()
	d.open[in.ID] = c
	d.mu.Unlock()
	if err := d.db.OpenInteraction(context.Background(), in); err != nil {
		return app.Outcome{}, err
	}
	select {
	case out := <-c.done:
		out.InteractionID = in.ID
		return out, nil
	case <-ctx.Done():
		d.settle(in.ID, app.Outcome{Reason: app.ReasonCancelled, Cause: app.WithdrawnBy(ctx, app.CauseConnectionClosed)})
		out := <-c.done
		out.InteractionID = in.ID
		return out, nil
	}
}

func (d *desk) settle(id string, out app.Outcome) bool {
	d.mu.Lock()
	c := d.open[id]
	delete(d.open, id)
	d.mu.Unlock()
	if c == nil {
		return false
	}
	out.ResolvedAt = time.Now().UnixMilli()
	if out.Selected == nil {
		out.Selected = []string{}
	}
	d.db.SettleInteraction(context.Background(), id, out)
	c.done <- out
	return true
}

func (d *desk) CancelTurn(ctx context.Context, id app.TurnID, cause app.Cause) error {
	d.mu.Lock()
	var ids []string
	for i, c := range d.open {
		if c.in.RunID == id {
			ids = append(ids, i)
		}
	}
	d.mu.Unlock()
	for _, i := range ids {
		d.settle(i, app.Outcome{Reason: app.ReasonCancelled, Cause: cause})
	}
	return nil
}

func (d *desk) Delivered(ctx context.Context, id string) error {
	return d.db.InteractionDelivered(ctx, id)
}

func (d *desk) Update(ctx context.Context, s app.SessionID, t app.TurnID, explanation string, steps []app.PlanStep) (app.Plan, error) {
	return d.db.PutPlan(ctx, app.Plan{SessionID: s, TurnID: t, Explanation: explanation, Steps: steps, State: app.PlanActive})
}

func (w *world) answer(id, text string) {
	w.tb.Helper()
	if !w.desk.settle(id, app.Outcome{Reason: app.ReasonResponse, Cause: app.CausePerson, Response: text, Text: text, Action: app.ActionAllowOnce}) {
		w.tb.Fatal("it does not wait")
	}
}

func (d *desk) waiting() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.open))
}
