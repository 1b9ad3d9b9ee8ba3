package opencode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/opencode"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	long(t)
	always := func(say string, reply fakemodel.Reply) fakemodel.Step {
		return fakemodel.Step{When: fakemodel.UserSays(say), Times: fakemodel.Always, Reply: reply}
	}
	allowed := fakemodel.Step{When: fakemodel.HasResult("ask"), Times: fakemodel.Always, Answer: func(r fakemodel.Request) fakemodel.Reply {
		if p, _ := r.ToolResult("ask"); strings.Contains(p.Text, "rejected") {
			return fakemodel.Text("Left undone.")
		}
		return fakemodel.Text("It is done.")
	}}
	model := live.Serve(t,
		fakemodel.Step{When: fakemodel.HasResult("tool"), Times: fakemodel.Always, Reply: fakemodel.Text("I read it.")}, allowed,
		always("hello", fakemodel.Text("Good morning.")),
		always("look", call("tool", "read", map[string]any{"filePath": "a.txt"})),
		always("change", call("ask", "bash", map[string]any{"command": "rm -f b.txt", "description": "clear"})),
		always("dream", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "This is an endless thought", Until: make(chan struct{})})),
	)
	w := wish{model: model}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	if err := os.WriteFile(filepath.Join(spec.Cwd, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	agenttest.Conform(t, agenttest.Case{
		Adapter: opencode.New(), Install: install,
		Spec:    func(*testing.T) agents.SessionSpec { return spec },
		Context: "<block>context_id=\"pctx_" + "0123456789012345678901234567890123456789abc" + "\"</block>",
		Say:     "hello", Said: "Good morning.",
		Tool: "look",
		Ask:  "change", Allowed: "It is done.", Denied: "Left undone.",
		Endless: "dream",
		// It prints no garbage and does not end by itself, whatever a model says.
	})
}
