//go:build linux || darwin

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/agents/proc/pids"
)

// pipeFlags returns what opens the pipes. Their numbers are fixed here.
func pipeFlags(*flag.FlagSet) func() (life, report *os.File, err error) {
	return func() (life, report *os.File, err error) {
		for _, fd := range []int{3, 4} {
			var stat unix.Stat_t
			if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
				return nil, nil, fmt.Errorf("descriptor %d is no pipe", fd)
			}
		}
		keepToOurselves()
		return os.NewFile(3, "life"), os.NewFile(4, "report"), nil
	}
}

// keepToOurselves lets the agent inherit nothing but its standard streams, and
// lets go of what this program inherited beside its pipes. Whoever started
// Parley may have left a lock open that a forgotten process would hold for ever;
// and WebKit's scheme handler makes pipes that every child inherits, so that the
// page of a window would never see the end of an answer that was under way when
// an agent started.
func keepToOurselves() {
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return // not mounted
	}
	all, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range all {
		fd, err := strconv.Atoi(name)
		if err != nil || fd <= 4 {
			continue
		}
		// What came through exec has no such flag; what this program and its
		// runtime opened has.
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// tree is the agent and all that came of it. It belongs to the main goroutine.
type tree struct {
	agent  int // its number, which is its group's too; 0 once it was collected
	report reporter
	watch  watch
	told   map[pids.ID]bool // named as not having ended by itself
}

// own starts the agent and returns when nothing of it is left.
func own(argv []string, life *os.File, report reporter, grace time.Duration) int {
	ended, signals := make(chan os.Signal, 1), make(chan os.Signal, 4)
	signal.Notify(ended, unix.SIGCHLD)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	if err := adopt(); err != nil {
		report.line("failed %d", errno(err))
		return 1
	}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   agentAttr(),
	})
	if err != nil {
		report.line("failed %d", errno(err))
		return 1
	}
	letGo()
	t := &tree{agent: pid, report: report, watch: newWatch(), told: map[pids.ID]bool{}}
	report.line("started %d %d", pid, startOf(pid))

	cmds := commands(life)
	var deadline <-chan time.Time // nil until something was asked to end
	for {
		select {
		case <-ended:
			agentEnded, empty := t.collect()
			if empty {
				report.line("gone")
				return 0
			}
			if agentEnded {
				t.terminateRest()
				deadline = time.After(grace)
			}
		case <-signals:
			// Someone wants this program to end, for instance the system when it
			// shuts down. The agent gets its chance; who asks twice means it.
			if deadline != nil {
				return t.end()
			}
			t.terminate()
			deadline = time.After(termGrace)
		case cmd, ok := <-cmds:
			if !ok || cmd == commandKill {
				return t.end()
			}
			if cmd == commandTerm {
				t.terminate()
			}
		case <-t.watch.tick():
			t.watch.look()
		case <-deadline:
			return t.end()
		}
	}
}

// letGo points our own standard streams away from the agent's pipes, so that
// their other ends see when the agent closes them.
func letGo() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil || dup(null, fd) != nil {
			unix.Close(fd)
		}
	}
}

// collect takes in everything that has ended. It reports whether the agent was
// among it and whether there is no child left.
func (t *tree) collect() (agentEnded, empty bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ECHILD):
			return agentEnded, t.watch.empty()
		case err != nil || pid == 0:
			return agentEnded, false
		case pid == t.agent:
			t.agent, agentEnded = 0, true
			if status.Signaled() {
				t.report.line("exited -1 %d", status.Signal())
			} else {
				t.report.line("exited %d 0", status.ExitStatus())
			}
		}
	}
}

// terminate asks the agent's group to end. The number cannot be another's: only
// collect, on this same goroutine, frees it.
func (t *tree) terminate() {
	if t.agent != 0 {
		unix.Kill(-t.agent, unix.SIGTERM)
		unix.Kill(-t.agent, unix.SIGCONT) // a stopped one cannot hear
	}
}

// tell names a process that did not end by itself, once.
func (t *tree) tell(p pids.Process) {
	if p.Zombie || t.told[p.ID] {
		return
	}
	t.told[p.ID] = true
	t.report.line("rest %d %q", p.PID, p.Name)
}

// terminateRest asks all that the agent left behind to end.
func (t *tree) terminateRest() {
	rest, err := t.watch.rest()
	if err != nil {
		return // the grace passes and end takes over
	}
	for _, p := range rest {
		t.tell(p)
		p.Signal(unix.SIGTERM)
		p.Signal(unix.SIGCONT)
	}
}

// end kills all that is left and returns the exit code.
func (t *tree) end() int {
	left, err := pids.End(func() ([]pids.Process, error) {
		if _, empty := t.collect(); empty {
			return nil, nil
		}
		rest, err := t.watch.rest()
		for _, p := range rest {
			t.tell(p)
		}
		return rest, err
	}, killLimit)
	_, empty := t.collect()
	if err != nil || len(left) > 0 || !empty {
		t.report.line("left %d", max(1, len(left)))
		return 1
	}
	t.report.line("gone")
	return 0
}

// startOf returns when a child of ours started.
func startOf(pid int) uint64 {
	p, err := pids.Lookup(pid)
	if err != nil {
		return 0
	}
	return p.Start
}

func errno(err error) int {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return int(e)
	}
	return int(unix.EINVAL)
}
