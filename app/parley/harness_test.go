package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/apptest"
)

// The tests here run the real programs: parley, which starts parley-run, which
// starts the demo agent, which starts parley-mcp. Every wait is for something
// that the programs say, and is bounded by patience.
const patience = 3 * time.Minute

// home is a person's computer: folders of Parley, a work folder, programs.
type home struct {
	t    *testing.T
	bin  string // the path of parley; its other programs lie beside it
	work string // a folder to work in
	env  []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real programs")
	}
	t.Parallel()
	dirs := apptest.Home(t)
	user := t.TempDir()
	work := t.TempDir()
	t.Cleanup(func() { allGone(t, "HOME="+user) }) // before the folders go, after the programs
	return &home{
		t: t, work: work,
		bin: filepath.Join(apptest.Programs(t, "parley", "parley-mcp", "parley-run"), "parley"),
		env: []string{"PARLEY_HOME=" + filepath.Dir(dirs.Config), "HOME=" + user, "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "LANG=C.UTF-8",
			"PARLEY_DEMO_STATE=" + filepath.Join(user, "demo")},
	}
}

// allGone waits until no process has the variable: what a killed program had
// started ends by itself, a moment later. Where processes can't be listed it
// does nothing.
func allGone(t *testing.T, variable string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left = nil
		environs, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range environs {
			if text, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(text), "\x00"), variable) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left behind: %q", left)
			return
		}
	}
}

// running is a program that was started.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *lines
	err   *lines
	ended chan struct{}
}

// start starts parley.
func (h *home) start(args ...string) *running {
	h.t.Helper()
	cmd := exec.Command(h.bin, args...)
	cmd.Dir, cmd.Env = h.work, h.env
	return launch(h.t, cmd)
}

func launch(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd, out: newLines(), err: newLines(), ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = r.out, r.err
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		cmd.Wait() // its code is in ProcessState
	}()
	t.Cleanup(func() {
		select {
		case <-r.ended:
		default:
			cmd.Process.Kill() // the tree below it ends by itself
			<-r.ended
		}
		if t.Failed() {
			t.Logf("%s\nout:\n%s\nerr:\n%s", strings.Join(cmd.Args, " "), r.out, r.err)
		}
	})
	return r
}

// code waits for the end.
func (r *running) code() int {
	r.t.Helper()
	select {
	case <-r.ended:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		r.t.Fatalf("%s does not end\nout:\n%s\nerr:\n%s", strings.Join(r.cmd.Args, " "), r.out, r.err)
		return -1
	}
}

// run runs parley to its end and checks the exit code.
func (h *home) run(want int, args ...string) (out, errs string) {
	h.t.Helper()
	r := h.start(args...)
	if got := r.code(); got != want {
		h.t.Errorf("parley %s: exit code %d, want %d\nout:\n%s\nerr:\n%s", strings.Join(args, " "), got, want, r.out, r.err)
	}
	return r.out.String(), r.err.String()
}

// lines is output that can be waited for.
type lines struct {
	mu   sync.Mutex // guards text and more
	text bytes.Buffer
	more chan struct{} // closed with each write
}

func newLines() *lines { return &lines{more: make(chan struct{})} }

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.more)
	l.more = make(chan struct{})
	return l.text.Write(p)
}

func (l *lines) read() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String(), l.more
}

func (l *lines) String() string { text, _ := l.read(); return text }

// await waits until the output holds what find finds in it.
func await[T any](r *running, l *lines, find func(text string) (T, bool)) T {
	r.t.Helper()
	limit := time.After(patience)
	for {
		text, more := l.read()
		if found, ok := find(text); ok {
			return found
		}
		select {
		case <-more:
		case <-r.ended:
			text, _ := l.read()
			found, ok := find(text)
			if !ok {
				r.t.Fatalf("%s ended before it said what was awaited\nout:\n%s\nerr:\n%s", strings.Join(r.cmd.Args, " "), r.out, r.err)
			}
			return found
		case <-limit:
			r.t.Fatalf("%s does not say what is awaited\nout:\n%s\nerr:\n%s", strings.Join(r.cmd.Args, " "), r.out, r.err)
		}
	}
}

func (r *running) says(l *lines, part string) {
	r.t.Helper()
	await(r, l, func(text string) (bool, bool) { return true, strings.Contains(text, part) })
}

// invites waits until the terminal has asked this and invites to type.
func (r *running) invites(question string) {
	r.t.Helper()
	await(r, r.err, func(text string) (bool, bool) {
		_, after, ok := strings.Cut(text, question)
		return true, ok && strings.Contains(after, "/dismiss to close it.")
	})
}

// event waits for the first event of a type in the output of --json.
func (r *running) event(typ app.EventType) app.Event {
	r.t.Helper()
	return await(r, r.out, func(text string) (app.Event, bool) {
		for _, e := range events(r.t, text) {
			if e.Type == typ {
				return e, true
			}
		}
		return app.Event{}, false
	})
}

// events reads whole lines of --json.
func events(t *testing.T, text string) []app.Event {
	t.Helper()
	var list []app.Event
	for in := bufio.NewReader(strings.NewReader(text)); ; {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return list
		}
		var e app.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, e)
	}
}

// asks waits for a question in the output of --json.
func (r *running) asks(kind app.Kind) app.Interaction {
	r.t.Helper()
	return *r.event(app.InteractionEvent(kind, app.StepRequested)).Data.(*app.Interaction)
}

// hello reads the page that the demo agent writes, "" when there is none.
func (h *home) hello() string {
	text, err := os.ReadFile(filepath.Join(h.work, "hello.html"))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(text)
}

// log reads Parley's log.
func (h *home) log() string {
	h.t.Helper()
	text, err := os.ReadFile(apptest.HomeIn(h.t, strings.TrimPrefix(h.env[0], "PARLEY_HOME=")).Log())
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}
