//go:build linux

package proc_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"parley/agents/proc"
)

func ignoreAll() {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE)
}

func TestAgentFindsWhatItWasGiven(t *testing.T) {
	dir := t.TempDir()
	env := []string{"A=1", "EMPTY=", "TEXT=two\nlines 问题", "A=2"}
	p := start(t, proc.Spec{Argv: self("facts", "a b", "", "-grace", "问"), Env: env, Dir: dir})
	if err := p.Stdin().Close(); err != nil {
		t.Error(err)
	}
	want := []string{
		"cwd " + dir,
		`args ["a b" "" "-grace" "问"]`,
		"fd 0 nonblocking false error <nil>",
		"fd 1 nonblocking false error <nil>",
		"fd 2 nonblocking false error <nil>",
		"terminal false",
		"env EMPTY=",
		"env TEXT=two", "lines 问题",
		"env A=2",
	}
	if diff := cmp.Diff(want, lines(rest(t, p.Stdout()))); diff != "" {
		t.Error(diff)
	}
	if exit := done(t, p); exit != (proc.Exit{}) {
		t.Errorf("exit %+v", exit)
	}
}

func TestAgentInheritsNoOtherDescriptor(t *testing.T) {
	// The shell looks by itself: one that has others look holds their pipes for a
	// moment. What it opened to look is gone when it looks again.
	p := start(t, proc.Spec{Argv: sh(`for f in /proc/$$/fd/*; do [ -L "$f" ] && echo "${f##*/}"; done; true`), Env: os.Environ()})
	if got := rest(t, p.Stdout()); got != "0\n1\n2\n" {
		t.Errorf("descriptors %q", got)
	}
	done(t, p)
}

// A pipe that every child of this process inherits, such as those of a web
// view's answers, has its end for its reader while an agent lives.
func TestAShimHoldsNoPipeOpen(t *testing.T) {
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil { // without close-on-exec
		t.Fatal(err)
	}
	p := start(t, proc.Spec{Argv: []string{"/bin/cat"}, Env: os.Environ()})
	unix.Close(fds[1])
	r := os.NewFile(uintptr(fds[0]), "answer")
	defer r.Close()
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, r); ended <- err }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-p.Done():
		t.Error("the agent ended first")
	case <-time.After(time.Minute):
		t.Error("the pipe is still held open")
	}
	p.Stop(t.Context())
}

func TestConversation(t *testing.T) {
	p := start(t, proc.Spec{Argv: []string{"/bin/cat"}, Env: os.Environ()})
	for _, text := range []string{"one", "two"} {
		if _, err := p.Stdin().Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
		if got := line(t, p.Stdout()); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	begin := time.Now()
	if exit := p.Stop(t.Context()); exit != (proc.Exit{}) {
		t.Errorf("a polite agent ends at the end of its input: %+v", exit)
	}
	t.Logf("stopped in %v", time.Since(begin))
	if _, err := p.Stdin().Write([]byte("x")); err == nil {
		t.Error("wrote to an agent that is gone")
	}
	if err := p.Stdin().Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestExits(t *testing.T) {
	for script, want := range map[string]proc.Exit{
		"exit 0":                      {},
		"exit 7":                      {Code: 7},
		"kill -TERM $$":               {Code: -1, Signal: "SIGTERM"},
		"kill -KILL $$":               {Code: -1, Signal: "SIGKILL"},
		"echo why >&2; exit 1":        {Code: 1},
		"exec >&- 2>&- <&-; exit 255": {Code: 255},
	} {
		p := start(t, proc.Spec{Argv: sh(script), Env: os.Environ()})
		if exit := done(t, p); exit != want {
			t.Errorf("%s: exit %+v, want %+v", script, exit, want)
		}
		if want.Code == 1 && p.Tail() != "why\n" {
			t.Errorf("%s: tail %q", script, p.Tail())
		}
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		spec proc.Spec
		want error
		text string
	}{
		"no such program": {proc.Spec{Argv: []string{"/nowhere/claude"}}, fs.ErrNotExist, "/nowhere/claude"},
		"may not run":     {proc.Spec{Argv: []string{plain}}, fs.ErrPermission, plain},
		"is a folder":     {proc.Spec{Argv: []string{dir}}, fs.ErrPermission, dir},
		"no such folder":  {proc.Spec{Argv: sh("true"), Dir: "/nowhere"}, fs.ErrNotExist, "/nowhere"},
		"folder is none":  {proc.Spec{Argv: sh("true"), Dir: plain}, unix.ENOTDIR, plain},
		"relative":        {proc.Spec{Argv: []string{"claude"}}, errNone, "absolute"},
		"nothing":         {proc.Spec{}, errNone, "absolute"},
		"no shim":         {proc.Spec{Argv: sh("true"), Shim: "/nowhere/parley-run"}, fs.ErrNotExist, "parley-run"},
		"shim is another": {proc.Spec{Argv: sh("true"), Shim: "/bin/true"}, errNone, "parley-run ended"},
	} {
		if test.spec.Shim == "" {
			test.spec.Shim = shim
		}
		_, err := proc.Start(test.spec)
		if err == nil || !errors.Is(err, test.want) && test.want != errNone || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShimIsFoundByItsFolder(t *testing.T) {
	t.Setenv("PARLEY_BIN_DIR", filepath.Dir(shim))
	if path, err := proc.Shim(); err != nil || path != shim {
		t.Errorf("got %q, %v", path, err)
	}
	t.Setenv("PARLEY_BIN_DIR", t.TempDir())
	if _, err := proc.Shim(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A CLI that ignores signals and the end of its input is stopped all the same,
// at any moment of its life, by several who ask at once and again.
func TestStopAnyTime(t *testing.T) {
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			env, mark := marked(t)
			p := start(t, proc.Spec{Argv: resist, Env: env, Ladder: short})
			time.Sleep(after) // the moment is what is tested
			begin := time.Now()
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					// At 0 ms it may not resist yet.
					if exit := p.Stop(t.Context()); exit.Code == 0 {
						t.Errorf("exit %+v", exit)
					}
				})
			}
			wg.Wait()
			t.Logf("stopped in %v: %+v", time.Since(begin), p.Exit())
			if p.Stop(t.Context()) != p.Exit() {
				t.Error("a second stop tells another end")
			}
			if left := alive(t, mark); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if err := unix.Kill(p.ShimPID(), 0); !errors.Is(err, unix.ESRCH) {
				t.Errorf("the shim is left: %v", err)
			}
		})
	}
}

func TestStopUsesTheGentlestStepThatWorks(t *testing.T) {
	slow := proc.Ladder{Input: 200 * time.Millisecond, Term: patience, Kill: patience}
	p := start(t, proc.Spec{
		Argv: sh(`trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done`), Env: os.Environ(), Ladder: slow,
	})
	line(t, p.Stdout())
	if exit := p.Stop(t.Context()); exit != (proc.Exit{Code: 3}) {
		t.Errorf("exit %+v", exit)
	}
	if got := rest(t, p.Stdout()); got != "bye\n" {
		t.Errorf("its last words: %q", got)
	}
}

func TestStopInAHurry(t *testing.T) {
	patient := proc.Ladder{Input: time.Hour, Term: time.Hour, Kill: patience}
	p := start(t, proc.Spec{Argv: resist, Env: os.Environ(), Ladder: patient})
	line(t, p.Stdout())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if exit := p.Stop(ctx); exit != (proc.Exit{Code: -1, Signal: "SIGKILL"}) {
		t.Errorf("exit %+v", exit)
	}
}

func TestStopOfAStoppedAgent(t *testing.T) {
	p := start(t, proc.Spec{Argv: sh(`trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done`), Env: os.Environ(),
		Ladder: proc.Ladder{Input: 50 * time.Millisecond, Term: patience}})
	line(t, p.Stdout())
	if err := unix.Kill(p.PID(), unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if exit := p.Stop(t.Context()); exit != (proc.Exit{Code: 3}) {
		t.Errorf("exit %+v", exit)
	}
}

// The agent exits and leaves a clan that resists and holds its output open.
func TestWhatTheAgentLeavesIsEnded(t *testing.T) {
	env, mark := marked(t)
	const last = "the last words"
	argv := append(sh(`"$@" & read wait; echo `+last+`; exit 5`), clan(3)...)
	p := start(t, proc.Spec{Argv: argv, Env: env, Ladder: short})
	if got := line(t, p.Stdout()); got != "ready" {
		t.Fatalf("got %q", got)
	}
	if n := len(alive(t, mark)); n < 5 { // shim, sh, and three of the clan at least
		t.Fatalf("only %d processes", n)
	}
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if exit := done(t, p); exit != (proc.Exit{Code: 5}) {
		t.Errorf("exit %+v", exit)
	}
	if got := rest(t, p.Stdout()); got != last+"\n" {
		t.Errorf("its last words: %q", got)
	}
	names := map[string]int{}
	for _, q := range p.Rest() {
		names[q.Name]++
	}
	if names["sh"] < 3 || names["sleep"] == 0 || len(names) > 3 { // a clan of shells; setsid may be just at work
		t.Errorf("told as left behind: %v", p.Rest())
	}
	if left := alive(t, mark); len(left) > 0 || p.Left() != 0 {
		t.Errorf("left: %v, reported %d", left, p.Left())
	}
}

// Someone outside the tree holds the agent's output open; the reader still gets
// all that was written, and then the end.
func TestOutputEndsThoughAStrangerHoldsIt(t *testing.T) {
	p := start(t, proc.Spec{Argv: sh(`echo ready; read wait; head -c 60000 /dev/zero; echo >&2 why`), Env: os.Environ()})
	line(t, p.Stdout())
	stranger, err := os.OpenFile(filepath.Join("/proc", itoa(p.PID()), "fd/1"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	strangeErr, err := os.OpenFile(filepath.Join("/proc", itoa(p.PID()), "fd/2"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer strangeErr.Close()
	p.Stdin().Close()
	done(t, p)
	if n := len(rest(t, p.Stdout())); n != 60000 {
		t.Errorf("%d of 60000 bytes arrived", n)
	}
	if p.Tail() != "why\n" {
		t.Errorf("tail %q", p.Tail())
	}
}

// The same, with a reader that already waits when the tree ends.
func TestWaitingReaderIsWoken(t *testing.T) {
	p := start(t, proc.Spec{Argv: sh(`echo ready; read wait`), Env: os.Environ()})
	line(t, p.Stdout())
	stranger, err := os.OpenFile(filepath.Join("/proc", itoa(p.PID()), "fd/1"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	time.AfterFunc(50*time.Millisecond, func() { p.Stdin().Close() })
	if got := rest(t, p.Stdout()); got != "" {
		t.Errorf("got %q", got)
	}
	done(t, p)
}

func TestErrorOutputIsDrained(t *testing.T) {
	for _, size := range []int{65_537, 5_000_000} {
		p := start(t, proc.Spec{
			Argv: sh(`yes 0123456789abcde | head -c "$1" >&2; echo >&2 the end; echo first; cat`, itoa(size)), Env: os.Environ(),
		})
		if got := line(t, p.Stdout()); got != "first" {
			t.Errorf("after %d bytes of errors: %q", size, got)
		}
		p.Stop(t.Context())
		tail := p.Tail()
		if len(tail) != 64<<10 || !strings.HasSuffix(tail, "the end\n") || !strings.Contains(tail, "\n0123456789abcde\n") {
			t.Errorf("the tail has %d bytes and ends with %q", len(tail), tail[max(0, len(tail)-20):])
		}
	}
}

func TestTree(t *testing.T) {
	p := start(t, proc.Spec{Argv: append(sh(`"$@" & wait`), clan(3)...), Env: os.Environ(), Ladder: short})
	if got := line(t, p.Stdout()); got != "ready" {
		t.Fatalf("got %q", got)
	}
	var tree []proc.Process
	orphans := 0
	until(t, "the tree is as it will be", func() bool {
		var err error
		if tree, err = p.Tree(); err != nil {
			t.Fatal(err)
		}
		orphans = 0
		for _, q := range tree {
			if q.Parent == p.ShimPID() && q.PID != p.PID() {
				orphans++
			}
		}
		return orphans == 1 && len(tree) == 9 // two for each of the clan
	})
	if tree[0].PID != p.PID() || tree[0].Depth != 0 || tree[0].Name != "sh" || tree[0].Parent != p.ShimPID() {
		t.Errorf("the agent comes first: %+v", tree)
	}
	for _, q := range tree {
		if (q.RSSBytes <= 0 && q.PID == p.PID()) || q.AgeMS < 0 || q.AgeMS > 2*patience.Milliseconds() || q.Depth < 0 || q.Depth > 4 {
			t.Errorf("process %+v", q)
		}
	}

	chain, err := proc.Ancestors(tree[len(tree)-1].PID)
	if err != nil || !slices.Contains(chain, p.ShimPID()) || !slices.Contains(chain, os.Getpid()) || chain[len(chain)-1] != 1 {
		t.Errorf("ancestors %v, %v", chain, err)
	}
	if i := slices.Index(chain, p.ShimPID()); i < 0 || chain[i+1] != os.Getpid() {
		t.Errorf("the shim's parent is not this program: %v", chain)
	}

	p.Stop(t.Context())
	if tree, err = p.Tree(); err != nil || len(tree) != 0 {
		t.Errorf("after the end: %+v, %v", tree, err)
	}
	if _, err := proc.Ancestors(p.PID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ancestors of one that is gone: %v", err)
	}
}
