// Package leaks finds what the tests of a package leave behind in its test
// program: goroutines and open descriptors. It looks once, when all tests are
// over, since tests that run side by side cannot be told apart. It knows nothing
// of what is tested.
package leaks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// limit is how long what is on its way out may take.
const limit = 20 * time.Second

// Run runs the tests and returns the code to exit with: that of the tests, or 1
// with the reason on standard error when they passed and left something behind.
func Run(m *testing.M, known ...goleak.Option) int {
	before := Descriptors()
	code := m.Run()
	if code != 0 {
		return code
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := Check(ctx, before, known...); err != nil {
		fmt.Fprintln(os.Stderr, "left behind by the tests:", err)
		return 1
	}
	return 0
}

// Check reports goroutines beside the caller's, and descriptors that are not
// among before. It looks again until there are none or ctx ends.
func Check(ctx context.Context, before map[string]string, known ...goleak.Option) error {
	for ; ; time.Sleep(20 * time.Millisecond) {
		err := goleak.Find(known...)
		if open := since(before); len(open) > 0 {
			err = errors.Join(err, fmt.Errorf("open descriptors: %s", strings.Join(open, ", ")))
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// since lists the descriptors that are not among before.
func since(before map[string]string) []string {
	var open []string
	now := Descriptors()
	for _, number := range slices.Sorted(maps.Keys(now)) {
		if before[number] != now[number] {
			open = append(open, number+" "+now[number])
		}
	}
	return open
}

// Descriptors is what every open descriptor of this process leads to, by its
// number. Where the system does not tell there are none.
func Descriptors() map[string]string {
	// With its first pipe the runtime opens what it polls with, for good.
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	const dir = "/proc/self/fd"
	open := map[string]string{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		// The one that the folder was read with is closed by now.
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			open[e.Name()] = target
		}
	}
	return open
}
