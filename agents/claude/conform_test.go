package claude_test

import (
	"testing"

	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
)

// The suite that every family must pass, on the real CLI. TestOddLines and
// TestExitsAtOnce are about garbage and ends.
func TestConformance(t *testing.T) {
	w := wish{home: live.Home(t), model: live.Suite(t, live.Moves{
		Read:    func(id string) fakemodel.Reply { return call(id, "Read", map[string]any{"file_path": "a.txt"}) },
		Remove:  func(id string) fakemodel.Reply { return call(id, "Bash", map[string]any{"command": "rm -f b.txt"}) },
		Refused: func(p fakemodel.Part) bool { return p.IsError },
	})}
	install, spec := prepare(t, w)
	live.Conform(t, newAdapter(), install, spec)
}
