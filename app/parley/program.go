package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"parley/app"
)

// program is one run of the program.
type program struct {
	Stdio
	command string      // that runs, if it has a help of its own
	heeds   bool        // an interrupt ends the command's context
	hurry   atomic.Bool // somebody wants it to end now, with whatever it has begun
}

// errInterrupted is the cause of a context that the person ended.
var errInterrupted = errors.New("interrupted")

// untilInterrupt ends the context with the first interrupt. One that is no
// Ctrl-C comes from the system, or from somebody who wants an end at once.
func (p *program) untilInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case s := <-p.Interrupts:
			if s != os.Interrupt {
				p.hurry.Store(true)
			}
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// getenv looks a variable up as the caller has it.
func (p *program) getenv(name string) string {
	for _, v := range p.Env {
		if n, value, ok := strings.Cut(v, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// say writes a line for the person.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.Err, format+"\n", args...)
}

// line writes one JSON value as one line, at once.
func (p *program) line(v any) error { return lineTo(p.Out, v) }

// lineTo writes one JSON value as one line. What could steer a terminal is
// written as JSON escapes, which is the same to a program.
func lineTo(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // it is read by programs, and by people
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(line.String()))
	return err
}

// usageError is a command that was called wrongly.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// fail tells the person what went wrong and returns the exit code for it.
func (p *program) fail(err error) int {
	if wrong, ok := errors.AsType[*usageError](err); ok {
		p.say("%s", wrong.text)
		p.say("%s", strings.TrimSpace("See: parley help "+p.command))
		return exitUsage
	}
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	if _, coded := errors.AsType[*app.Error](err); coded {
		p.say("%s", plain(app.ErrorMessage(err)))
	} else {
		p.say("parley: %s", err) // of this program; nothing of it is secret
	}
	switch app.ErrorCode(err) {
	case app.CodeAgentNotInstalled, app.CodeAgentNotLoggedIn:
		return exitNoAgent
	case app.CodeInvalidArgument, app.CodeFolderUnusable, app.CodeModeRefused:
		return exitUsage
	default:
		return exitFailed
	}
}

// flags makes a set of flags that reports its errors to parse.
func flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet("parley "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// errHelp asks for the help of a command.
var errHelp = errors.New("help")

// parse reads flags wherever they stand among the arguments and returns the
// rest. All that follows "--" is rest. An empty argument is refused: it is a
// variable of a script that holds nothing, and names nothing.
func parse(fs *flag.FlagSet, args []string) (rest []string, err error) {
	defer func() {
		if err == nil && slices.Contains(rest, "") {
			rest, err = nil, usagef("%s: an argument is empty.", fs.Name())
		}
	}()
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, errHelp
		} else if err != nil {
			return nil, usagef("%s: %s.", fs.Name(), twoDashes(err.Error()))
		}
		left := fs.Args()
		if read := len(args) - len(left); read > 0 && args[read-1] == "--" {
			return append(rest, left...), nil
		}
		if len(left) == 0 {
			return rest, nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// twoDashes spells flags in a message of package flag as the help does.
func twoDashes(message string) string {
	return strings.NewReplacer(": -", ": --", " for -", " for --", ": parse error", "").Replace(message)
}

// none refuses arguments where a command takes none.
func none(fs *flag.FlagSet, args []string) error {
	rest, err := parse(fs, args)
	if err == nil && len(rest) > 0 {
		return usagef("%s doesn't know what %q means.", fs.Name(), rest[0])
	}
	return err
}

// texts is a flag that may be given several times.
type texts []string

func (t *texts) String() string     { return strings.Join(*t, ", ") }
func (t *texts) Set(s string) error { *t = append(*t, s); return nil }
