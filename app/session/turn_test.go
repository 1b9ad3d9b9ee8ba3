package session_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/proc/pids"
	"parley/app"
	"parley/app/apptest"
	"parley/app/session"
)

func TestOneTurn(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\ndelta m1 Hel\ndelta m1 lo\nsay m1 Hello!\ntoolend t1 done")
	end := w.ended(turn)
	if end.Status != app.TurnCompleted || end.Problem != nil {
		t.Fatalf("ended %+v", end)
	}
	want := []app.EventType{
		app.EventTurnQueued, app.EventTurnStarted, app.EventAgentStarted,
		app.EventToolStarted, app.EventMessageCompleted, app.EventToolCompleted, app.EventTurnCompleted,
	}
	if got := w.types(turn); !slices.Equal(got, want) {
		t.Fatalf("events %v, want %v", got, want)
	}
	if got := w.idle(s.ID); !got.Live || got.Title != "tool t1" || got.LastStatus != app.TurnCompleted || got.NativeID == "" || got.Branch != "main" {
		t.Fatalf("session %+v", got)
	}
	for _, e := range w.tape.All() {
		if d, ok := e.Data.(app.AgentStarted); ok && strings.Contains(d.Command, "hush") {
			t.Fatalf("a secret is shown: %s", d.Command)
		}
	}
}

// The second turn finds the agent up: one process for the whole session.
func TestOneProcessForManyTurns(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	w.ended(w.send(s.ID, "say m one"))
	before, err := w.m.Processes(s.ID)
	if err != nil || len(before) == 0 {
		t.Fatalf("processes %v, %v", before, err)
	}
	w.ended(w.send(s.ID, "say m two"))
	after, err := w.m.Processes(s.ID)
	if err != nil || after[0].PID != before[0].PID || w.ad.launches() != 1 {
		t.Fatalf("%v became %v after %d launches, %v", before, after, w.ad.launches(), err)
	}
}

// Pieces of a text carry its id and the place in it, and what is streaming now
// can be asked for.
func TestStreamingText(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "delta m1 问题\ndelta m1 🤔\ntool t1\nwait")
	w.began(turn, "t1")
	var text string
	for _, e := range w.tape.All() {
		if d, ok := e.Data.(app.Delta); ok {
			if d.Offset != len(text) {
				t.Fatalf("piece %q lies at %d, not %d", d.Text, d.Offset, len(text))
			}
			text += d.Text
		}
	}
	if text != "问题🤔" {
		t.Fatalf("streamed %q", text)
	}
	live := w.m.Live(s.ID)
	if len(live) != 1 || live[0].Data.(app.Delta).Text != "问题🤔" || live[0].TurnID != turn {
		t.Fatalf("live %+v", live)
	}
}

// A stop in mid-sentence keeps the sentence, ends the tool, and the agent
// stays up.
func TestStopKeepsWhatWasSaid(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "delta m1 half a sen\ntool t1\nwait")
	w.began(turn, "t1")
	for range 2 {
		if err := w.m.Stop(context.Background(), s.ID); err != nil {
			t.Fatal(err)
		}
	}
	if end := w.ended(turn); end.Status != app.TurnInterrupted || end.Problem != nil {
		t.Fatalf("ended %+v", end)
	}
	if got := w.texts(turn)["m1"]; got.Text != "half a sen" || !got.Partial {
		t.Fatalf("kept %+v", got)
	}
	e := w.tape.Wait("end of the tool", func(e app.Event) bool { return e.Type == app.EventToolCompleted })
	if d := e.Data.(app.ToolCompleted); d.ToolID != "t1" || d.Status != app.ToolCancelled {
		t.Fatalf("tool ended %+v", d)
	}
	w.ended(w.send(s.ID, "say m on"))
	if w.ad.launches() != 1 {
		t.Fatalf("%d launches", w.ad.launches())
	}
}

// Stop during a question: the question is cancelled and recorded before the
// turn's end, and the session is idle.
func TestStopDuringAQuestion(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "say m before\napprove a1")
	in := w.asked(turn)
	if got := w.session(s.ID).State; got != app.StateWaiting {
		t.Fatalf("state %s", got)
	}
	if err := w.m.Stop(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(turn)
	types := w.types(turn)
	resolved := slices.Index(types, app.InteractionEvent(app.KindApproval, app.StepResolved))
	if resolved < 0 || resolved > slices.Index(types, app.EventTurnCompleted) {
		t.Fatalf("events %v", types)
	}
	got, err := w.db.Interaction(context.Background(), in.ID)
	if err != nil || got.Outcome == nil || got.Outcome.Reason != app.ReasonCancelled || got.Outcome.Cause != app.CauseTurnStopped {
		t.Fatalf("outcome %+v, %v", got.Outcome, err)
	}
	w.idle(s.ID)
}

// An agent that does not stop is ended with all that it started; the next
// message brings it up again and resumes.
func TestDeafAgentIsEnded(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Wait.Stop = 50 * time.Millisecond })
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "fork\ntool t1\ndeaf")
	w.began(turn, "t1")
	procs, err := w.m.Processes(s.ID)
	if err != nil || len(procs) < 2 {
		t.Fatalf("processes %+v, %v", procs, err)
	}
	native := w.session(s.ID).NativeID
	if err := w.m.Stop(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	if end := w.ended(turn); end.Status != app.TurnInterrupted {
		t.Fatalf("ended %+v", end)
	}
	for _, p := range procs {
		if found, err := pids.Lookup(p.PID); !errors.Is(err, fs.ErrNotExist) && !found.Zombie {
			t.Fatalf("process %d is still there: %+v, %v", p.PID, found, err)
		}
	}
	if end := w.ended(w.send(s.ID, "say m again")); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v", end)
	}
	if got := w.ad.lastSpec().NativeID; got != native || got == "" {
		t.Fatalf("resumed %q, not %q", got, native)
	}
}

// An agent whose family needs longer to heed a stop has its time, and the same
// process goes on.
func TestSlowStop(t *testing.T) {
	heed := make(chan struct{})
	w := newWorld(t, func(c *session.Config, ad *adapter) {
		c.Wait.Stop, ad.stopWithin, ad.heed = time.Nanosecond, apptest.Patience, heed
	})
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t1\nwait")
	w.began(turn, "t1")
	if err := w.m.Stop(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.tape.Wait("the stop", func(app.Event) bool { return w.session(s.ID).State == app.StateStopping })
	close(heed)
	if end := w.ended(turn); end.Status != app.TurnInterrupted {
		t.Fatalf("ended %+v", end)
	}
	if end := w.ended(w.send(s.ID, "say m again")); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v", end)
	}
	for _, e := range w.tape.All() {
		if e.Type == app.EventAgentExited {
			t.Errorf("the agent was ended: %+v", e.Data)
		}
	}
}

// A prompt that is stopped at once stays in the record, whatever the agent had
// got to.
func TestSendAndStopAtOnce(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	for i := range 5 {
		turn := w.send(s.ID, "tool t1\nwait")
		if err := w.m.Stop(context.Background(), s.ID); err != nil {
			t.Fatal(err)
		}
		if end := w.ended(turn); end.Status != app.TurnInterrupted {
			t.Fatalf("%d: ended %+v", i, end)
		}
	}
	page, _, _, err := w.db.Events(context.Background(), s.ID, 0, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	prompts := 0
	for _, e := range page {
		if d, ok := e.Data.(*app.TurnText); ok && e.Type == app.EventTurnStarted && strings.HasPrefix(d.Text, "tool t1") {
			prompts++
		}
	}
	if prompts != 5 {
		t.Fatalf("%d prompts in the record", prompts)
	}
}

// A crash in mid-turn says what the agent said last, cancels its question as a
// lost connection, holds the queue; the next message resumes and everything
// goes out in order.
func TestCrash(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "delta m1 almost\nwait")
	second := w.send(s.ID, "say m second")
	w.tape.Wait("text", func(e app.Event) bool { return e.Type == app.EventMessageDelta })
	kill(t, w, s.ID)
	end := w.ended(turn)
	if end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Title != "The scripted agent has ended." {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	if got := w.texts(turn)["m1"]; got.Text != "almost" || !got.Partial {
		t.Fatalf("kept %+v", got)
	}
	e := w.tape.Wait("agent.exited", func(e app.Event) bool { return e.Type == app.EventAgentExited })
	if d := e.Data.(app.AgentExited); d.Reason != "crashed" || d.Signal != "SIGKILL" {
		t.Fatalf("exited %+v", d)
	}
	if got := w.idle(s.ID); got.Live || len(got.Queued) != 1 || !got.Queued[0].Held {
		t.Fatalf("session %+v", got)
	}
	third := w.send(s.ID, "say m third")
	w.ended(third)
	if w.ad.lastSpec().NativeID == "" {
		t.Fatal("it was not resumed")
	}
	order := slices.DeleteFunc(w.tape.All(), func(e app.Event) bool { return e.Type != app.EventTurnStarted })
	if len(order) != 3 || order[1].TurnID != second || order[2].TurnID != third {
		t.Fatalf("order %+v", order)
	}
}

func TestCrashSaysWhatWasOnStderr(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	end := w.ended(w.send(s.ID, "crash 3 the disk is on fire"))
	if end.Problem == nil || !strings.Contains(end.Problem.Evidence, "the disk is on fire") {
		t.Fatalf("problem %+v", end.Problem)
	}
	e := w.tape.Wait("agent.exited", func(e app.Event) bool { return e.Type == app.EventAgentExited })
	if d := e.Data.(app.AgentExited); d.Code != 3 {
		t.Fatalf("exited %+v", d)
	}
}

func TestCrashDuringAQuestion(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "native n1")
	in := w.asked(turn)
	kill(t, w, s.ID)
	w.ended(turn)
	got, err := w.db.Interaction(context.Background(), in.ID)
	if err != nil || got.Outcome == nil || got.Outcome.Cause != app.CauseConnectionClosed || !got.MovedOn() {
		t.Fatalf("outcome %+v, %v", got.Outcome, err)
	}
}

// A problem that the agent names itself is not replaced, and what was queued
// behind it waits for the person.
func TestOwnProblemHoldsTheQueue(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "broken")
	w.send(s.ID, "say m queued")
	end := w.ended(turn)
	if end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != "rate_limited" {
		t.Fatalf("ended %+v", end)
	}
	got := w.idle(s.ID)
	if len(got.Queued) != 1 || !got.Queued[0].Held || !got.Live {
		t.Fatalf("session %+v", got)
	}
	if err := w.m.Resume(context.Background(), s.ID); err != nil {
		t.Fatal(err)
	}
	w.ended(got.Queued[0].TurnID)
}

// A conversation that the CLI no longer has ends the turn with that reason, and
// the next message begins a new one.
func TestLostConversation(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	w.ended(w.send(s.ID, "say m x"))
	w.open()
	w.ad.problem = &agents.Problem{Code: "session_lost", Title: "It is gone."}
	if end := w.ended(w.send(s.ID, "say m y")); end.Status != app.TurnFailed || end.Problem.Code != "session_lost" {
		t.Fatalf("ended %+v", end)
	}
	w.ad.problem = nil
	if end := w.ended(w.send(s.ID, "say m y")); end.Status != app.TurnCompleted || w.ad.lastSpec().NativeID != "" {
		t.Fatalf("ended %+v, resumed %q", end, w.ad.lastSpec().NativeID)
	}
}

// What cannot be started ends the turn with the reason, and not the session.
func TestAgentThatCannotStart(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(*world)
		code   string
	}{
		"refused":         {func(w *world) { w.ad.problem = &agents.Problem{Code: "refused_mode", Title: "No."} }, "refused_mode"},
		"folder gone":     {func(w *world) { os.RemoveAll(w.dir) }, "folder_unusable"},
		"shim gone":       {func(w *world) { w.cfg.Shim = "/does/not/exist"; w.open() }, "not_started"},
		"dies in opening": {func(w *world) { w.ad.openHook = func() { kill(w.tb, w, "") } }, "exited"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.create(app.NewSession{})
			c.break_(w)
			end := w.ended(w.send(s.ID, "say m hello"))
			if end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Code != c.code {
				t.Fatalf("ended %+v %+v", end, end.Problem)
			}
			w.idle(s.ID)
		})
	}
}

// kill ends the agent of a session, or of the only one, without a word.
func kill(tb testing.TB, w *world, id app.SessionID) {
	tb.Helper()
	e := w.tape.Wait("agent.started", func(e app.Event) bool {
		return e.Type == app.EventAgentStarted && (id == "" || e.SessionID == id)
	})
	p, err := os.FindProcess(e.Data.(app.AgentStarted).PID)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		tb.Fatal(err)
	}
}
