// Command parley-run owns the process tree of one agent. Parley starts it, it
// starts the agent, and from then on it makes sure that nothing of the agent outlives
// its owner: when the agent ends, when it is told to end, and when Parley is
// gone, however that came about.
//
//	parley-run -grace=500ms -- PROGRAM [ARGUMENT]...
//
// Standard input, output and error are the agent's: it inherits them, no data
// passes through here. The environment is passed on as it is. Beside them come
// two pipes, as descriptors 3 and 4 (on Windows as handles named by -life and
// -report):
//
//   - the life pipe, which Parley holds open. Each byte in it is a command:
//     't' asks the agent to terminate, 'k' kills the tree. Its end means that
//     Parley is gone, and kills the tree too.
//   - the report pipe, in which lines tell what became of the agent:
//     "started PID START", "failed ERRNO", "exited CODE SIGNAL", "rest PID NAME"
//     for each process that had to be asked or made to end, "left N" for those
//     that could not be, and, as proof that nothing is left, "gone".
//
// The program must know nothing else of Parley: it starts in milliseconds, once
// per agent, and has to work when everything else is broken. One goroutine, on
// the main thread, decides; others only wait for it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// Commands in the life pipe.
const (
	commandTerm = 't'
	commandKill = 'k'
)

// killLimit is how long ending a tree may take. Only what the system cannot
// end, or does not let us end, is left after it.
const killLimit = 10 * time.Second

// termGrace is what the agent gets when someone asks this program to end, as
// the system does when it shuts down.
const termGrace = 2 * time.Second

func init() {
	// The system ends the agent when the thread that started it ends. This one
	// lives as long as the program.
	runtime.LockOSThread()
}

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

// run does the program's work and returns its exit code: 0 when the tree is
// gone, 1 when some of it is left or the agent could not be started, 2 when
// it was called in a wrong way.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("parley-run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	grace := flags.Duration("grace", 500*time.Millisecond, "time for what the agent leaves behind")
	pipes := pipeFlags(flags)
	if err := flags.Parse(args); err != nil {
		return 2
	}
	life, report, err := pipes()
	if err == nil && flags.NArg() == 0 {
		err = errors.New("no program to run")
	}
	if err != nil {
		fmt.Fprintf(stderr, "parley-run: %v. Parley starts this program; it is of no use by hand.\n", err)
		return 2
	}
	return own(flags.Args(), life, reporter{report}, *grace)
}

// reporter tells Parley what happens. Its errors are left aside: when Parley
// does not listen any more, the life pipe says so.
type reporter struct{ w io.Writer }

func (r reporter) line(format string, args ...any) {
	fmt.Fprintf(r.w, format+"\n", args...)
}

// commands hands on what comes through the life pipe and is closed at its end.
func commands(life io.Reader) <-chan byte {
	out := make(chan byte)
	go func() {
		defer close(out)
		var buf [1]byte
		for {
			if n, err := life.Read(buf[:]); n == 0 || err != nil {
				return
			}
			out <- buf[0]
		}
	}()
	return out
}
