package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
)

// fake is a program named claude that does what a script says; it knows its
// version unless the script says otherwise.
func (h *claudeHome) fake(name, script string) {
	h.t.Helper()
	path := filepath.Join(h.user, "fakes", name)
	h.write(path, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.install(path)
}

const knowsVersion = `[ "$1" = --version ] && { echo "2.1.332 (Claude Code)"; exit 0; }` + "\n"

// explained checks what a person reads of a start or a turn that went wrong: a
// sentence, what to do, and the exit code.
func (h *claudeHome) explained(want int, parts ...string) {
	h.t.Helper()
	began := time.Now()
	out, errs := h.run(want, "run", "--agent", "claude", "hello")
	for _, part := range parts {
		if !strings.Contains(errs, part) {
			h.t.Errorf("%q lacks %q", errs, part)
		}
	}
	if strings.TrimSpace(out) != "" {
		h.t.Errorf("standard output: %q", out)
	}
	h.t.Logf("after %d ms: %s", time.Since(began).Milliseconds(), strings.ReplaceAll(errs, "\n", " ⏎ "))
}

// works checks that the same back end still serves.
func (h *claudeHome) works() {
	h.t.Helper()
	if out, _ := h.run(exitDone, "run", "--agent", "demo", "--fast", "--cwd", h.work, "say still here"); !strings.Contains(out, "still here") {
		h.t.Errorf("the back end does not go on: %q", out)
	}
}

// Whatever stands in the place of Claude Code, the person reads what is wrong
// and what to do, and the back end goes on.
func TestClaudeThatDoesNotWork(t *testing.T) {
	h := newClaude(t)
	h.serve()
	for _, c := range []struct {
		name, script string // "" is no program at all
		code         int
		says         []string
	}{
		{"not there", "", exitNoAgent, []string{"Claude Code was not found on this computer.", "Install it and look again: npm install -g @anthropic-ai/claude-code"}},
		{"ends at once", "echo it is broken >&2; exit 1", exitFailed, []string{"does not run as Claude Code.", "Install it again: npm", "it is broken"}},
		{"ends at once when it works", knowsVersion + "echo no space left on the moon >&2; exit 1", exitFailed,
			[]string{"Claude Code ended with the exit code 1.", "Send the message again", "no space left on the moon"}},
		{"another program", "echo Hello, I am a shopping list.; echo Milk, 2", exitFailed, []string{"does not run as Claude Code.", "Install it again: npm", "shopping list"}},
		{"says what is no protocol", knowsVersion + "echo Welcome to the shopping list; echo Milk, 2; exec cat >/dev/null", exitFailed,
			[]string{"does not speak its protocol", "terminal", "Welcome to the shopping list"}},
		{"is of another computer", "\x7fELF\x02", exitFailed, []string{"does not run as Claude Code.", "Install it again: npm"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.in(t)
			if c.script == "" {
				h.install("")
			} else {
				h.fake(c.name, c.script)
			}
			h.explained(c.code, c.says...)
			h.works()
		})
	}
}

// The real CLI without credentials: it is found, and what it says becomes an
// advice.
func TestClaudeIsNotLoggedIn(t *testing.T) {
	h := newClaude(t)
	other := *h
	other.home = h.without("ANTHROPIC_API_KEY")
	other.serve()
	other.explained(exitNoAgent, "Claude Code is not logged in.", "Log in once in a terminal", "claude auth login")
	other.works()
}

// A CLI that never gets ready holds up nothing: Ctrl-C ends the wait and its
// processes.
func TestClaudeHangsAtItsStart(t *testing.T) {
	h := newClaude(t)
	h.serve()
	h.fake("hangs", "exec sleep 3600")
	r := h.claude("hello")
	h.works()
	started := r.event(app.EventAgentStarted).Data.(*app.AgentStarted)
	began := time.Now()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := r.code(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	t.Logf("Ctrl-C to the end: %d ms", time.Since(began).Milliseconds())
	if end := r.turnEnded(); end.Status != app.TurnInterrupted {
		t.Errorf("ended %+v", end)
	}
	goneProcess(t, started.PID)
	h.works()
}

// goneProcess waits for the end of a process.
func goneProcess(t *testing.T, pid int) {
	t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// The real CLI is killed in mid-turn, here by a command of its own.
func TestClaudeEndsInMidTurn(t *testing.T) {
	h := newClaude(t,
		onSaying("hello", use("k1", "Bash", map[string]any{"command": "kill -9 $PPID"})),
	)
	h.serve()
	r := h.start("run", "--agent", "claude", "hello")
	id := await(r, r.err, func(text string) (string, bool) {
		_, rest, _ := strings.Cut(text, "parley answer ")
		id, _, ok := strings.Cut(rest, " ")
		return id, ok
	})
	h.run(exitDone, "answer", id, "--allow", "once")
	if code := r.code(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, part := range []string{"Claude Code was killed.", "Send the message again"} {
		if !strings.Contains(r.err.String(), part) {
			t.Errorf("%q lacks %q", r.err, part)
		}
	}
	h.works()
}
