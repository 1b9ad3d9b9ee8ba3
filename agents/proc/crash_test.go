//go:build linux

package proc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/agents/proc"
	"parley/agents/proc/pids"
)

// app is this test binary as a program that has started an agent.
type app struct {
	cmd    *exec.Cmd
	record proc.Record
	mark   string
	out    *bufio.Reader
}

// startApp starts one and waits until its agent has said "ready".
func startApp(t *testing.T, agent ...string) app {
	t.Helper()
	env, mark := marked(t)
	argv := self("app", append([]string{shim}, agent...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := app{cmd: cmd, mark: mark, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		for _, pid := range alive(t, mark) {
			unix.Kill(pid, unix.SIGKILL)
		}
	})
	record, err := a.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(record, &a.record); err != nil {
		t.Fatalf("%s: %v", record, err)
	}
	if ready, err := a.out.ReadString('\n'); err != nil || ready != "ready\n" {
		t.Fatalf("got %q, %v", ready, err)
	}
	return a
}

// kill ends the app as a crash would.
func (a app) kill(t *testing.T) {
	t.Helper()
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	a.cmd.Wait() // its error is the kill
}

func send(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, sig); err != nil {
		t.Fatalf("signal %v to %d: %v", sig, pid, err)
	}
}

// stop stops a process and waits until it stands still.
func stop(t *testing.T, pid int) {
	t.Helper()
	send(t, pid, unix.SIGSTOP)
	until(t, "process stopped", func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
		return err == nil && bytes.Contains(stat, []byte(") T "))
	})
}

func nothingLeft(t *testing.T, mark string) {
	t.Helper()
	took := until(t, "all processes gone", func() bool { return len(alive(t, mark)) == 0 })
	t.Logf("all gone %v after", took)
}

// npx is the real one, as servers are started by it, with a package of this
// computer whose program leaves its session, its parent and signals aside; nil
// where there is none.
func npx(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("npx"); err != nil {
		return nil
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"name": "project", "version": "1.0.0"}`,
		"node_modules/.bin/server": "#!/bin/sh\n" +
			`sh -c "sleep 9999 & sleep 9999" & setsid sh -c 'trap "" TERM; sleep 9999; sleep 9999' & (sleep 9999 &); echo ready; wait` + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return sh(`cd '` + dir + `' && npm_config_cache='` + dir + `/cache' npm_config_update_notifier=false npx --offline server`)
}

// The promise: kill -9 of the app, and nothing of the agent survives, neither
// what moved to sessions of its own, nor what lost its parent, nor what ignores
// signals.
func TestKilledAppLeavesNothing(t *testing.T) {
	for name, agent := range map[string][]string{
		"generations": clan(6),
		"npx":         npx(t),
		"uvx":         sh(`sh -c "sh -c 'sleep 9999' & sleep 9999" & setsid sh -c 'trap "" TERM; sleep 9999; sleep 9999' & (sleep 9999 &); echo ready; wait`), // of its shape
	} {
		t.Run(name, func(t *testing.T) {
			if agent == nil {
				t.Skip("not run: there is no npx")
			}
			a := startApp(t, agent...)
			until(t, "the whole tree is up", func() bool { return len(alive(t, a.mark)) >= 7 })
			a.kill(t)
			nothingLeft(t, a.mark)
		})
	}
}

// hop is an agent whose tree never stands still: each generation starts the
// next in a new session and ends. It gives up by itself after some 2000, so that
// a failure of this test does not haunt the machine.
var hop = sh(`export HOP='N=$((N + 1)); if [ $N -lt 2000 ]; then export N; setsid sh -c "$HOP" & sleep 0.01; fi'
	for i in 1 2; do N=0 setsid sh -c "$HOP"; done; echo ready; sleep 9999`)

func TestForkingTreeIsCaught(t *testing.T) {
	t.Run("killed app", func(t *testing.T) {
		a := startApp(t, hop...)
		a.kill(t)
		nothingLeft(t, a.mark)
	})
	t.Run("stop", func(t *testing.T) {
		env, mark := marked(t)
		p := start(t, proc.Spec{Argv: hop, Env: env, Ladder: short})
		line(t, p.Stdout())
		p.Stop(t.Context())
		if left := alive(t, mark); len(left) > 0 || p.Left() != 0 {
			t.Errorf("left: %v, reported %d", left, p.Left())
		}
	})
}

// The shim itself is killed: the system ends the agent, and the app what it
// remembers and what is in the shim's session.
func TestKilledShim(t *testing.T) {
	env, mark := marked(t)
	script := `"$@" & while read wait; do (sleep 9999 &); echo more; done`
	p := start(t, proc.Spec{Argv: append(sh(script), clan(5)...), Env: env})
	if got := line(t, p.Stdout()); got != "ready" {
		t.Fatalf("got %q", got)
	}
	if tree, err := p.Tree(); err != nil || len(tree) < 7 { // remembers it
		t.Fatalf("tree %+v, %v", tree, err)
	}
	// What comes after the last look is found by its session.
	if _, err := p.Stdin().Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	line(t, p.Stdout())
	send(t, p.ShimPID(), unix.SIGKILL)
	begin := time.Now()
	exit := done(t, p)
	t.Logf("all gone %v after", time.Since(begin))
	if want := (proc.Exit{Code: -1, Signal: "SIGKILL"}); exit != want {
		t.Errorf("exit %+v, want %+v", exit, want)
	}
	if left := alive(t, mark); len(left) > 0 || p.Left() != 0 {
		t.Errorf("left: %v, reported %d", left, p.Left())
	}
	rest(t, p.Stdout())
}

// A shim that does not answer holds no stop up.
func TestStoppedShim(t *testing.T) {
	env, mark := marked(t)
	p := start(t, proc.Spec{Argv: resist, Env: env, Ladder: short})
	line(t, p.Stdout())
	stop(t, p.ShimPID())
	ended := make(chan proc.Exit, 1)
	go func() { ended <- p.Stop(context.Background()) }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the stop hangs")
	}
	if left := alive(t, mark); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A signal meant for everybody, as at a shutdown, ends the tree politely.
func TestTerminatedShim(t *testing.T) {
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP} {
		env, mark := marked(t)
		argv := append(sh(`trap 'echo bye; exit 3' TERM; "$@" & while :; do sleep 0.01; done`), resist...)
		p := start(t, proc.Spec{Argv: argv, Env: env, Ladder: short})
		line(t, p.Stdout())
		send(t, p.ShimPID(), sig)
		if exit := done(t, p); exit != (proc.Exit{Code: 3}) {
			t.Errorf("%v: exit %+v", sig, exit)
		}
		if got := rest(t, p.Stdout()); got != "bye\n" {
			t.Errorf("%v: its last words: %q", sig, got)
		}
		if left := alive(t, mark); len(left) > 0 {
			t.Errorf("%v: left: %v", sig, left)
		}
	}
}

// What the system does not let us end costs a bounded time and is told.
func TestProcessOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a process that an ordinary user may not end")
	}
	dir, err := os.MkdirTemp("", "proc-suid-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	copyTo := func(from, to string, mode os.FileMode) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(to, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	test, run, sudo := filepath.Join(dir, "test"), filepath.Join(dir, "parley-run"), filepath.Join(dir, "sudo")
	copyTo(self("")[0], test, 0o755)
	copyTo(self("")[0], sudo, 0o755|os.ModeSetuid)
	copyTo(shim, run, 0o755)

	env, mark := marked(t)
	cmd := exec.Command(test, "role", "stopper", run, sudo, "role", "root")
	cmd.Env, cmd.Stderr, cmd.Dir = env, os.Stderr, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	left := alive(t, mark)
	for _, pid := range left {
		send(t, pid, unix.SIGKILL)
	}
	if string(out) != "ready\nleft 1\n" || len(left) != 1 {
		t.Errorf("reported %q, really %v", out, left)
	}
}

func TestEndLeft(t *testing.T) {
	end := func(t *testing.T, r proc.Record, want proc.Left) {
		t.Helper()
		if got, err := proc.EndLeft(r); got != want || err != nil {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	t.Run("owner runs", func(t *testing.T) {
		a := startApp(t, resist...)
		before := alive(t, a.mark)
		end(t, a.record, proc.LeftOwned)
		after := alive(t, a.mark)
		for _, pid := range before {
			if !slices.Contains(after, pid) {
				t.Errorf("process %d was ended", pid)
			}
		}
	})
	t.Run("all gone", func(t *testing.T) {
		a := startApp(t, resist...)
		a.kill(t)
		nothingLeft(t, a.mark)
		end(t, a.record, proc.LeftNothing)
	})
	t.Run("shim hangs", func(t *testing.T) {
		a := startApp(t, clan(4)...)
		stop(t, a.record.Shim.PID)
		a.kill(t)
		if len(alive(t, a.mark)) < 5 {
			t.Fatal("nothing was left")
		}
		end(t, a.record, proc.LeftEnded)
		nothingLeft(t, a.mark)
		end(t, a.record, proc.LeftNothing)
	})
	t.Run("shim hangs and the agent has ended", func(t *testing.T) {
		a := startApp(t, clan(4)...)
		stop(t, a.record.Shim.PID)
		a.kill(t)
		send(t, a.record.Agent.PID, unix.SIGKILL)
		until(t, "agent ended", func() bool {
			yes, err := a.record.Agent.Alive()
			return !yes && err == nil
		})
		end(t, a.record, proc.LeftEnded)
		nothingLeft(t, a.mark)
	})
	t.Run("app and shim killed", func(t *testing.T) {
		a := startApp(t, sh(`sleep 9999 & echo ready; wait`)...)
		stop(t, a.record.Shim.PID)
		a.kill(t)
		send(t, a.record.Shim.PID, unix.SIGKILL)
		until(t, "agent ended by the system", func() bool {
			yes, err := a.record.Agent.Alive()
			return !yes && err == nil
		})
		// Neither of the two whose identity is known is left to prove it.
		end(t, a.record, proc.LeftUnknown)
		if len(alive(t, a.mark)) != 1 {
			t.Error("ended what was not proven")
		}
	})
	t.Run("number used again", func(t *testing.T) {
		stranger := exec.Command("/bin/sleep", "9999")
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		defer stranger.Wait()
		defer stranger.Process.Kill()
		now, err := pids.Lookup(stranger.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		a := startApp(t, resist...)
		a.kill(t)
		nothingLeft(t, a.mark)
		for _, id := range []*pids.ID{&a.record.Owner, &a.record.Shim, &a.record.Agent} {
			*id = pids.ID{PID: now.PID, Start: now.Start - 1}
		}
		end(t, a.record, proc.LeftNothing)
		if yes, err := now.Alive(); !yes || err != nil {
			t.Errorf("a stranger was ended: %v", err)
		}
	})
	t.Run("elsewhere", func(t *testing.T) {
		p := start(t, proc.Spec{Argv: resist, Env: os.Environ(), Ladder: short})
		line(t, p.Stdout())
		r := p.Record()
		r.Owner = pids.ID{PID: 1, Start: 1} // not how process 1 started
		other := r
		other.Boot = "another"
		end(t, other, proc.LeftNothing)
		other = r
		other.Space = "another"
		end(t, other, proc.LeftUnknown)
		end(t, proc.Record{}, proc.LeftUnknown)
		if tree, err := p.Tree(); err != nil || len(tree) == 0 {
			t.Errorf("ended what was not proven: %v", err)
		}
		end(t, r, proc.LeftEnded)
		done(t, p)
		io.Copy(io.Discard, p.Stdout())
	})
}
