//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// Whoever answers while the back end that asked is ending finds it or, a moment
// later, the record: never an error of the connection.
func TestAnAnswerMeetsABackEndThatEnds(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	id := r.asks(app.KindClarify).ID
	var all []*running
	for range 6 {
		all = append(all, h.start("answer", id, "--choose", "Good day"))
	}
	accepted := 0
	for _, a := range all {
		switch code := a.code(); code {
		case exitDone:
			accepted++
		case exitResolved:
		default:
			t.Errorf("exit code %d: %s", code, a.err)
		}
	}
	if code := r.code(); code != exitDone || accepted != 1 {
		t.Errorf("%d answers were accepted, the run ended with %d", accepted, code)
	}
}

// at is the same computer with another work folder.
func (h *home) at(dir string) *home {
	other := *h
	other.work = dir
	return &other
}

// over reports whether a program has ended by now.
func (r *running) over() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

const staysFor = "Others work in the back end of this command (1 session)"

// A run that others use the back end of is done when they are.
func TestARunStaysUntilOthersAreDone(t *testing.T) {
	h := newHome(t)
	first := h.demo("Make a page", "--json")
	id := first.asks(app.KindClarify).ID
	other := h.at(t.TempDir()).demo("Make a page", "--json")
	otherID := other.asks(app.KindClarify).ID

	h.run(exitDone, "answer", id, "--choose", "Good day")
	first.says(first.err, staysFor)
	if first.over() || other.over() {
		t.Fatalf("ended: the first %v, the other %v", first.over(), other.over())
	}
	h.run(exitDone, "answer", otherID, "--choose", "Good day")
	if a, b := first.code(), other.code(); a != exitDone || b != exitDone {
		t.Errorf("exit codes %d and %d", a, b)
	}
	if log := h.log(); strings.Count(log, "msg=start ") != 1 {
		t.Errorf("not one back end: %s", log)
	}
}

// The person may end the wait, and with it everything; so may the system, which
// waits for nobody.
func TestAWaitForOthersCanBeEnded(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			h := newHome(t)
			first := h.demo("Make a page", "--json")
			id := first.asks(app.KindClarify).ID
			other := h.at(t.TempDir()).demo("Make a page", "--json")
			other.asks(app.KindClarify)
			agent := other.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
			if sig == syscall.SIGINT {
				h.run(exitDone, "answer", id, "--choose", "Good day")
				first.says(first.err, staysFor)
			}
			if err := first.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			want := exitInterrupted
			if sig == syscall.SIGINT {
				want = exitDone // its own turn was done before
			}
			if code := first.code(); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if end := other.event(app.EventTurnCompleted).Data.(*app.TurnEnded); end.Status != app.TurnInterrupted {
				t.Errorf("the other's turn ended as %s", end.Status)
			}
			if code := other.code(); code != exitInterrupted {
				t.Errorf("the other's exit code is %d", code)
			}
			goneProcess(t, agent)
		})
	}
}

// What only looks something up never becomes the back end of others: they wait
// until it is done.
func TestACommandThatLooksKeepsItsBackEndToItself(t *testing.T) {
	h := newHome(t)
	dir, begun, release := t.TempDir(), filepath.Join(h.work, "begun"), filepath.Join(h.work, "release")
	slow := "#!/bin/sh\n: >" + begun + "\nn=0; while [ ! -e " + release + " ] && [ $n -lt 400 ]; do sleep 0.01; n=$((n + 1)); done\necho 2.1.332 '(Claude Code)'\n"
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(slow), 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "PATH="+dir+":/usr/bin:/bin", "SHELL=/bin/false")
	looks := h.start("agents")
	for limit := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		if time.Now().After(limit) || looks.over() {
			t.Fatalf("the look did not begin: %s %s", looks.out, looks.err)
		}
	}
	socket := apptest.HomeIn(t, strings.TrimPrefix(h.env[0], "PARLEY_HOME=")).Socket()
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("others would find it: %v", err)
	}
	r := h.demo("say hello")
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a, b := looks.code(), r.code(); a != exitDone || b != exitDone {
		t.Errorf("exit codes %d and %d", a, b)
	}
	if !strings.Contains(looks.out.String(), "claude") || !strings.Contains(r.out.String(), "hello") {
		t.Errorf("said %q and %q", looks.out, r.out)
	}
}
