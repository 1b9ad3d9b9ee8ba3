package leaks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/agenttest/leaks"
)

// Tests that run at once are told apart: each has what it began, also by another
// goroutine, and nothing of its neighbour's.
func TestEach(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := leaks.Each(t)
			if left := w.Left(); len(left) > 0 {
				t.Fatalf("before anything began: %q", left)
			}
			end, ended, begun := make(chan struct{}), make(chan struct{}), make(chan struct{})
			go func() {
				go func() {
					close(begun)
					<-end
					close(ended)
				}()
			}()
			<-begun
			f, err := os.Create(filepath.Join(t.TempDir(), "open"))
			if err != nil {
				t.Fatal(err)
			}
			left := w.Left()
			if len(left) == 0 || !strings.Contains(left[0], "TestEach") {
				t.Errorf("a goroutine of a goroutine is not among %q", left)
			}
			if n := strings.Count(strings.Join(left, "\n"), f.Name()); len(leaks.Descriptors()) > 0 && n != 1 {
				t.Errorf("an open file is %d times among %q", n, left)
			}
			close(end)
			<-ended
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
