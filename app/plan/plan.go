// Package plan keeps the task cards that agents write with parley_update_plan:
// it checks what they send and stores it. What becomes of a card when its turn
// ends is a rule of package app, which the store applies in the same
// transaction. It knows no agent and no window.
//
// Concurrency: it has no state; all methods may be called from any goroutine,
// and the store puts updates of one turn in order.
package plan

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"parley/app"
)

// Limits of a plan, in characters after trimming.
const (
	MaxSteps       = 30
	MaxID          = 100
	MaxStep        = 200
	MaxExplanation = 1000
)

// Records is what plans need of the store.
type Records interface {
	// PutPlan stores the whole plan of a running turn, counts its revision and
	// emits plan.updated. A turn that doesn't run in that session is
	// app.CodeNoActiveTurn.
	PutPlan(ctx context.Context, p app.Plan) (app.Plan, error)
}

// Board keeps the cards.
type Board struct{ records Records }

// New makes a board.
func New(r Records) *Board { return &Board{records: r} }

// Update stores the whole plan of a turn, in place of what was there, and
// returns it with its revision. It is told to clients once it is stored.
//
// Errors: app.CodeInvalidArgument with the field, the limit and what came
// instead, so that a model can correct its call; app.CodeNoActiveTurn;
// app.CodeStorageFailed.
func (b *Board) Update(ctx context.Context, session app.SessionID, turn app.TurnID, explanation string, steps []app.PlanStep) (app.Plan, error) {
	explanation, steps, err := Check(explanation, steps)
	if err != nil {
		return app.Plan{}, err
	}
	return b.records.PutPlan(ctx, app.Plan{
		ID: uuid.Must(uuid.NewV7()).String(), SessionID: session, TurnID: turn,
		State: app.PlanActive, Explanation: explanation, Steps: steps,
	})
}

// Check returns a plan with its texts trimmed, or says what is wrong with it.
func Check(explanation string, steps []app.PlanStep) (string, []app.PlanStep, error) {
	explanation = strings.TrimSpace(explanation)
	if n := utf8.RuneCountInString(explanation); n > MaxExplanation {
		return "", nil, tooLong("explanation", MaxExplanation, n)
	}
	if len(steps) == 0 || len(steps) > MaxSteps {
		return "", nil, invalid("plan", fmt.Sprintf("1 to %d steps", MaxSteps), fmt.Sprintf("%d steps", len(steps)),
			"A plan has 1 to %d steps; send the whole plan each time.", MaxSteps)
	}
	checked := make([]app.PlanStep, 0, len(steps))
	places := map[string]int{}
	working := -1
	for i, s := range steps {
		s.ID, s.Step = strings.TrimSpace(s.ID), strings.TrimSpace(s.Step)
		if err := checkStep(i, s); err != nil {
			return "", nil, err
		}
		if first, twice := places[s.ID]; twice {
			return "", nil, invalid(field(i, "id"), "unique", s.ID, "plan[%d] and plan[%d] have the same id; give each step its own.", first, i)
		}
		places[s.ID] = i
		if s.Status == app.StepInProgress {
			if working >= 0 {
				return "", nil, invalid(field(i, "status"), "at most one step in_progress", string(s.Status),
					"plan[%d] and plan[%d] are both in_progress; only one step can be.", working, i)
			}
			working = i
		}
		checked = append(checked, s)
	}
	return explanation, checked, nil
}

func checkStep(i int, s app.PlanStep) error {
	for _, t := range []struct {
		name, text string
		most       int
	}{{"id", s.ID, MaxID}, {"step", s.Step, MaxStep}} {
		switch n := utf8.RuneCountInString(t.text); {
		case n == 0:
			return invalid(field(i, t.name), fmt.Sprintf("1 to %d characters", t.most), "nothing", "%s is missing or blank.", field(i, t.name))
		case n > t.most:
			return tooLong(field(i, t.name), t.most, n)
		}
	}
	switch s.Status {
	case app.StepPending, app.StepInProgress, app.StepCompleted:
		return nil
	}
	return invalid(field(i, "status"), "pending, in_progress or completed", string(s.Status), "%s is not a status of a step.", field(i, "status"))
}

func field(i int, name string) string { return fmt.Sprintf("plan[%d].%s", i, name) }

func tooLong(field string, most, n int) error {
	return invalid(field, fmt.Sprintf("at most %d characters", most), fmt.Sprintf("%d characters", n),
		"%s is too long: it has %d characters, at most %d are possible. Shorten it.", field, n, most)
}

func invalid(field, limit, got, format string, args ...any) error {
	const most = 80
	if r := []rune(got); len(r) > most {
		got = string(r[:most]) + "…"
	}
	return &app.Error{Code: app.CodeInvalidArgument, Message: fmt.Sprintf(format, args...), Field: field, Limit: limit, Got: got}
}
