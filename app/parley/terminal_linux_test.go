package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal: what is written to keyboard is typed.
func terminal(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	fd := int(keyboard.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return keyboard, tty
}

// demoAt starts the demo agent with somebody at the terminal.
func (h *home) demoAt(tty *os.File, prompt string) *running {
	h.t.Helper()
	cmd := exec.Command(h.bin, "run", "--agent", "demo", "--fast", "--cwd", h.work, prompt)
	cmd.Dir, cmd.Env, cmd.Stdin = h.work, h.env, tty
	return launch(h.t, cmd)
}

func typed(t *testing.T, keyboard *os.File, text string) {
	t.Helper()
	if _, err := keyboard.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestAQuestionIsAnsweredAtTheTerminal(t *testing.T) {
	for line, want := range map[string]string{"2": "Good day", "Hi & hello": "Hi &amp; hello"} {
		t.Run(line, func(t *testing.T) {
			h := newHome(t)
			keyboard, tty := terminal(t)
			r := h.demoAt(tty, "Make a page")
			typed(t, keyboard, "1\n") // before anything is asked: decides nothing
			r.says(r.err, "/dismiss to close it.")
			typed(t, keyboard, "\n") // by accident
			r.says(r.err, "Nothing was answered yet.")
			typed(t, keyboard, line+"\n")
			if code := r.code(); code != exitDone {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(h.hello(), want) {
				t.Errorf("the page says %q", h.hello())
			}
		})
	}
}

func TestAQuestionIsDismissedAtTheTerminal(t *testing.T) {
	h := newHome(t)
	keyboard, tty := terminal(t)
	r := h.demoAt(tty, "Make a page")
	r.says(r.err, "/dismiss to close it.")
	typed(t, keyboard, "/dismiss\n")
	if code := r.code(); code != exitDone || h.hello() != "" {
		t.Errorf("exit code %d, page %q", code, h.hello())
	}
}

// Somebody else is first: the terminal says so and asks no more.
func TestTheTerminalSeesAnAnswerFromElsewhere(t *testing.T) {
	h := newHome(t)
	_, tty := terminal(t)
	r := h.demoAt(tty, "Make a page")
	r.says(r.err, "/dismiss to close it.")
	out, _ := h.run(exitDone, "questions", "--json")
	id := eventID(t, out)
	h.run(exitDone, "answer", id, "--choose", "Welcome back")
	r.says(r.err, "answered on the command line: Welcome back")
	if code := r.code(); code != exitDone || !strings.Contains(h.hello(), "Welcome back") {
		t.Errorf("exit code %d, page %q", code, h.hello())
	}
}

// What was typed for a question that ended elsewhere answers no other one, and is
// no command for the shell behind.
func TestHalfALineIsForItsOwnQuestion(t *testing.T) {
	h := newHome(t)
	keyboard, tty := terminal(t)
	r := h.demoAt(tty, "ask 2")
	r.invites("Question 1 of 2")
	typed(t, keyboard, "delete all of it")
	out, _ := h.run(exitDone, "questions", "--json")
	h.run(exitDone, "answer", eventID(t, out), "--text", "no")
	r.invites("Question 2 of 2")
	typed(t, keyboard, "\n")
	r.says(r.err, "Nothing was answered yet.")
	typed(t, keyboard, "rm -rf build")
	out, _ = h.run(exitDone, "questions", "--json")
	h.run(exitDone, "answer", eventID(t, out), "--text", "no")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	typed(t, keyboard, "\n")
	left := make([]byte, 100)
	if n, err := tty.Read(left); err != nil || string(left[:n]) != "\n" {
		t.Errorf("the shell would get %q, %v", left[:n], err)
	}
	history, _ := h.run(exitDone, "questions", "--export", "md")
	if strings.Contains(history, "delete all of it") || strings.Count(history, "> no") != 2 {
		t.Errorf("the record says %s", history)
	}
}

func TestAPermissionIsAskedAtTheTerminal(t *testing.T) {
	h := newHome(t)
	keyboard, tty := terminal(t)
	r := h.demoAt(tty, "approve")
	r.says(r.err, "Deny")
	r.says(r.err, "exactly this command, in sessions that work in "+h.work)
	typed(t, keyboard, "yes\n") // no number: no consent
	r.says(r.err, "Type a number from 1 to 4.")
	typed(t, keyboard, "1\n")
	if code := r.code(); code != exitDone || !strings.Contains(r.out.String(), "You allowed") {
		t.Errorf("exit code %d, out %q", code, r.out)
	}
}

func eventID(t *testing.T, line string) string {
	t.Helper()
	_, rest, _ := strings.Cut(line, `"interaction_id":"`)
	id, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("no id in %q", line)
	}
	return id
}

// An agent must not answer itself: whatever it starts is kept from the API.
func TestAnAgentCannotAnswer(t *testing.T) {
	h := newHome(t)
	dir := t.TempDir()
	for _, name := range []string{"parley-mcp", "parley-run"} {
		copyProgram(t, filepath.Join(filepath.Dir(h.bin), name), filepath.Join(dir, name))
	}
	real := filepath.Join(dir, "parley-itself")
	copyProgram(t, h.bin, real)
	h.bin = real
	// The agent's program tries to use the command line before it does its work.
	// Its environment doesn't tell where, but it may know.
	script := fmt.Sprintf("#!/bin/sh\n%[4]s %[1]q questions >%[2]q 2>&1; echo $? >%[3]q\nexec %[1]q \"$@\"\n",
		real, filepath.Join(h.work, "attempt.out"), filepath.Join(h.work, "attempt.code"), h.env[0])
	if err := os.WriteFile(filepath.Join(dir, "parley"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r := h.demo("say done", "--json")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	code, err := os.ReadFile(filepath.Join(h.work, "attempt.code"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(h.work, "attempt.out"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(code)) != "1" || !strings.Contains(string(text), "An agent may not use this") {
		t.Errorf("exit code %s, %q", code, text)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}
