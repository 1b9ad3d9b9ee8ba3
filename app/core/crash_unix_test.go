//go:build unix

package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"parley/agents/proc"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// When back end and supervisor are killed together, nothing of the agent is
// there any more once the next start is over, and its notes and tokens are gone.
func TestNothingSurvivesACrashOfBoth(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	cmd := startBackend(t, dirs)
	client := api.Dial(dirs.Socket())
	mark := uuid.NewString()
	tape := apptest.Follow(t, client)
	s := create(t, client, api.NewSession{Env: map[string]string{"MARK": mark}})
	tape.Asked(send(t, client, s.ID, "Make me a page"), app.KindClarify)

	notes, err := filepath.Glob(filepath.Join(dirs.Launches(), "*.json"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("launch records %v, %v", notes, err)
	}
	data, err := os.ReadFile(notes[0])
	if err != nil {
		t.Fatal(err)
	}
	var note proc.Record
	if err := json.Unmarshal(data, &note); err != nil {
		t.Fatal(err)
	}
	// Stopped, neither can react to what happens to the others.
	for _, kill := range []struct {
		pid    int
		signal syscall.Signal
	}{
		{note.Agent.PID, syscall.SIGSTOP}, {note.Shim.PID, syscall.SIGSTOP},
		{cmd.Process.Pid, syscall.SIGKILL}, {note.Shim.PID, syscall.SIGKILL},
	} {
		if err := syscall.Kill(kill.pid, kill.signal); err != nil {
			t.Fatalf("%v to %d: %v", kill.signal, kill.pid, err)
		}
	}
	cmd.Wait()
	if tokens, _ := filepath.Glob(filepath.Join(dirs.Runs(), "*")); len(tokens) == 0 {
		t.Fatal("the crash left no token, so nothing is tried")
	}
	backend.Open(t, dirs)
	gone(t, "MARK="+mark)
	if kept, _ := filepath.Glob(filepath.Join(dirs.Launches(), "*")); len(kept) > 0 {
		t.Fatalf("launch records kept: %v", kept)
	}
	if tokens, _ := filepath.Glob(filepath.Join(dirs.Runs(), "*")); len(tokens) > 0 {
		t.Fatalf("run folders kept: %v", strings.Join(tokens, " "))
	}
}
