//go:build linux

package pids_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"parley/agents/proc/pids"
)

// sleeper starts a process that does nothing, from a file of the given name.
func sleeper(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	real, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // a second time is an error that does not matter
	})
	return cmd
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("waited for: %s", what)
		}
	}
}

func TestLookup(t *testing.T) {
	// A name that looks like what follows it in the table.
	const name = "a) Z 1 (b"
	cmd := sleeper(t, name)
	p, err := pids.Lookup(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	me, err := pids.Lookup(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != name || p.Parent != me.PID || p.Session != me.Session || p.Zombie || me.RSS <= 0 || p.Age < 0 || p.Age > me.Age {
		t.Errorf("child %+v of %+v", p, me)
	}
	all, err := pids.All()
	if err != nil {
		t.Fatal(err)
	}
	isChild := func(q pids.Process) bool { return q.ID == p.ID }
	if !slices.ContainsFunc(all, isChild) || !slices.ContainsFunc(pids.Descendants(all, me.PID), isChild) {
		t.Error("the child is missing in the table or among our descendants")
	}
	if slices.ContainsFunc(pids.Descendants(all, p.PID), func(q pids.Process) bool { return q.ID == me.ID || q.ID == p.ID }) {
		t.Error("among the child's descendants is itself or its parent")
	}
}

// What a process waits for is told from the real thing.
func TestWaiting(t *testing.T) {
	input, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer release.Close()
	defer input.Close()
	for _, c := range []struct {
		script string
		want   pids.WaitFor
		file   string // begins so
	}{
		{"exec sleep 1000", pids.WaitTimer, ""},
		{"exec cat", pids.WaitRead, "pipe:["},
		{"exec 3<&0; exec dd bs=1 count=1 <&3 of=/dev/null", pids.WaitRead, "pipe:["},
		{"sleep 1000; :", pids.WaitChild, ""},
		{"sleep 1000 & wait", pids.WaitSignal, ""}, // as dash does it
		{"while :; do :; done", pids.WaitNothing, ""},
		{"kill -STOP $$; :", pids.WaitStopped, ""},
	} {
		cmd := exec.Command("/bin/sh", "-c", c.script)
		cmd.Stdin = input
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		until(t, c.script+" waits", func() bool {
			w := pids.Waiting(cmd.Process.Pid)
			return w.For == c.want && strings.HasPrefix(w.File, c.file) && (c.file == "" || w.FD == 0)
		})
		if c.file != "" && (!pids.Holds(os.Getpid(), pids.Waiting(cmd.Process.Pid).File, true) || pids.Holds(cmd.Process.Pid, pids.Waiting(cmd.Process.Pid).File, true)) {
			t.Errorf("%s: who writes to its pipe is not found", c.script)
		}
	}
	if w := pids.Waiting(1 << 30); w.For != pids.WaitUnknown {
		t.Errorf("one that is not there waits for %q", w.For)
	}
}

func TestSignalReachesThisProcessOnly(t *testing.T) {
	cmd := sleeper(t, "sleeper")
	p, err := pids.Lookup(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	other := p.ID
	other.Start--
	if err := other.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to an earlier owner of the number: %v", err)
	}
	if yes, err := other.Alive(); yes || err != nil {
		t.Errorf("an earlier owner of the number is alive: %v, %v", yes, err)
	}
	if yes, err := p.Alive(); !yes || err != nil {
		t.Fatalf("the process is not alive: %v", err)
	}
	if err := p.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// Ended but not collected is not alive.
	until(t, "process ended", func() bool {
		now, err := pids.Lookup(p.PID)
		if err != nil {
			t.Fatal(err)
		}
		return now.Zombie
	})
	if yes, err := p.Alive(); yes || err != nil {
		t.Errorf("a zombie is alive: %v, %v", yes, err)
	}
	cmd.Wait()
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to one that is gone: %v", err)
	}
	if _, err := pids.Lookup(p.PID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("look at one that is gone: %v", err)
	}
}

func TestDescendants(t *testing.T) {
	row := func(pid, parent int, start uint64) pids.Process {
		return pids.Process{ID: pids.ID{PID: pid, Start: start}, Parent: parent}
	}
	table := []pids.Process{
		row(30, 20, 3), row(20, 10, 2), row(10, 1, 1), row(1, 0, 0), row(21, 10, 2),
		row(40, 50, 4), row(50, 40, 4), // a circle, as stale numbers can make one
		row(60, 30, 2), // older than the present owner of its parent's number
	}
	var got []int
	for _, p := range pids.Descendants(table, 10, 40) {
		got = append(got, p.PID)
	}
	if diff := cmp.Diff([]int{20, 21, 50, 30}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndIsBounded(t *testing.T) {
	me, err := pids.Lookup(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// A process that is not there any more and is still reported.
	ghost := pids.Process{ID: pids.ID{PID: me.PID, Start: me.Start - 1}}
	left, err := pids.End(func() ([]pids.Process, error) { return []pids.Process{ghost}, nil }, 20*time.Millisecond)
	if err != nil || len(left) != 1 || left[0].ID != ghost.ID {
		t.Errorf("left %v, %v", left, err)
	}
	blind := errors.New("no table")
	if _, err := pids.End(func() ([]pids.Process, error) { return nil, blind }, time.Hour); !errors.Is(err, blind) {
		t.Errorf("error %v", err)
	}
}

func TestBoot(t *testing.T) {
	boot, space, err := pids.Boot()
	if err != nil || len(boot) != 36 || space == "" {
		t.Errorf("boot %q, space %q, %v", boot, space, err)
	}
	again, _, err := pids.Boot()
	if err != nil || again != boot {
		t.Errorf("boot was %q and is %q, %v", boot, again, err)
	}
}
