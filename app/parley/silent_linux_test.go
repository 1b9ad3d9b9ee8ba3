package main

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"parley/app"
	"parley/app/apptest"
)

// A back end that is stopped, as by Ctrl-Z, answers nobody: a command goes at once
// when it is told to, and else says after a while what is the matter.
func TestASilentBackEndHoldsUpNobodyForEver(t *testing.T) {
	h := newHome(t)
	first := h.demo("Make a page", "--json")
	in := first.asks(app.KindClarify)
	if err := first.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer first.cmd.Process.Signal(syscall.SIGCONT)

	called := h.inPlaceOfSocket()
	for _, args := range [][]string{{"run", "--agent", "demo", "say hi"}, {"sessions", "resume", in.SessionID}} {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			waits := h.start(args...)
			called()
			if err := waits.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := waits.code(); code != exitInterrupted {
				t.Errorf("%s, %s: exit code %d", args[0], sig, code)
			}
		}
	}
	_, errs := h.run(exitFailed, "answer", in.ID, "--choose", "Good day")
	if !strings.Contains(errs, "doesn't answer") || !strings.Contains(errs, "Ctrl-Z") {
		t.Errorf("said: %s", errs)
	}
}

// inPlaceOfSocket takes the place of the home's control socket and answers nobody.
// called waits until somebody calls.
func (h *home) inPlaceOfSocket() (called func()) {
	h.t.Helper()
	socket := apptest.HomeIn(h.t, h.get("PARLEY_HOME")).Socket()
	if err := os.Rename(socket, socket+"-"); err != nil {
		h.t.Fatal(err)
	}
	ln, err := net.Listen("unix", socket)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { ln.Close() })
	return func() {
		h.t.Helper()
		c, err := ln.Accept()
		if err != nil {
			h.t.Fatal(err)
		}
		h.t.Cleanup(func() { c.Close() })
	}
}
