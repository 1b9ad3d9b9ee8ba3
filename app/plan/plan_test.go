package plan_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"parley/app"
	"parley/app/plan"
	"parley/app/store"
)

func steps(n int) []app.PlanStep {
	out := make([]app.PlanStep, n)
	for i := range out {
		out[i] = app.PlanStep{ID: fmt.Sprint(i), Step: "do it", Status: app.StepPending}
	}
	return out
}

func with(change func(s []app.PlanStep)) []app.PlanStep {
	s := steps(3)
	change(s)
	return s
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		explanation string
		steps       []app.PlanStep
		field       string // "" when it is right
	}{
		"one step":              {steps: steps(1)},
		"thirty":                {steps: steps(30)},
		"none":                  {steps: nil, field: "plan"},
		"thirty-one":            {steps: steps(31), field: "plan"},
		"explained at length":   {explanation: strings.Repeat("为", 1000) + "  ", steps: steps(1)},
		"explained too long":    {explanation: strings.Repeat("为", 1001), steps: steps(1), field: "explanation"},
		"step at its limit":     {steps: with(func(s []app.PlanStep) { s[1].Step = " " + strings.Repeat("🤔", 200) + " " })},
		"step too long":         {steps: with(func(s []app.PlanStep) { s[1].Step = strings.Repeat("🤔", 201) }), field: "plan[1].step"},
		"blank step":            {steps: with(func(s []app.PlanStep) { s[2].Step = " \n" }), field: "plan[2].step"},
		"id at its limit":       {steps: with(func(s []app.PlanStep) { s[0].ID = strings.Repeat("i", 100) })},
		"id too long":           {steps: with(func(s []app.PlanStep) { s[0].ID = strings.Repeat("i", 101) }), field: "plan[0].id"},
		"no id":                 {steps: with(func(s []app.PlanStep) { s[0].ID = "" }), field: "plan[0].id"},
		"same id":               {steps: with(func(s []app.PlanStep) { s[2].ID = " 0 " }), field: "plan[2].id"},
		"unknown status":        {steps: with(func(s []app.PlanStep) { s[1].Status = "done" }), field: "plan[1].status"},
		"no status":             {steps: with(func(s []app.PlanStep) { s[1].Status = "" }), field: "plan[1].status"},
		"one in work":           {steps: with(func(s []app.PlanStep) { s[1].Status = app.StepInProgress; s[0].Status = app.StepCompleted })},
		"two in work":           {steps: with(func(s []app.PlanStep) { s[0].Status = app.StepInProgress; s[2].Status = app.StepInProgress }), field: "plan[2].status"},
		"a very long bad value": {steps: with(func(s []app.PlanStep) { s[1].Status = app.StepStatus(strings.Repeat("x", 10_000)) }), field: "plan[1].status"},
	} {
		t.Run(name, func(t *testing.T) {
			explanation, checked, err := plan.Check(c.explanation, c.steps)
			if c.field == "" {
				if err != nil || len(checked) != len(c.steps) || explanation != strings.TrimSpace(c.explanation) {
					t.Fatalf("refused: %v", err)
				}
				for i, s := range checked {
					if s.Step != strings.TrimSpace(c.steps[i].Step) || s.ID != strings.TrimSpace(c.steps[i].ID) || s.Status != c.steps[i].Status {
						t.Errorf("step %d became %+v", i, s)
					}
				}
				return
			}
			e, ok := errors.AsType[*app.Error](err)
			if !ok || e.Code != app.CodeInvalidArgument || e.Field != c.field || e.Limit == "" || e.Message == "" || len(e.Got) > 100 {
				t.Fatalf("refused with %+v", e)
			}
		})
	}
}

// world is a board on a real record with a running turn.
func world(t *testing.T) (b *plan.Board, db *store.DB, session, turn string, told func() []app.Plan) {
	t.Helper()
	var mu sync.Mutex
	var plans []app.Plan
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(t.TempDir(), "parley.db"), Committed: func(events []app.Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			if p, ok := e.Data.(app.Plan); ok {
				plans = append(plans, p)
			}
		}
	}})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	session, turn = uuid.NewString(), uuid.NewString()
	_, err = db.CreateSession(t.Context(), app.Session{ID: session, Kind: app.KindDirect})
	must(t, err)
	must(t, db.StartTurn(t.Context(), app.Turn{ID: turn, SessionID: session}))
	return plan.New(db), db, session, turn, func() []app.Plan {
		mu.Lock()
		defer mu.Unlock()
		out := plans
		plans = nil
		return out
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCardsLife(t *testing.T) {
	b, db, session, turn, told := world(t)
	ctx := t.Context()
	first, err := b.Update(ctx, session, turn, " first ", with(func(s []app.PlanStep) { s[0].Status = app.StepInProgress }))
	must(t, err)
	if first.Revision != 1 || first.Explanation != "first" || first.State != app.PlanActive || first.CurrentText() != "1/3 do it" {
		t.Fatalf("first: %+v", first)
	}
	_, err = b.Update(ctx, session, turn, "", steps(0))
	if app.ErrorCode(err) != app.CodeInvalidArgument {
		t.Fatalf("an empty plan: %v", err)
	}
	second, err := b.Update(ctx, session, turn, "", with(func(s []app.PlanStep) { s[0].Status, s[1].Status = app.StepCompleted, app.StepInProgress }))
	must(t, err)
	if second.Revision != 2 || second.ID != first.ID || second.CurrentText() != "2/3 do it" {
		t.Fatalf("second: %+v", second)
	}
	if diff := cmp.Diff([]app.Plan{first, second}, told()); diff != "" {
		t.Fatalf("told (-want +got):\n%s", diff)
	}
	// 20 updates at once: every one is counted, the last one stays.
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := b.Update(ctx, session, turn, "", steps(2)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, p := range told() {
		if p.Revision != int64(i+3) {
			t.Fatalf("update %d has revision %d", i, p.Revision)
		}
	}
	must(t, db.EndTurn(ctx, turn, app.TurnEnded{Status: app.TurnDeferred}))
	if settled := told(); len(settled) != 1 || settled[0].State != app.PlanEnded || settled[0].Revision != 23 {
		t.Fatalf("settled: %+v", settled)
	}
	// The next turn's card is a new one; the old one can't be changed.
	_, err = b.Update(ctx, session, turn, "", steps(1))
	if app.ErrorCode(err) != app.CodeNoActiveTurn {
		t.Fatalf("an update after the end: %v", err)
	}
	next := uuid.NewString()
	must(t, db.StartTurn(ctx, app.Turn{ID: next, SessionID: session}))
	p, err := b.Update(ctx, session, next, "", steps(1))
	must(t, err)
	if p.Revision != 1 || p.ID == first.ID {
		t.Fatalf("next turn: %+v", p)
	}
}

func TestForeignTurnsAreRefused(t *testing.T) {
	b, _, session, turn, told := world(t)
	for _, c := range [][2]string{{session, uuid.NewString()}, {uuid.NewString(), turn}} {
		if _, err := b.Update(context.Background(), c[0], c[1], "", steps(1)); app.ErrorCode(err) != app.CodeNoActiveTurn {
			t.Errorf("%v: %v", c, err)
		}
	}
	if p := told(); len(p) != 0 {
		t.Errorf("told %+v", p)
	}
}

func TestSettled(t *testing.T) {
	active := app.Plan{Revision: 4, State: app.PlanActive, Steps: []app.PlanStep{
		{ID: "a", Status: app.StepCompleted}, {ID: "b", Status: app.StepInProgress}, {ID: "c", Status: app.StepPending},
	}}
	for end, want := range map[app.TurnStatus]app.PlanState{
		app.TurnCompleted: app.PlanEnded, app.TurnDeferred: app.PlanEnded, app.TurnInterrupted: app.PlanInterrupted, app.TurnFailed: app.PlanFailed,
	} {
		got, changed := active.Settled(end)
		if !changed || got.State != want || got.Revision != 5 || got.Steps[0].Status != app.StepCompleted ||
			got.Steps[1].Status != app.StepPending || got.Steps[2].Status != app.StepPending {
			t.Errorf("%s: %+v", end, got)
		}
		if _, again := got.Settled(app.TurnFailed); again {
			t.Errorf("%s: settled twice", end)
		}
	}
	if active.Steps[1].Status != app.StepInProgress {
		t.Error("the plan given was changed")
	}
}
