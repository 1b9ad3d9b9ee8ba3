//go:build unix

package childapi_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/app"
)

// A runtime folder that the system clears away, as at a logout, takes no question
// along: what waits gets its answer, and what comes later is asked.
func TestASocketThatIsTakenAwayComesBack(t *testing.T) {
	r := serve(t, nil)
	before := clarify(t.Context(), r.bridge(), greeting)
	first := r.question(t)
	for range 2 {
		if err := os.RemoveAll(filepath.Dir(r.path)); err != nil {
			t.Fatal(err)
		}
		for limit := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			c, err := net.Dial("unix", r.path)
			if err == nil {
				c.Close()
				break
			}
			if time.Now().After(limit) {
				t.Fatal(err)
			}
		}
	}
	if info, err := os.Stat(filepath.Dir(r.path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	first.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy", Selected: []string{"Ahoy"}}
	if got := within(t, "the first answer", before); got.err != nil || got.Response != "Ahoy" {
		t.Errorf("the first: %+v", got)
	}
	after := clarify(t.Context(), r.bridge(), greeting)
	r.question(t).answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Hello", Selected: []string{"Hello"}}
	if got := within(t, "the second answer", after); got.err != nil || got.Response != "Hello" {
		t.Errorf("the second: %+v", got)
	}
}
