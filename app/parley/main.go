// Command parley is the headless program: it serves the page to browsers, runs
// sessions in the terminal, lists what agents ask and answers it. It owns words,
// flags and exit codes and nothing of the product: every command speaks to a
// back end over its socket, one that runs already or one that it opens for its
// own life.
//
// Standard output carries data, standard error what is for people. A command
// runs on one goroutine; what it waits for (frames, lines, signals) comes to it
// over channels.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
)

func main() { os.Exit(run()) }

func run() int {
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(interrupts)
	return Run(context.Background(), os.Args[1:], Stdio{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Terminal:   isatty.IsTerminal(os.Stdin.Fd()),
		Env:        os.Environ(),
		Interrupts: interrupts,
	})
}

// Stdio is all that the program has of the world around it.
type Stdio struct {
	In         io.Reader
	Out        io.Writer
	Err        io.Writer
	Terminal   bool     // somebody sits at In
	Env        []string // NAME=value
	Interrupts <-chan os.Signal
}

// Exit codes. They are part of the program's contract.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoAgent     = 3 // not installed or not logged in
	exitInterrupted = 4
	exitDeferred    = 5 // a form waits for its answer
	exitResolved    = 6 // answered or dismissed before
	exitUnknown     = 7 // no such question
)

// command is one word of the command line. It returns the exit code, or an
// error that decides it.
type command func(p *program, ctx context.Context, args []string) (int, error)

var commands = map[string]command{
	"serve":     (*program).serve,
	"run":       (*program).run,
	"questions": (*program).questions,
	"answer":    (*program).answer,
	"sessions":  (*program).sessions,
	"agents":    (*program).agents,
	"agent":     (*program).agent,
	"doctor":    (*program).doctor,
	"profiles":  (*program).profiles,
	"secrets":   (*program).secrets,
	"mcp":       (*program).mcp,
	"version":   (*program).version,
	"help":      (*program).help,
}

// Run runs one command and returns its exit code.
func Run(ctx context.Context, args []string, s Stdio) int {
	p := &program{Stdio: s}
	if len(args) == 0 {
		return p.fail(usagef("parley wants a command."))
	}
	name, args := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-v", "-version", "--version":
		name = "version"
	}
	cmd, ok := commands[name]
	if !ok {
		return p.fail(usagef("parley knows no command %q.", name))
	}
	if _, ok := helps[name]; ok {
		p.command = name
	}
	if name != "run" && name != "sessions" { // these tell a first interrupt from a second
		var stop context.CancelFunc
		ctx, stop = p.untilInterrupt(ctx)
		defer stop()
		p.heeds = true
	}
	code, err := cmd(p, ctx, args)
	if errors.Is(err, errHelp) {
		code, err = p.help(ctx, []string{name})
	}
	if err != nil {
		return p.fail(err)
	}
	return code
}
