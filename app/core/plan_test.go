package core_test

import (
	"strings"
	"testing"

	"parley/app"
	"parley/app/apptest"
	"parley/app/apptest/asker"
)

// A question holds up no plan of its own session: a client hears of the plan while
// the question waits, and the question still gets its answer.
func TestAPlanIsMadeWhileAQuestionWaits(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	programs := asker.Listen(t, apptest.Programs(t, "parley", "parley-mcp", "parley-run"))
	client := open(t, dirs, programs.Dir)
	tape := apptest.Follow(t, client)
	a := asker.Start(t, client, programs, true)
	a.Ask("Which of the two?", "The first", "The second")
	asked := tape.Wait("the question", func(e app.Event) bool {
		return e.Type == app.InteractionEvent(app.KindClarify, app.StepRequested)
	})
	in, _ := apptest.Data[app.Interaction](asked)
	for _, step := range []string{"look around", "wait for an answer"} {
		a.Plan(step)
		if line := a.Result(); !strings.Contains(line, "revision") {
			t.Fatalf("the plan's result is %s", line)
		}
		tape.Wait("the plan to "+step, func(e app.Event) bool {
			p, ok := apptest.Data[app.Plan](e)
			return ok && e.Type == app.EventPlanUpdated && len(p.Steps) == 1 && p.Steps[0].Step == step
		})
	}
	if rec, err := client.Interaction(ctx, in.ID); err != nil || !rec.Waiting() {
		t.Fatalf("the question: %+v, %v", rec, err)
	}
	if _, err := client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Selected: []string{"The second"}}); err != nil {
		t.Fatal(err)
	}
	if line := a.Result(); !strings.Contains(line, "The second") {
		t.Errorf("the question's result is %s", line)
	}
}
