// Package plan keeps the task cards of turns: it checks what an agent sends and
// hands it to the record, which counts revisions and settles a card with its
// turn. It keeps nothing itself and may be used from any goroutine.
package plan

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"parley/app"
)

// Limits of a plan, in code points after trimming.
const (
	MaxSteps       = 30
	MaxStep        = 200
	MaxID          = 100
	MaxExplanation = 1000
)

// Records is what plans need of the store.
type Records interface {
	// PutPlan stores the whole plan and emits plan.updated; it gives the first of
	// a turn revision 1 and keeps the id of the first. A turn that does not run
	// is app.CodeNoActiveTurn.
	PutPlan(ctx context.Context, p app.Plan) (app.Plan, error)
}

// Plans checks and stores plans.
type Plans struct{ records Records }

// New makes Plans on a record.
func New(r Records) *Plans { return &Plans{records: r} }

// Update takes the whole plan of a turn and returns it with its revision. A
// plan that breaks a rule is app.CodeInvalidArgument with field, limit and what
// was got, and changes nothing.
func (p *Plans) Update(ctx context.Context, session app.SessionID, turn app.TurnID, explanation string, steps []app.PlanStep) (app.Plan, error) {
	explanation = strings.TrimSpace(explanation)
	checked, err := check(explanation, steps)
	if err != nil {
		return app.Plan{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return app.Plan{}, fmt.Errorf("make a plan's id: %w", err)
	}
	return p.records.PutPlan(ctx, app.Plan{
		ID: id.String(), SessionID: session, TurnID: turn, Explanation: explanation, Steps: checked,
	})
}

func check(explanation string, steps []app.PlanStep) ([]app.PlanStep, error) {
	if n := utf8.RuneCountInString(explanation); n > MaxExplanation {
		return nil, refuse("explanation", fmt.Sprintf("at most %d characters", MaxExplanation), fmt.Sprintf("%d characters", n))
	}
	if len(steps) == 0 || len(steps) > MaxSteps {
		return nil, refuse("plan", fmt.Sprintf("1 to %d steps", MaxSteps), fmt.Sprintf("%d steps", len(steps)))
	}
	out := make([]app.PlanStep, len(steps))
	ids := map[string]bool{}
	working := 0
	for i, s := range steps {
		s.ID, s.Step = strings.TrimSpace(s.ID), strings.TrimSpace(s.Step)
		at := func(field string) string { return fmt.Sprintf("plan[%d].%s", i, field) }
		switch n := utf8.RuneCountInString(s.ID); {
		case n == 0 || n > MaxID:
			return nil, refuse(at("id"), fmt.Sprintf("1 to %d characters", MaxID), fmt.Sprintf("%d characters", n))
		case ids[s.ID]:
			return nil, refuse(at("id"), "a different id for each step", s.ID)
		}
		if n := utf8.RuneCountInString(s.Step); n == 0 || n > MaxStep {
			return nil, refuse(at("step"), fmt.Sprintf("1 to %d characters", MaxStep), fmt.Sprintf("%d characters", n))
		}
		switch s.Status {
		case app.StepInProgress:
			working++
		case app.StepPending, app.StepCompleted:
		default:
			return nil, refuse(at("status"), "pending, in_progress or completed", string(s.Status))
		}
		ids[s.ID] = true
		out[i] = s
	}
	if working > 1 {
		return nil, refuse("plan", "at most one step in_progress", fmt.Sprintf("%d steps in_progress", working))
	}
	return out, nil
}

func refuse(field, limit, got string) error {
	return &app.Error{
		Code: app.CodeInvalidArgument, Field: field, Limit: limit, Got: got,
		Message: fmt.Sprintf("%s must have %s; it has %s.", field, limit, got),
	}
}
