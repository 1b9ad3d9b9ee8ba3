//go:build linux

package proc_test

import (
	"fmt"
	"os"
	"testing"

	"parley/agents/proc"
)

// What each process of a tree waits for, and on whom.
func TestTreeSaysWhatIsWaitedFor(t *testing.T) {
	p := start(t, proc.Spec{Argv: sh(`sleep 9999 | { sleep 9999; exec cat; } & read line; sleep 9999 | cat`), Env: os.Environ(), Ladder: short})
	find := func(name string) proc.Process {
		t.Helper()
		tree, err := p.Tree()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range tree {
			if q.Name == name {
				return q
			}
		}
		return proc.Process{}
	}
	until(t, "the agent reads what Parley writes", func() bool {
		q := find("sh")
		return q.PID == p.PID() && q.Waits == "read" && q.On == "Parley" && q.Seen != ""
	})
	if _, err := p.Stdin().Write([]byte("go on\n")); err != nil {
		t.Fatal(err)
	}
	until(t, "cat reads what its neighbour writes, and the agent waits for both", func() bool {
		tree, err := p.Tree()
		if err != nil {
			t.Fatal(err)
		}
		var sleeper, cat, agent proc.Process
		for _, q := range tree {
			switch {
			case q.PID == p.PID():
				agent = q
			case q.Parent == p.PID() && q.Name == "cat":
				cat = q
			}
		}
		for _, q := range tree {
			if q.Parent == p.PID() && q.Name == "sleep" && cat.On == fmt.Sprintf("sleep (%d)", q.PID) {
				sleeper = q
			}
		}
		return cat.Waits == "read" && sleeper.Waits == "timer" && agent.Waits == "child" && agent.On != ""
	})
}
