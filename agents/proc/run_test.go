//go:build linux

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/agents/proc"
)

func TestRun(t *testing.T) {
	for name, test := range map[string]struct {
		script   string
		out, err string
		code     int
	}{
		"version":            {`echo 1.2.3`, "1.2.3\n", "", 0},
		"reads its input":    {`cat; echo end`, "end\n", "", 0},
		"fails":              {`echo no >&2; exit 4`, "", "no\n", 4},
		"ends by a signal":   {`kill -9 $$`, "", "", -1},
		"says nothing":       {`:`, "", "", 0},
		"leaves a child":     {`echo up; (trap "" TERM; sleep 9999) & exit 0`, "up\n", "", 0},
		"leaves a session":   {`echo up; setsid sh -c 'trap "" TERM; sleep 9999'`, "up\n", "", -1},
		"prints without end": {`yes`, "", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, mark := marked(t)
			runner := proc.Runner{Shim: shim}
			endless := test.code == -1 && !strings.Contains(test.script, "kill")
			if endless {
				runner.Limit = 300 * time.Millisecond
			}
			out, errOut, code, err := runner.Run(t.Context(), sh(test.script), env)
			if endless {
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not finished after 300ms") {
					t.Errorf("error %v", err)
				}
			} else if err != nil {
				t.Errorf("error %v", err)
			}
			switch {
			case test.script == "yes":
				if len(out) > 1<<20 || !strings.HasPrefix("y\ny\n", string(out[:min(4, len(out))])) {
					t.Errorf("kept %d bytes", len(out))
				}
			case endless: // how far it came is a matter of speed
				if !strings.HasPrefix(test.out, string(out)) || string(errOut) != test.err {
					t.Errorf("output %q, errors %q", out, errOut)
				}
			case string(out) != test.out || string(errOut) != test.err:
				t.Errorf("output %q, errors %q", out, errOut)
			}
			if code != test.code {
				t.Errorf("code %d, want %d", code, test.code)
			}
			if left := alive(t, mark); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestRunKeepsTheBeginningOfLongOutput(t *testing.T) {
	runner := proc.Runner{Shim: shim}
	out, errOut, code, err := runner.Run(t.Context(), sh(`seq 2000000; seq 2000000 >&2; exit 3`), os.Environ())
	if err != nil || code != 3 {
		t.Errorf("code %d, error %v", code, err)
	}
	for _, kept := range [][]byte{out, errOut} {
		if len(kept) != 1<<20 || !bytes.HasPrefix(kept, []byte("1\n2\n3\n")) {
			t.Errorf("kept %d bytes", len(kept))
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	env, mark := marked(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, _, code, err := proc.Runner{Shim: shim}.Run(ctx, resist, env)
	if !errors.Is(err, context.Canceled) || code != -1 {
		t.Errorf("code %d, error %v", code, err)
	}
	if left := alive(t, mark); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, _, _, err := (proc.Runner{Shim: shim}).Run(ctx, sh("true"), env); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestRunOfNothing(t *testing.T) {
	t.Setenv("PARLEY_BIN_DIR", t.TempDir())
	if _, _, _, err := proc.Run(t.Context(), sh("true"), nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "parley-run") {
		t.Errorf("without a shim: %v", err)
	}
	if _, _, _, err := (proc.Runner{Shim: shim}).Run(t.Context(), []string{"/nowhere"}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a program: %v", err)
	}
}

// Twenty at once, several times: nothing of them stays with us.
func TestManyRunsCostNothing(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	runner := proc.Runner{Shim: shim, Limit: time.Minute}
	round := func() {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if out, _, code, err := runner.Run(t.Context(), sh("echo x"), os.Environ()); string(out) != "x\n" || code != 0 || err != nil {
					t.Errorf("output %q, code %d, error %v", out, code, err)
				}
			})
		}
		wg.Wait()
	}
	round() // the first opens what stays open, such as the poller
	before, goroutines := descriptors(), runtime.NumGoroutine()
	for range 3 {
		round()
	}
	if after := descriptors(); after > before {
		t.Errorf("%d descriptors became %d", before, after)
	}
	until(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
}
