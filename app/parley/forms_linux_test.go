package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/app"
)

// Without a terminal a form ends the command with its own exit code and says how
// to answer; the answer, given on its own command line, runs the session on.
func TestAFormWithoutATerminal(t *testing.T) {
	h := newHome(t)
	r := h.demo("form", "--json")
	in := r.asks(app.KindForm)
	if code := r.code(); code != exitDeferred {
		t.Fatalf("exit code %d", code)
	}
	_, errs := h.run(exitDeferred, "sessions", "resume", in.SessionID)
	if !strings.Contains(errs, in.ID) || !strings.Contains(errs, "--set") {
		t.Errorf("it doesn't say how to answer: %q", errs)
	}
	h.run(exitDeferred, "sessions", "resume", in.SessionID, "hurry up")
	h.run(exitUsage, "answer", in.ID, "--set", "branch=main", "--set", "other=1")
	_, errs = h.run(exitDone, "answer", in.ID, "--set", "branch=main", "--set", "note=fine")
	if want := `{"answers":{"branch":["main"],"checks":[],"note":"fine"}}`; !strings.Contains(errs, want) {
		t.Errorf("the agent said %q, not %s", errs, want)
	}
	h.run(exitResolved, "answer", in.ID, "--set", "branch=stable")
	h.run(exitUsage, "sessions", "resume", in.SessionID)
}

// At a terminal a form is asked step by step, and the agent goes on in the same
// command; closed, it leaves the session as it is.
func TestAFormAtTheTerminal(t *testing.T) {
	h := newHome(t)
	keyboard, tty := terminal(t)
	r := h.demoAt(tty, "form")
	r.invites("Which branch should the release come from?")
	typed(t, keyboard, "1\n")
	r.invites("Which checks should run before it?")
	typed(t, keyboard, "1 3\n")
	r.invites("What should the note say?")
	typed(t, keyboard, "\n")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if want := `{"answers":{"branch":["main"],"checks":["unit tests","lint"],"note":""}}`; !strings.Contains(r.out.String()+r.err.String(), want) {
		t.Errorf("it said %q, not %s", r.out.String(), want)
	}

	r = h.demoAt(tty, `form {"questions":["Really?"]}`)
	r.invites("Really?")
	typed(t, keyboard, "/dismiss\n")
	if code := r.code(); code != exitDeferred {
		t.Errorf("closed: exit code %d", code)
	}
}

// A form that waits is asked again by the command that goes on with its session.
func TestAFormIsAnsweredLaterAtTheTerminal(t *testing.T) {
	h := newHome(t)
	r := h.demo(`form {"questions":[{"id":"go","question":"Go on?","options":["yes","no"]}]}`, "--json")
	in := r.asks(app.KindForm)
	r.code()
	keyboard, tty := terminal(t)
	cmd := exec.Command(h.bin, "sessions", "resume", in.SessionID)
	cmd.Dir, cmd.Env, cmd.Stdin = h.work, h.env, tty
	r = launch(t, cmd)
	r.invites("Go on?")
	typed(t, keyboard, "2\n")
	if code := r.code(); code != exitDone || !strings.Contains(r.out.String()+r.err.String(), `{"answer":["no"]}`) {
		t.Errorf("exit code %d, %q", code, r.out.String()+r.err.String())
	}
}

// A command that comes when the turn after a form runs already follows that turn
// to its end, and shows what there was of it before.
func TestAResumeJoinsTheTurnAfterAForm(t *testing.T) {
	h := newHome(t)
	server := h.start("serve")
	server.says(server.out, "/link/")
	r := h.demo(`form {"questions":[{"id":"go","question":"Go on?","options":["yes","no"]}]}`, "--json")
	in := r.asks(app.KindForm)
	if code := r.code(); code != exitDeferred {
		t.Fatalf("exit code %d", code)
	}
	h.run(exitDone, "answer", in.ID, "--dismiss", "--text", "slow")
	running := func() bool {
		now, err := h.client().Session(t.Context(), in.SessionID)
		return err == nil && now.State == app.StateRunning
	}
	for limit := time.Now().Add(patience); !running(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the message does not go out")
		}
	}
	watch := h.start("sessions", "resume", in.SessionID, "--json")
	delta := watch.event(app.EventMessageDelta)
	if err := h.client().Stop(t.Context(), in.SessionID); err != nil {
		t.Fatal(err)
	}
	if code := watch.code(); code != exitInterrupted || delta.TurnID == in.RunID {
		t.Errorf("exit code %d, followed %s", code, delta.TurnID)
	}
}
