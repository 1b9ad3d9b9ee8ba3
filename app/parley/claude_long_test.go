package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/apptest"
)

// long skips what takes minutes unless it is asked for.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("PARLEY_LONG") != "1" {
		t.Skip("takes minutes; make long runs it")
	}
}

// deadline sets the time that a question may wait.
func (h *claudeHome) deadline(seconds string) {
	h.write(apptest.HomeIn(h.t, h.get("PARLEY_HOME")).Settings(), `{"deadline_s": `+seconds+`}`)
}

// waitsOn waits for the time in which nothing may happen: a run that ends in it
// fails the test.
func (r *running) waitsOn(d time.Duration) {
	r.t.Helper()
	select {
	case <-time.After(d): // that it lasts is what is tested
	case <-r.ended:
		r.t.Fatalf("it ended within %v\nout:\n%s\nerr:\n%s", d, r.out, r.err)
	}
}

// A question outlives every limit of five minutes that a CLI, a transport or a
// connection on the way might have: after 310 s it is answered, and the model
// gets the answer.
func TestLongClaudeWaitsForMoreThanFiveMinutes(t *testing.T) {
	long(t)
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Answer: asks("q1", "Which database?", "Postgres", "SQLite")},
		onResult("q1", fakemodel.Text("Then I take that one.")),
	)
	h.deadline("600")
	r := h.claude("build it")
	asked := r.asks(app.KindClarify)
	began := time.Now()
	r.waitsOn(310 * time.Second)
	out, _ := h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	var reply app.Reply
	if err := json.Unmarshal([]byte(out), &reply); err != nil || !reply.Accepted || reply.Late {
		t.Errorf("reply %q, %v", out, err)
	}
	r.done()
	t.Logf("asked to the end of the turn: %.1f s", time.Since(began).Seconds())
	if got := h.clarified("q1"); got.Reason != "response" || got.Response != "SQLite" || got.ClarifyID != asked.ID {
		t.Errorf("the model read %+v", got)
	}
	if end := r.turnEnded(); end.WaitedMS < 310_000 {
		t.Errorf("it says that it waited %d ms", end.WaitedMS)
	}
	for _, e := range events(t, r.out.String()) {
		if n, ok := e.Data.(*app.Notice); ok {
			t.Errorf("notice %+v", n)
		}
	}
}

// Nobody answers in the shortest time that can be set: the model reads that,
// and no choice; the question can still be answered, as the next message.
func TestLongClaudeQuestionTimesOut(t *testing.T) {
	long(t)
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Answer: asks("q1", "Which database?", "Postgres", "SQLite")},
		onResult("q1", fakemodel.Text("Then I leave that.")),
		onSaying("SQLite", fakemodel.Text("Thanks, I take it.")),
	)
	h.deadline("60")
	h.serve()
	r := h.claude("build it")
	asked := r.asks(app.KindClarify)
	if asked.TimeoutMS != 60_000 {
		t.Fatalf("it may wait %d ms", asked.TimeoutMS)
	}
	began := time.Now()
	r.waitsOn(50 * time.Second)
	r.done()
	t.Logf("asked to the end of the turn: %.1f s", time.Since(began).Seconds())
	got := h.clarified("q1")
	if got.Reason != "timeout" || got.Response != "" || len(got.Selected) != 0 || got.Text != "" || !strings.Contains(got.Note, "not approval") {
		t.Errorf("the model read %+v", got)
	}
	namesNone(t, h.told("q1").Text, "Postgres", "SQLite")
	ended := *r.event(app.InteractionEvent(app.KindClarify, app.StepResolved)).Data.(*app.InteractionResolved)
	if waited := ended.ResolvedAt - asked.RequestedAt; ended.Reason != app.ReasonTimeout || ended.Cause != app.CauseDeadline || waited < 60_000 {
		t.Errorf("resolved %+v after %d ms", ended, waited)
	}
	out, _ := h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	var reply app.Reply
	if err := json.Unmarshal([]byte(out), &reply); err != nil || !reply.Accepted || !reply.Late {
		t.Errorf("late reply %q, %v", out, err)
	}
	if text := h.asked("SQLite").LastUserText(); !strings.Contains(text, "Which database?") {
		t.Errorf("the late answer does not say to what: %q", text)
	}
}

// A CLI that starts and says nothing is given up with a sentence.
func TestLongClaudeNeverGetsReady(t *testing.T) {
	long(t)
	h := newClaude(t)
	h.serve()
	h.fake("hangs", knowsVersion+"exec sleep 3600")
	began := time.Now()
	r := h.start("run", "--agent", "claude", "hello")
	r.waitsOn(30 * time.Second)
	if code := r.code(); code != exitFailed || !strings.Contains(r.err.String(), "did not get ready in time") {
		t.Errorf("exit code %d: %s", code, r.err)
	}
	t.Logf("given up after %.1f s: %s", time.Since(began).Seconds(), r.err)
	h.works()
}
