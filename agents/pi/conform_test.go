package pi_test

import (
	"strings"
	"testing"

	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/pi"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Suite(t, live.Moves{
		Read:    func(id string) fakemodel.Reply { return call(id, "read", map[string]any{"path": "a.txt"}) },
		Remove:  func(id string) fakemodel.Reply { return call(id, "bash", map[string]any{"command": "rm -f b.txt"}) },
		Refused: func(p fakemodel.Part) bool { return strings.Contains(p.Text, "permission") },
	})}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	live.Conform(t, pi.New(), install, spec)
}
