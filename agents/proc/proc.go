// Package proc starts an agent, watches its whole process tree and ends it. It
// owns the tree through a small program beside the agent, parley-run (the
// shim), which outlives this program for as long as it takes to end the tree.
// It knows nothing of families, protocols, sessions or questions: bytes go in
// and out, and an end is reported.
//
// What each operating system can promise is written down in
// docs/supervision.md.
//
// All methods may be called from any goroutine. Every Proc has two goroutines,
// which end with Done, and all Procs together one that looks at the process
// table once a second.
package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/agents/proc/pids"
)

const (
	// startLimit is how long a start may take. It takes a few milliseconds; a
	// program on a dead network drive takes for ever.
	startLimit = 10 * time.Second
	// tailSize is how much of its standard error is kept, in bytes.
	tailSize = 64 << 10
)

// Spec is what to start.
type Spec struct {
	Argv []string // Argv[0] is an absolute path; no secrets, everybody can read it
	Env  []string // the full environment; of a name that comes twice the last counts
	Dir  string   // working folder, "" for this program's own
	// Shim is the path of parley-run; "" finds it with Shim.
	Shim   string
	Ladder Ladder
}

// Ladder is how long each step of a stop may take before the next one comes. A
// zero stands for the default.
type Ladder struct {
	Input time.Duration // after the end of its input; default 1.5 s
	Term  time.Duration // after the request to terminate; default 1.5 s
	Kill  time.Duration // after the kill, for the system to clear away; default 1 s
	// Rest is what the processes get that the agent leaves behind when it ends,
	// between a request to terminate and the kill; default 500 ms.
	Rest time.Duration
}

func (l Ladder) orDefaults() Ladder {
	orElse := func(d, def time.Duration) time.Duration {
		if d == 0 {
			return def
		}
		return d
	}
	return Ladder{
		Input: orElse(l.Input, 1500*time.Millisecond),
		Term:  orElse(l.Term, 1500*time.Millisecond),
		Kill:  orElse(l.Kill, time.Second),
		Rest:  orElse(l.Rest, 500*time.Millisecond),
	}
}

// Exit is how an agent ended.
type Exit struct {
	Code   int    // -1 when it was ended by a signal
	Signal string // such as "SIGKILL"; "" when it ended by itself
}

// Proc is one started agent with all that comes of it.
type Proc struct {
	ladder  Ladder
	shim    *exec.Cmd
	shimID  pids.ID
	life    *os.File // our end of the life pipe; what we hold open while we live
	stdin   *input
	stdout  *output
	tail    *tail
	agent   pids.ID    // set before started is sent to
	started chan error // capacity 1: nil, or why there is no agent

	stopping sync.Once
	hurry    chan struct{} // closed when a stop may not wait any longer
	hurried  sync.Once

	gone chan struct{} // closed when the tree has ended; pipes may still hold data
	done chan struct{} // closed when exit, left, rest and tail are final
	exit Exit
	left int
	rest []Rest

	mu   sync.Mutex     // guards the field below
	seen []pids.Process // the tree as last seen
}

// Start starts an agent and returns once it runs. When it cannot be started the
// error says why, and wraps the system's reason: fs.ErrNotExist for a program
// that is not there, fs.ErrPermission for one that may not run.
func Start(spec Spec) (*Proc, error) {
	t := newTail(tailSize)
	return start(spec, t, t)
}

// start starts an agent whose standard error goes to stderr, all of it.
func start(spec Spec, t *tail, stderr io.Writer) (*Proc, error) {
	if len(spec.Argv) == 0 || !filepath.IsAbs(spec.Argv[0]) {
		return nil, fmt.Errorf("start %q: not an absolute path", strings.Join(spec.Argv[:min(1, len(spec.Argv))], ""))
	}
	if spec.Dir != "" {
		// The system's own error would name the shim.
		if info, err := os.Stat(spec.Dir); err != nil {
			return nil, fmt.Errorf("start in folder: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("start in folder: %s: %w", spec.Dir, syscall.ENOTDIR)
		}
	}
	shim := spec.Shim
	if shim == "" {
		var err error
		if shim, err = Shim(); err != nil {
			return nil, err
		}
	}
	p := &Proc{
		ladder:  spec.Ladder.orDefaults(),
		tail:    t,
		started: make(chan error, 1),
		hurry:   make(chan struct{}),
		gone:    make(chan struct{}),
		done:    make(chan struct{}),
		exit:    Exit{Code: -1, Signal: "SIGKILL"}, // unless we hear otherwise
	}
	report, errOut, err := p.spawn(shim, spec)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		// The agent must never wait for us to read what it says on the side.
		// There is no error but the end: the sink is memory.
		io.Copy(stderr, errOut)
	}()
	go p.follow(report, errOut, drained)

	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case err = <-p.started:
	case <-limit.C:
		err = fmt.Errorf("no sign of life within %v", startLimit)
		p.kill()
	}
	if err != nil {
		<-p.done
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	return p, nil
}

// spawn starts the shim and returns our ends of the pipes for its report and
// for the agent's standard error.
func (p *Proc) spawn(shim string, spec Spec) (report *os.File, errOut *output, err error) {
	var ours, theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	// pipe returns our end and the agent's end of a new pipe.
	pipe := func(weWrite bool) (our, their *os.File) {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			err = errors.Join(err, pipeErr)
			return nil, nil
		}
		our, their = r, w
		if weWrite {
			our, their = w, r
		}
		ours, theirs = append(ours, our), append(theirs, their)
		return our, their
	}
	stdin, agentIn := pipe(true)
	stdout, agentOut := pipe(false)
	stderr, agentErr := pipe(false)
	life, shimLife := pipe(true)
	report, shimReport := pipe(false)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(shim)
	cmd.Args = append(cmd.Args, fmt.Sprintf("-grace=%v", p.ladder.Rest))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = agentIn, agentOut, agentErr
	cmd.Dir = spec.Dir
	cmd.Env = append([]string{}, spec.Env...) // never nil, which would mean ours
	if err = pass(cmd, shimLife, shimReport); err != nil {
		return nil, nil, err
	}
	cmd.Args = append(append(cmd.Args, "--"), spec.Argv...)
	if err = cmd.Start(); err != nil {
		return nil, nil, err
	}
	p.shim, p.life = cmd, life
	p.shimID = idOf(cmd.Process.Pid)
	p.stdin, p.stdout = &input{File: stdin}, &output{file: stdout, gone: p.gone}
	return report, &output{file: stderr, gone: p.gone}, nil
}

// idOf returns the identity of a child that was not collected yet, so that its
// number is still its own.
func idOf(pid int) pids.ID {
	child, err := pids.Lookup(pid)
	if err != nil {
		return pids.ID{PID: pid}
	}
	return child.ID
}

// follow reads what the shim reports until the tree is gone, and makes sure of
// it when the shim cannot any more.
func (p *Proc) follow(report *os.File, errOut *output, drained <-chan struct{}) {
	proven := p.listen(report)
	if !proven {
		p.left = p.endLost()
	}
	// Collected only now: until here the shim's number, which is its session's
	// too, could not be used again. Its exit code says nothing that it has not
	// reported.
	p.shim.Wait()
	leave(p)
	report.Close()
	p.life.Close()
	select {
	case p.started <- errors.New("the supervisor parley-run ended before it began"):
	default: // it had begun
	}
	close(p.gone)
	p.stdin.Close()
	p.stdout.release()
	errOut.release()
	<-drained
	close(p.done)
}

// listen reads the report and says whether it ended with the proof that nothing
// is left.
func (p *Proc) listen(report io.Reader) (proven bool) {
	lines := bufio.NewReader(report)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return proven
		}
		var a, b int
		var start uint64
		var name string
		switch {
		case scan(line, "started %d %d\n", &a, &start):
			p.agent = pids.ID{PID: a, Start: start}
			join(p)
			p.started <- nil
		case scan(line, "failed %d\n", &a):
			p.started <- syscall.Errno(a)
			proven = true // nothing was started
		case scan(line, "exited %d %d\n", &a, &b):
			p.exit = Exit{Code: a}
			if b != 0 {
				p.exit.Signal = signalName(b)
			}
		case scan(line, "rest %d %q\n", &a, &name):
			p.rest = append(p.rest, Rest{PID: a, Name: name})
		case scan(line, "left %d\n", &a):
			p.left, proven = a, true // the shim has tried what we could try
		case line == "gone\n":
			proven = true
		}
	}
}

func scan(line, format string, into ...any) bool {
	n, err := fmt.Sscanf(line, format, into...)
	return err == nil && n == len(into)
}

// Stdin is the agent's standard input. Closing it twice is no error. A write
// fails when the agent is gone and blocks while it does not read.
func (p *Proc) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the agent's standard output. It ends when the agent and everything
// that inherited it has closed it, and in any case when the tree is gone, after
// what was written until then. Read it to its end. It belongs to one goroutine.
func (p *Proc) Stdout() io.Reader { return p.stdout }

// PID is the number of the agent's own process.
func (p *Proc) PID() int { return p.agent.PID }

// ShimPID is the number of the process that everything of the agent descends
// from.
func (p *Proc) ShimPID() int { return p.shimID.PID }

// Tail returns the last 64 KiB of the agent's standard error.
func (p *Proc) Tail() string { return p.tail.String() }

// Done is closed when the whole tree is gone and its standard error read to the
// end. It does not wait for a reader of Stdout.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Exit says how the agent ended. It is valid after Done.
func (p *Proc) Exit() Exit { return p.exit }

// Rest is a process that did not end by itself.
type Rest struct {
	PID  int
	Name string
}

// Rest names what the agent left behind when it ended, and what a stop had to
// end by force. It is valid after Done. Windows does not tell.
func (p *Proc) Rest() []Rest { return p.rest }

// Left is the number of processes that the system would not let us end, such as
// one that runs as another user. It is valid after Done and nearly always 0.
func (p *Proc) Left() int { return p.left }
