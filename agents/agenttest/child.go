package agenttest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest/leaks"
)

// Child is an agent's process. It is started plainly and not through the owner
// of process trees: these are tests of a protocol.
type Child struct {
	Conn agents.Conn

	t      testing.TB
	cmd    *exec.Cmd
	stderr *tail
	exit   agents.Exit // valid once Conn.Done is closed
}

// StartChild starts a planned launch with its files. When the test ends, its
// input is ended, and a process that does not heed that fails the test. One that
// listens on the loopback reads no input, so it is asked to terminate then, as
// the owner of its tree does next.
func StartChild(t testing.TB, l agents.Launch) *Child {
	t.Helper()
	leaks.Each(t)
	for _, f := range l.Files {
		if err := os.WriteFile(f.Path, f.Data, os.FileMode(f.Mode)); err != nil {
			t.Fatal(err)
		}
	}
	c := &Child{t: t, cmd: exec.Command(l.Argv[0], l.Argv[1:]...), stderr: &tail{}}
	c.cmd.Env, c.cmd.Dir, c.cmd.Stderr = l.Env, l.Dir, c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe: Wait would close it under a reader that is not done.
	out, childOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout = childOut
	err = c.cmd.Start()
	childOut.Close()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.exit = exitOf(c.cmd.Wait(), c.cmd.ProcessState)
	}()
	c.Conn = agents.Conn{In: in, Out: out, Done: done, Once: l.Once}
	if l.Connect == agents.ConnectHTTP {
		c.Conn.In = &listener{WriteCloser: in, process: c.cmd.Process}
	}
	t.Cleanup(func() {
		c.Conn.In.Close()
		select {
		case <-done:
		case <-time.After(Limit):
			c.cmd.Process.Kill()
			t.Errorf("the agent outlives the end of its input; on stderr:\n%s", c.Tail())
			<-done
		}
		out.Close()
	})
	return c
}

// listener is the input of a program that does not read it.
type listener struct {
	io.WriteCloser
	process *os.Process
}

// Close ends the input and asks the program to terminate.
func (l *listener) Close() error {
	return errors.Join(l.WriteCloser.Close(), l.process.Signal(syscall.SIGTERM))
}

// Kill ends the process at once.
func (c *Child) Kill() {
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Error(err)
	}
}

// PID is the process's number.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Wait waits for the end of the process.
func (c *Child) Wait() agents.Exit {
	c.t.Helper()
	select {
	case <-c.Conn.Done:
	case <-time.After(Limit):
		c.t.Fatalf("the agent did not end within %v; on stderr:\n%s", Limit, c.Tail())
	}
	return c.exit
}

// Tail is what the process wrote on stderr.
func (c *Child) Tail() string { return c.stderr.String() }

func exitOf(err error, state *os.ProcessState) agents.Exit {
	if state == nil {
		return agents.Exit{Code: -1, Signal: err.Error()}
	}
	if state.ExitCode() >= 0 {
		return agents.Exit{Code: state.ExitCode()}
	}
	return agents.Exit{Code: -1, Signal: strings.TrimPrefix(state.String(), "signal: ")}
}

// tail keeps what a process writes.
type tail struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

var _ io.Writer = (*tail)(nil)

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// String returns all of it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
