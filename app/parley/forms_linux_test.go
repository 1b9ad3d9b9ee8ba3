package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
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
	if list, _ := h.run(exitDone, "sessions", "list"); !strings.Contains(list, "form waits") {
		t.Errorf("the list says nothing of the form: %q", list)
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

// An answer whose run failed before the agent had it still waits in the session,
// and resume sends it.
func TestAnAnswerThatNeverArrivedGoesOutWithResume(t *testing.T) {
	h := newHome(t)
	agent, broken := filepath.Join(t.TempDir(), "agent"), filepath.Join(t.TempDir(), "broken")
	script := fmt.Sprintf("#!/bin/sh\n[ -e '%s' ] && exit 1\nexec '%s' agent demo --fast\n", broken, h.bin)
	if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf(`{"acp_agents":[{"id":"frail","name":"Frail","command":%q}]}`, agent)
	if err := os.WriteFile(apptest.HomeIn(t, h.get("PARLEY_HOME")).Settings(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	r := h.start("run", "--agent", "acp:frail", "--json", "form")
	in := r.asks(app.KindForm)
	if code := r.code(); code != exitDeferred {
		t.Fatalf("exit code %d", code)
	}
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(exitDone, "answer", in.ID, "--set", "branch=main") // it is accepted
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	out, _ := h.run(exitDone, "sessions", "resume", in.SessionID)
	if want := `{"answers":{"branch":["main"],"checks":[],"note":""}}`; !strings.Contains(out, want) {
		t.Errorf("the agent said %q, not %s", out, want)
	}
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
	if code := r.code(); code != exitInterrupted {
		t.Errorf("closed: exit code %d", code)
	}
	text := r.out.String() + r.err.String()
	if n := strings.Count(text, "Really?"); n != 1 {
		t.Errorf("asked %d times: %q", n, text)
	}
	if strings.Contains(text, "form waits") {
		t.Errorf("it says that a form waits which it has asked: %q", text)
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
	h.run(exitDone, "sessions", "stop", in.SessionID)
	if code := watch.code(); code != exitInterrupted || delta.TurnID == in.RunID {
		t.Errorf("exit code %d, followed %s", code, delta.TurnID)
	}
}

// What the turn asked before the command came is asked by it.
func TestAResumeAsksWhatWaits(t *testing.T) {
	h := newHome(t)
	server := h.start("serve")
	server.says(server.out, "/link/")
	r := h.demo(`form {"questions":[{"id":"go","question":"Go on?","options":["yes","no"]}]}`, "--json")
	in := r.asks(app.KindForm)
	if code := r.code(); code != exitDeferred {
		t.Fatalf("exit code %d", code)
	}
	h.run(exitDone, "answer", in.ID, "--dismiss", "--text", "ask 1")
	asks := func() bool {
		list, err := h.client().Interactions(t.Context(), app.InteractionFilter{State: app.InteractionsWaiting})
		return err == nil && len(list) == 1 && list[0].Kind == app.KindClarify
	}
	for limit := time.Now().Add(patience); !asks(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the agent does not ask")
		}
	}
	keyboard, tty := terminal(t)
	cmd := exec.Command(h.bin, "sessions", "resume", in.SessionID)
	cmd.Dir, cmd.Env, cmd.Stdin = h.work, h.env, tty
	r = launch(t, cmd)
	r.invites("Question 1 of 1: go on?")
	typed(t, keyboard, "by all means\n")
	if code := r.code(); code != exitDone || !strings.Contains(r.out.String(), "You answered 1 of 1") {
		t.Errorf("exit code %d, %q", code, r.out.String()+r.err.String())
	}
}
