package claude_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	always := func(say string, reply fakemodel.Reply) fakemodel.Step {
		step := says(say, reply)
		step.Times = fakemodel.Always
		return step
	}
	then := func(id string, answer func(p fakemodel.Part) string) fakemodel.Step {
		return fakemodel.Step{When: fakemodel.HasResult(id), Times: fakemodel.Always, Answer: func(r fakemodel.Request) fakemodel.Reply {
			p, _ := r.ToolResult(id)
			return fakemodel.Text(answer(p))
		}}
	}
	model := live.Serve(t,
		then("tool", func(p fakemodel.Part) string { return "I read it." }),
		then("ask", func(p fakemodel.Part) string {
			if p.IsError {
				return "Left undone."
			}
			return "It is done."
		}),
		always("hello", fakemodel.Text("Good morning.")),
		always("look", call("tool", "Read", map[string]any{"file_path": "a.txt"})),
		always("change", call("ask", "Bash", map[string]any{"command": "rm -f b.txt"})),
		always("dream", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "This is an endless thought", Until: make(chan struct{})})),
	)
	w := wish{home: live.Home(t), model: model}
	install, spec := prepare(t, w)
	if err := os.WriteFile(filepath.Join(spec.Cwd, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	agenttest.Conform(t, agenttest.Case{
		Adapter: newAdapter(), Install: install,
		Spec:    func(*testing.T) agents.SessionSpec { return spec },
		Context: "<block>context_id=\"pctx_" + "0123456789012345678901234567890123456789abc" + "\"</block>",
		Say:     "hello", Said: "Good morning.",
		Tool: "look",
		Ask:  "change", Allowed: "It is done.", Denied: "Left undone.",
		Endless: "dream",
		// It prints no garbage and does not end by itself, whatever a model says;
		// TestOddLines and TestExitsAtOnce do that in its place.
	})
}
