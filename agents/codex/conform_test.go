package codex_test

import (
	"strings"
	"testing"

	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/codex"
	"parley/agents/fakemodel"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	agenttest.Long(t)
	w := wish{model: live.Suite(t, live.Moves{
		Read: func(id string) fakemodel.Reply { return call(id, "exec_command", map[string]any{"cmd": "cat a.txt"}) },
		Remove: func(id string) fakemodel.Reply {
			return call(id, "exec_command", map[string]any{"cmd": "rm -f b.txt", "sandbox_permissions": "require_escalated", "justification": "May I?"})
		},
		Refused: func(p fakemodel.Part) bool { return strings.Contains(p.Text, "rejected") },
	})}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	live.Conform(t, codex.New("test"), install, spec)
}
