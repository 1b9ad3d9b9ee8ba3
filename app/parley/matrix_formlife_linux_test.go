package main

import (
	"cmp"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/mcp"
)

// serveAhead starts a back end in the person's folders whose clock is ahead.
func (h *claudeHome) serveAhead(ahead time.Duration) *running {
	h.t.Helper()
	cmd := exec.Command(apptest.Program(h.t, "ahead"), ahead.String())
	cmd.Dir, cmd.Env = h.work, h.env
	r := launch(h.t, cmd)
	r.says(r.out, "it is ")
	return r
}

// later kills the back end and starts one whose clock is ahead.
func (s *serving) later(ahead time.Duration) {
	s.t.Helper()
	if err := s.server.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	<-s.server.ended
	s.nothingLeft()
	s.server = s.serveAhead(ahead)
	s.client = s.claudeHome.client()
	s.tape = apptest.Follow(s.t, s.client)
}

// waits checks that a form waits, with everything that it asked.
func (s *serving) waits(in app.Interaction) {
	s.t.Helper()
	kept, err := s.client.Interaction(s.t.Context(), in.ID)
	if err != nil || !kept.Waiting() || len(kept.Questions) != len(in.Questions) {
		s.t.Fatalf("after the restart: %+v, %v", kept, err)
	}
}

// completed waits for the end of a turn that went well, the first of the tape.
func (s *serving) completed() {
	s.t.Helper()
	s.tape.Wait("the end of the turn", func(e app.Event) bool {
		d, ok := apptest.Data[app.TurnEnded](e)
		return ok && d.Status == app.TurnCompleted
	})
}

// cellFormLater: the back end is killed while a form waits and comes up three
// days later; the answer goes on. The same again, three more days later, with a
// message in place of an answer.
func cellFormLater(t *testing.T, f family) {
	s := f.serving(t, "prepare a release",
		onSaying("prepare a release", f.form("f1", classicForms[2].input)),
		fakemodel.Step{When: got(classicForms[2].gets), Reply: f.form("f2", classicForms[3].input)},
		fakemodel.Step{When: got(`{"reason":"dismissed"}`), Reply: fakemodel.Text("I leave it.")})
	first := s.shown(1)
	s.later(72 * time.Hour)
	s.waits(first)
	if _, err := s.client.Send(t.Context(), s.id, api.NewMessage{Text: "hurry"}); app.ErrorCode(err) != app.CodePendingForm {
		t.Errorf("a message was let through: %v", err)
	}
	if n := s.about("prepare a release"); n != 1 {
		t.Errorf("%d requests to the model before the answer, not 1", n)
	}
	s.run(exitDone, append([]string{"answer", first.ID}, classicForms[2].say...)...)
	second := s.shown(1)
	if n := s.about("prepare a release"); n != 2 {
		t.Errorf("%d requests to the model for one answer, not 1", n-1)
	}
	s.later(144 * time.Hour)
	s.waits(second)
	s.run(exitDone, "answer", second.ID, "--dismiss", "--text", "only rename it")
	s.completed()
	text := string(s.request("the closing", got(`{"reason":"dismissed"}`)).Raw)
	if closed, message := strings.Index(text, "closed the form"), strings.Index(text, "only rename it"); closed < 0 || message < closed {
		t.Errorf("the closing is at %d and the message at %d of what the model read", closed, message)
	}
	if n := s.about("prepare a release"); n != 3 {
		t.Errorf("%d requests to the model, not 3", n)
	}
}

// cellFormsInOneMessage: of a plan and two forms in one message of the model the
// first form is shown, and the model is asked no more until it is answered.
func cellFormsInOneMessage(t *testing.T, f family) {
	s := f.serving(t, "prepare a release",
		fakemodel.Step{When: fakemodel.UserSays("prepare a release"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			plan := f.use("l1", mcp.InteractionServer, mcp.ToolUpdatePlan, map[string]any{"context_id": contextOf(r), "plan": []any{
				map[string]any{"id": "a", "step": "Decide", "status": "in_progress"}}})
			all := plan.Blocks
			for _, call := range []string{"f1", "f2"} {
				all = append(all, f.form(call, strings.ReplaceAll(classicForms[0].input, "database", "database of "+call)).Blocks...)
			}
			return fakemodel.Blocks(all...)
		}},
		fakemodel.Step{When: got(classicForms[0].gets), Reply: fakemodel.Text("Then I do that.")})
	in := s.shown(1)
	if n := s.about("prepare a release"); n != 1 {
		t.Errorf("%d requests to the model when the form was shown and the run had ended, not 1", n)
	}
	s.run(exitDone, append([]string{"answer", in.ID}, classicForms[0].say...)...)
	s.completed()
	if n := s.about("prepare a release"); n != 2 {
		t.Errorf("%d requests to the model, not 2", n)
	}
	list, err := s.client.Interactions(t.Context(), app.InteractionFilter{SessionID: s.id, State: app.InteractionsAll})
	if err != nil || len(list) != 1 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

// cellFormOfSubAgent: a sub-agent may show no form, and its turn goes on.
func cellFormOfSubAgent(t *testing.T, f family) {
	afterDelegating := onResult("a1", fakemodel.Text("Then I ask nothing."))
	if f.waits != nil {
		afterDelegating = onResult("a1", f.waits("w1"))
	}
	h := newAgent(t, f,
		onSaying("third turn", f.delegate("a1", "SUBWORK")),
		onSaying("SUBWORK", f.form("a2", classicForms[0].input)),
		onResult("a2", fakemodel.Text("I could not ask.")),
		afterDelegating, onResult("w1", fakemodel.Text("Then I ask nothing.")),
	)
	r := f.begin(h, "sub-agent", "third turn")
	r.done()
	if told := h.told("a2"); !strings.Contains(told.Text, cmp.Or(f.kept, "sub-agent may not")) {
		t.Errorf("the sub-agent read %+v", told)
	}
	if strings.Contains(r.out.String(), ".requested") {
		t.Errorf("something was shown: %s", r.out)
	}
}
