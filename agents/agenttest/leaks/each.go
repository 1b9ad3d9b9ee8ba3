package leaks

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
)

// label names the test that a goroutine works for. A goroutine hands it to those
// that it starts, so tests that run side by side can be told apart.
const label = "test"

// Watch looks for what one test leaves behind.
type Watch struct{ name, dir string }

var watched sync.Map // name of a test that runs → its *Watch

// Each holds one test to leaving nothing behind: no goroutine that it or what it
// started began, and no open file in its folders. It is called before the test
// begins anything, and does nothing when it was called for the test before; the
// end is looked at after the clean-ups of what began later. What can't be laid at
// one test's door, such as a socket, is Run's to find.
func Each(tb testing.TB) *Watch {
	tb.Helper()
	if w, ok := watched.Load(tb.Name()); ok {
		return w.(*Watch)
	}
	w := &Watch{name: tb.Name(), dir: filepath.Dir(tb.TempDir())}
	watched.Store(w.name, w)
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(label, w.name)))
	tb.Cleanup(func() {
		watched.Delete(w.name)
		deadline := time.Now().Add(limit)
		// Short at first: a target that is fuzzed comes by here a thousand times.
		for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
			// A connection that is kept for a next call is no leak of the one before.
			http.DefaultClient.CloseIdleConnections()
			left := w.Left()
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				tb.Errorf("left behind by this test:\n%s", strings.Join(left, "\n"))
				return
			}
			time.Sleep(wait)
		}
	})
	return w
}

// Left lists what there is of the test now, beside the goroutine that asks: the
// stacks of its goroutines, and its open files.
func (w *Watch) Left() []string {
	var profile strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return []string{err.Error()}
	}
	mark := fmt.Sprintf("# labels: {%q:%q}", label, w.name)
	var left []string
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(stack, mark) && !strings.Contains(stack, "leaks.(*Watch).Left+") {
			left = append(left, stack)
		}
	}
	for number, target := range Descriptors() {
		if strings.HasPrefix(target, w.dir+string(filepath.Separator)) {
			left = append(left, number+" "+target)
		}
	}
	return left
}
