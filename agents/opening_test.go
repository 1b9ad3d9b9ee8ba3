package agents_test

import (
	"strings"
	"testing"

	"parley/agents"
)

// What a program prints before it is up explains why it is not: as much as a
// person reads, and no secret.
func TestWhatAProgramPrintsAtItsStart(t *testing.T) {
	var o agents.Opening
	o.Hear([]byte("Welcome!"))
	o.Hear([]byte("token " + agents.LaunchToken + strings.Repeat("a", 43)))
	for range 100 {
		o.Hear([]byte("more"))
	}
	heard := o.Heard()
	if lines := strings.Count(heard, "\n") + 1; lines != 50 || !strings.HasPrefix(heard, "Welcome!\n") || strings.Contains(heard, "aaa") {
		t.Errorf("heard %d lines: %s", lines, heard)
	}
	if p := agents.Garbage("X", "x", heard).Problem; p.Command != "x" || strings.Count(p.Evidence, "\n") != 11 {
		t.Errorf("the problem is %+v", p)
	}
	if o.Up() {
		t.Error("it was up too early")
	}
	o.Opened()
	o.Hear([]byte("later"))
	if !o.Up() || o.Heard() != "" {
		t.Errorf("after its start it kept %q", o.Heard())
	}
}
