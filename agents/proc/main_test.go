//go:build linux

package proc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"parley/agents/agenttest/programs"
	"parley/agents/proc"
)

// patience bounds every wait of these tests; none of them passes or fails by
// its speed.
const patience = 30 * time.Second

// shim is parley-run, built once for this test binary.
var shim string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		os.Exit(roles[os.Args[2]](os.Args[3:]))
	}
	var err error
	if shim, err = programs.Path("parley-run"); err != nil {
		panic(err)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// self is the command line that runs this test binary in a role.
func self(role string, args ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{exe, "role", role}, args...)
}

// sh is the command line of a shell script.
func sh(script string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", script, "sh"}, args...)
}

// resist ignores every signal that can be ignored, and the end of its input.
var resist = sh(`trap "" TERM INT HUP QUIT; echo ready; while :; do sleep 1000; done`)

// clan resists and has generations below it, each in a session of its own,
// each resisting, each holding the standard streams. Every second one has lost
// its parent. The youngest says "ready".
func clan(generations int) []string {
	const script = `trap "" TERM INT HUP QUIT
		if [ "$1" = 0 ]; then echo ready
		elif [ $(($1 % 2)) = 0 ]; then sh -c 'setsid sh -c "$CLAN" clan "$1" &' orphan $(($1 - 1))
		else setsid sh -c "$CLAN" clan $(($1 - 1)) & fi
		while :; do sleep 1000; done`
	return []string{"/usr/bin/env", "CLAN=" + script, "/bin/sh", "-c", script, "clan", itoa(generations)}
}

// marked is an environment in which a tree can be recognized from outside.
func marked(t *testing.T) (env []string, mark string) {
	mark = fmt.Sprintf("PROC_TEST_MARK=%s-%d-%d", t.Name(), os.Getpid(), time.Now().UnixNano())
	return append(os.Environ(), mark), mark
}

// alive returns the processes whose environment holds mark.
func alive(t *testing.T, mark string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		// One that is ending has no environment any more, and no file.
		env, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err == nil && bytes.Contains(env, []byte(mark+"\x00")) {
			found = append(found, pid)
		}
	}
	return found
}

// until waits for a condition and returns how long it took.
func until(t *testing.T, what string, holds func() bool) time.Duration {
	t.Helper()
	begin := time.Now()
	for !holds() {
		if time.Since(begin) > patience {
			t.Fatalf("waited %v for: %s", patience, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return time.Since(begin)
}

func start(t *testing.T, spec proc.Spec) *proc.Proc {
	t.Helper()
	if spec.Shim == "" {
		spec.Shim = shim
	}
	p, err := proc.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.Stop(ctx)
		io.Copy(io.Discard, p.Stdout())
	})
	return p
}

func done(t *testing.T, p *proc.Proc) proc.Exit {
	t.Helper()
	select {
	case <-p.Done():
		return p.Exit()
	case <-time.After(patience):
		t.Fatalf("the tree was not gone after %v", patience)
		return proc.Exit{}
	}
}

// line reads one line of a tree's output, a byte at a time, so that nothing is
// taken from who reads after it.
func line(t *testing.T, r io.Reader) string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		var text []byte
		var b [1]byte
		for {
			if _, err := r.Read(b[:]); err != nil || b[0] == '\n' {
				got <- string(text)
				return
			}
			text = append(text, b[0])
		}
	}()
	select {
	case text := <-got:
		return text
	case <-time.After(patience):
		t.Fatalf("no line after %v", patience)
		return ""
	}
}

// rest reads a tree's output to its end.
func rest(t *testing.T, r io.Reader) string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		all, err := io.ReadAll(r)
		if err != nil {
			all = append(all, err.Error()...)
		}
		got <- string(all)
	}()
	select {
	case text := <-got:
		return text
	case <-time.After(patience):
		t.Fatalf("no end of the output after %v", patience)
		return ""
	}
}

// short is a ladder for agents that are known to resist.
var short = proc.Ladder{Input: 100 * time.Millisecond, Term: 100 * time.Millisecond, Kill: 500 * time.Millisecond, Rest: 100 * time.Millisecond}

// roles are the programs that this binary can be.
var roles = map[string]func(args []string) int{
	// facts tells what an agent finds when it begins.
	"facts": func(args []string) int {
		cwd, _ := os.Getwd()
		fmt.Printf("cwd %s\nargs %q\n", cwd, args)
		for fd := range 3 {
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			fmt.Printf("fd %d nonblocking %v error %v\n", fd, flags&unix.O_NONBLOCK != 0, err)
		}
		_, err := os.Open("/dev/tty")
		fmt.Printf("terminal %v\n", err == nil)
		for _, entry := range os.Environ() {
			fmt.Printf("env %s\n", entry)
		}
		return 0
	},
	// app is a program that starts an agent through proc, says what it would
	// write down about it and waits for its own end.
	"app": func(args []string) int {
		p, err := proc.Start(proc.Spec{Shim: args[0], Argv: args[1:], Env: os.Environ(), Ladder: short})
		if err != nil {
			fmt.Println(err)
			return 3
		}
		if err := json.NewEncoder(os.Stdout).Encode(p.Record()); err != nil {
			return 4
		}
		io.Copy(os.Stdout, p.Stdout())
		return 0
	},
	// stopper starts an agent, waits for its first line, stops it and says what
	// is left.
	"stopper": func(args []string) int {
		p, err := proc.Start(proc.Spec{Shim: args[0], Argv: args[1:], Env: os.Environ(), Ladder: short})
		if err != nil {
			fmt.Println(err)
			return 3
		}
		first := make([]byte, 6)
		if _, err := io.ReadFull(p.Stdout(), first); err != nil {
			return 4
		}
		p.Stop(context.Background())
		fmt.Printf("%sleft %d\n", first, p.Left())
		return 0
	},
	// root becomes wholly its file's owner and resists.
	"root": func([]string) int {
		ignoreAll()
		if err := unix.Setresuid(0, 0, 0); err != nil {
			fmt.Println(err)
			return 3
		}
		fmt.Println("ready")
		return forever()
	},
}

// lines splits a text, without the end of the last line.
func lines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

var errNone = errors.New("no error")

func itoa(n int) string { return strconv.Itoa(n) }

// forever sleeps; a Go program that waited for nothing would end by itself.
func forever() int {
	time.Sleep(time.Hour) // it lives until it is ended
	return 0
}
