package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// Environment of the demo agent.
const (
	EnvState = "PARLEY_DEMO_STATE" // folder of saved sessions; the default lies in the user's cache
	EnvFast  = "PARLEY_DEMO_FAST"  // "1" is --fast
)

// Exit codes of Run.
const (
	exitDone    = 0
	exitStopped = 1 // ctx ended
	exitUsage   = 2
	exitCrash   = 3 // the script "crash"
)

const help = `usage: parley agent demo [--fast]

A scripted agent that speaks ACP on standard input and output. It needs no
account and asks no model. It works in the session's folder.

  --fast      no pauses (also with ` + EnvFast + `=1)
  --version   prints the version and ends

A prompt runs the script that its first word names:

  approve   asks for permission to run a command
  elicit    asks with a form of its own, where the client can show one
  form      shows a form and ends; what comes after it says how it was answered.
            With JSON behind the word, that is what the tool is called with
  read      reads a file of the folder and ends
  say TEXT  repeats the text
  ask N     asks N questions, one after the other
  plans N   makes N plans, 50 a second, of 20 steps and of 3 by turns; the
            words behind N stand in each step
  output N  has a tool put out N MiB of text
  long      streams 200 paragraphs
  slow      says a word each second for ten minutes, until it is stopped
  quiet     says nothing for ten minutes, until it is stopped
  garbage   prints lines that are no protocol in the midst of its answer
  crash     ends in the middle of a sentence

Any other prompt makes a plan of four steps, reads a file, asks which greeting
the page should use, and writes hello.html from the answer. Once that file is
there, it adds the prompt to the page as a paragraph.

Sessions are kept in the folder ` + EnvState + `, by default one in the
user's cache folder, and never in the folder it works in.
`

// Run serves ACP until stdin ends (exit code 0), ctx ends (1) or a script
// crashes (3). It ends the MCP servers that it started.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	flags := flag.NewFlagSet("parley agent demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, help) }
	fast := flags.Bool("fast", os.Getenv(EnvFast) == "1", "")
	tellVersion := flags.Bool("version", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitDone
	} else if err != nil {
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprint(stderr, help)
		return exitUsage
	}

	if *tellVersion {
		fmt.Fprintln(stdout, "parley-demo", version)
		return exitDone
	}

	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	a := &agent{
		out: &lines{w: stdout}, stderr: stderr, log: log, pace: pace{fast: *fast},
		saved: saved{dir: stateFolder(os.Getenv)}, crash: make(chan struct{}), sessions: map[string]*session{},
	}
	a.saved.forget(time.Now())
	defer a.close()
	in := &gate{r: stdin, open: make(chan struct{})}
	a.conn = acp.NewAgentSideConnection(a, a.out, in)
	a.conn.SetLogger(slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	close(in.open)

	select {
	case <-a.conn.Done():
		return exitDone
	case <-a.crash:
		return exitCrash
	case <-ctx.Done():
		return exitStopped
	}
}

// gate holds the connection's first read back until its logger is set: the SDK
// starts reading before it lets anyone set one.
type gate struct {
	r    io.Reader
	open chan struct{}
}

// Read implements io.Reader.
func (g *gate) Read(p []byte) (int, error) {
	<-g.open
	return g.r.Read(p)
}

// lines keeps whole lines apart that come from the connection and from the
// script "garbage". Its mutex is held across the write on purpose.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer; p is one or more whole lines.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
