package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// fakeClaude puts a script in the place of Claude Code that tells a version and
// then does what is said.
func (h *home) fakeClaude(version, then string) {
	h.t.Helper()
	path := filepath.Join(h.get("HOME"), ".local", "bin", "claude")
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '" + version + " (Claude Code)'; exit; fi\n" + then + "\n"
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(script), 0o700)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// The doctor tells of each check as it ends and of all in a table, says what to
// do, and its exit code says that something failed. It offers itself again for
// another version.
func TestDoctorFails(t *testing.T) {
	h := newHome(t)
	h.fakeClaude("2.1.300", "echo 'no space left on device' >&2; exit 3")
	out, errs := h.run(exitFailed, "doctor", "claude")
	for _, part := range []string{"claude  2.1.300  no     FAILED  not tried", "no space left on device"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	for _, part := range []string{"claude 2.1.300: trying\n", "claude 2.1.300: starts FAILED\n", "claude 2.1.300: left ok nothing\n"} {
		if !strings.Contains(errs, part) {
			t.Errorf("no %q in\n%s", part, errs)
		}
	}
	out, _ = h.run(exitFailed, "doctor", "--json", "claude")
	var r app.DoctorReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Running || len(r.Agents) != 1 || len(r.Agents[0].Checks) != len(app.Checks()) {
		t.Errorf("%s\n%v", out, err)
	}
	if _, errs := h.run(exitDone, "agents"); strings.Contains(errs, "doctor") {
		t.Errorf("the same version is offered again: %s", errs)
	}
	h.fakeClaude("2.1.301", "exit 3")
	if _, errs := h.run(exitDone, "agents"); !strings.Contains(errs, "Try it: parley doctor claude") {
		t.Errorf("another version is not offered: %s", errs)
	}
	if _, errs := h.run(exitUsage, "doctor", "nobody"); !strings.Contains(errs, "Parley knows no agent named nobody") {
		t.Errorf("an unknown agent: %s", errs)
	}
}

// Ctrl-C ends what the doctor started, and leaves no folder.
func TestDoctorInterrupted(t *testing.T) {
	h := newHome(t)
	h.fakeClaude("2.1.300", "exec sleep 600")
	trials := apptest.HomeIn(t, h.get("PARLEY_HOME")).Trials()
	running := func() []string { return marked(t, "HOME="+filepath.Join(trials, "claude")+"\x00") }
	r := h.start("doctor", "claude")
	for limit := time.Now().Add(patience); !strings.Contains(strings.Join(running(), " "), "sleep"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("nothing is tried: %v", running())
		}
	}
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := r.code(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if left := running(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(trials); !os.IsNotExist(err) {
		t.Errorf("the folder of trials: %v", err)
	}
}
