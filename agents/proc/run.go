package proc

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

const (
	runLimit = 10 * time.Second
	runCap   = 1 << 20 // bytes of each output that are kept
)

// Run runs a short program to its end, with an empty input, in this program's
// folder. It keeps the first 1 MiB of each output and reads away the rest, and
// ends the whole tree when the program has ended, when ctx ends, or after 10 s.
// Cut short so, or when it cannot be started, it returns an error, beside what
// it has read; a program that fails by itself is no error, only a code (-1 for
// one that a signal ended).
func Run(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
	return Runner{}.Run(ctx, argv, env)
}

// Runner is Run with a shim and a limit of its own.
type Runner struct {
	Shim  string        // path of parley-run, "" finds it
	Limit time.Duration // 0 is 10 s
	Input []byte        // for its standard input, which ends then
}

// tooLong is the end of a Run by its own limit.
type tooLong time.Duration

// Error implements error.
func (d tooLong) Error() string { return fmt.Sprintf("not finished after %v", time.Duration(d)) }

// Unwrap makes it a context.DeadlineExceeded.
func (tooLong) Unwrap() error { return context.DeadlineExceeded }

// Run is as the function.
func (r Runner) Run(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
	limit := r.Limit
	if limit == 0 {
		limit = runLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, tooLong(limit))
	defer cancel()
	if ctx.Err() != nil {
		return nil, nil, -1, context.Cause(ctx)
	}
	out, errOut := &head{size: runCap}, &head{size: runCap}
	p, err := start(Spec{
		Argv: argv, Env: env, Shim: r.Shim,
		Ladder: Ladder{Rest: time.Millisecond},
	}, newTail(1), errOut)
	if err != nil {
		return nil, nil, -1, err
	}
	finished := context.AfterFunc(ctx, p.kill)
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		p.stdin.Write(r.Input) // a program that reads none of it, or ends first, is none of ours to judge
		p.stdin.Close()
	}()
	defer func() { <-fed }()
	io.Copy(out, p.stdout) // has no error but the end
	<-p.done
	if !finished() {
		return out.kept, errOut.kept, -1, fmt.Errorf("run %s: %w", filepath.Base(argv[0]), context.Cause(ctx))
	}
	return out.kept, errOut.kept, p.exit.Code, nil
}
