package opencode_test

import (
	"strings"
	"testing"

	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/opencode"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Suite(t, live.Moves{
		Read: func(id string) fakemodel.Reply { return call(id, "read", map[string]any{"filePath": "a.txt"}) },
		Remove: func(id string) fakemodel.Reply {
			return call(id, "bash", map[string]any{"command": "rm -f b.txt", "description": "clear"})
		},
		Refused: func(p fakemodel.Part) bool { return strings.Contains(p.Text, "rejected") },
	})}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	live.Conform(t, opencode.New(), install, spec)
}
