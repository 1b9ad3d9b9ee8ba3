package pi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// What changes something is asked in the default mode, edits with their diff, and
// each end of a request reads differently to the model. Our own tools and looking
// around need no permission; the person's servers do.
func TestPermissions(t *testing.T) {
	t.Parallel()
	edit := map[string]any{"path": "a.txt", "edits": []any{map[string]any{"oldText": "two", "newText": "TWO\nand a half"}}}
	l := launch(t, wish{catalog: mcp.Catalog{live.Ours(t), live.Server(t, "docs")}},
		says("make", call("m", "bash", map[string]any{"command": "touch made && echo made it"})), then("m", fakemodel.Text("Made.")),
		says("refuse", call("r", "bash", map[string]any{"command": "rm made"})), then("r", fakemodel.Text("Left.")),
		says("close", call("c", "bash", map[string]any{"command": "rm made"})), then("c", fakemodel.Text("Left.")),
		says("wait", call("w", "bash", map[string]any{"command": "rm made"})), then("w", fakemodel.Text("Left.")),
		says("edit", call("e", "edit", edit)), then("e", fakemodel.Text("Edited.")),
		says("write", call("n", "write", map[string]any{"path": "sub/b.txt", "content": "new\n"})), then("n", fakemodel.Text("Written.")),
		says("ask", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("Asked.")),
		says("server", call("s", "mcp__docs__echo", map[string]any{})), then("s", fakemodel.Text("Echoed.")),
	)
	l.Write("a.txt", "one\ntwo\nthree\n")

	l.Prompt("make")
	asked := l.Host.NextAsk()
	a := asked.Approval
	if asked.Kind != agents.AskApproval || asked.ToolID != "m" || a.Tool != "bash" || a.Command != "touch made && echo made it" || !a.Lasting ||
		!slices.Equal(a.Scopes, []string{"allow_once"}) || len(a.Input) == 0 {
		t.Errorf("asked %+v %+v", asked.Interaction, a)
	}
	if started, ok := agenttest.Find[agents.ToolStarted](asked.Before[l.Turns:]); !ok || started.ID != "m" || started.Kind != "run" {
		t.Errorf("asked before the call was told of: %s", agenttest.Describe(asked.Before[l.Turns:]))
	}
	asked.Answer(live.Answered("allow_once"))
	events := l.Done()
	if end, _ := agenttest.Find[agents.ToolEnded](events); end.Status != "ok" || !strings.Contains(end.Output, "made it") || !l.There("made") {
		t.Errorf("the command ended as %+v", end)
	}

	for _, tt := range []struct {
		prompt, call string
		outcome      agents.Outcome
		says         string
	}{
		{"refuse", "r", agents.Outcome{Reason: "response", Action: "deny", Note: "it is precious"}, "it is precious"},
		{"close", "c", agents.Outcome{Reason: "dismissed"}, "closed the request"},
		{"wait", "w", agents.Outcome{Reason: "timeout"}, "Nobody decided"},
	} {
		l.Prompt(tt.prompt)
		l.Host.NextAsk().Answer(tt.outcome)
		if end, _ := agenttest.Find[agents.ToolEnded](l.Done()); end.Status == "ok" || !l.There("made") {
			t.Errorf("%s: the call ended as %+v", tt.prompt, end)
		}
		live.WantIn(t, tt.prompt, l.Told(tt.call).Text, tt.says)
	}

	l.Prompt("edit")
	asked = l.Host.NextAsk()
	if a = asked.Approval; asked.Title != "Edit a.txt" || a.Path != l.Path("a.txt") {
		t.Errorf("asked %+v %+v", asked.Interaction, a)
	}
	live.WantIn(t, "diff", a.Diff, "-two\n+TWO\n+and a half\n")
	asked.Answer(live.Answered("allow_once"))
	changes := agenttest.All[agents.FileChanged](l.Done())
	if len(changes) != 1 || changes[0].Change != "modified" || changes[0].Added != 2 || changes[0].Removed != 1 || changes[0].ToolID != "e" {
		t.Errorf("changed %+v", changes)
	}
	l.Prompt("write")
	asked = l.Host.NextAsk()
	live.WantIn(t, "diff", asked.Approval.Diff, "+new")
	asked.Answer(live.Answered("allow_once"))
	changes = agenttest.All[agents.FileChanged](l.Done())
	if len(changes) != 1 || changes[0].Change != "added" || changes[0].Added != 1 || l.Read("sub/b.txt") != "new\n" {
		t.Errorf("changed %+v", changes)
	}
	if l.Read("a.txt") != "one\nTWO\nand a half\nthree\n" {
		t.Errorf("a.txt %q", l.Read("a.txt"))
	}

	asks := l.Host.Asks()
	l.Prompt("ask")
	events = l.Done()
	if started, _ := agenttest.Find[agents.ToolStarted](events); started.Kind != "ask" || l.Host.Asks() != asks {
		t.Errorf("our tool: %+v, %d asked", started, l.Host.Asks()-asks)
	}
	live.WantIn(t, "our tool", l.Told("q").Text, "BLUE-42")
	l.Prompt("server")
	asked = l.Host.NextAsk()
	if asked.Server != "docs" || asked.Title != "Use the tool echo of the MCP server docs" {
		t.Errorf("asked %+v", asked.Interaction)
	}
	asked.Answer(live.Answered("allow_once"))
	l.Done()
	live.WantIn(t, "their tool", l.Told("s").Text, "echoed")
}

// In the wider modes less is asked, and a mode holds from the next call on. Edits
// go through within the folder alone, wherever a link leads, and not where files
// steer programs.
func TestModes(t *testing.T) {
	t.Parallel()
	write := func(id, path string) fakemodel.Reply {
		return call(id, "write", map[string]any{"path": path, "content": "x\n"})
	}
	l := launch(t, wish{mode: agents.ModeEdits},
		says("edit", write("e", "b.txt")), then("e", fakemodel.Text("Edited.")),
		says("outside", write("o", "../outside")), then("o", fakemodel.Text("No.")),
		says("link", write("k", "link/c.txt")), then("k", fakemodel.Text("No.")),
		says("hook", write("h", ".git/hooks/post-commit")), then("h", fakemodel.Text("No.")),
		says("full", call("f", "bash", map[string]any{"command": "touch ../full"})), then("f", fakemodel.Text("Done.")),
		says("plan", write("p", "planned")), then("p", fakemodel.Text("Refused.")),
	)
	if err := os.Symlink(filepath.Dir(l.Spec.Cwd), l.Path("link")); err != nil {
		t.Fatal(err)
	}
	l.Prompt("edit")
	l.Done()
	if l.Read("b.txt") != "x\n" || l.Host.Asks() != 0 {
		t.Errorf("b.txt %q, %d asked", l.Read("b.txt"), l.Host.Asks())
	}
	for _, tt := range []struct{ prompt, file string }{{"outside", "../outside"}, {"link", "../c.txt"}, {"hook", ".git/hooks/post-commit"}} {
		l.Prompt(tt.prompt)
		l.Host.NextAsk().Answer(live.Answered("deny"))
		l.Done()
		if l.There(tt.file) {
			t.Errorf("%s: what was refused was written", tt.prompt)
		}
	}
	mode := func(m agents.Mode) {
		if err := l.Agent.SetMode(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	asks := l.Host.Asks()
	mode(agents.ModeFull)
	l.Prompt("full")
	l.Done()
	if !l.There("../full") || l.Host.Asks() != asks {
		t.Errorf("full access: %d asked", l.Host.Asks()-asks)
	}
	mode(agents.ModePlan)
	l.Prompt("plan")
	l.Done()
	if l.There("planned") || l.Host.Asks() != asks {
		t.Errorf("while planning: %d asked", l.Host.Asks()-asks)
	}
	live.WantIn(t, "while planning", l.Told("p").Text, "plan mode")
	requests := l.Model.Requests()
	live.WantIn(t, "while planning", requests[len(requests)-1].Everything(), "present a plan")
	if err := l.Agent.SetMode(t.Context(), "odd"); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("an unknown mode: %v", err)
	}
}

// A stop takes an open request back and keeps the process.
func TestStopWhileAsking(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("make", call("m", "bash", map[string]any{"command": "touch made"})),
		says("again", fakemodel.Text("Here I am.")),
	)
	l.Prompt("make")
	asked := l.Host.NextAsk()
	l.Interrupt()
	events, end := l.Ended()
	if end.Stop != agents.StopStopped || !errors.Is(context.Cause(asked.Ctx), agents.ErrTurnStopped) {
		t.Errorf("ended %+v, withdrawn because of %v", end, context.Cause(asked.Ctx))
	}
	agenttest.CheckEvents(t, events)
	l.Prompt("again")
	if got := agenttest.Said(l.Done()); got != "Here I am." || l.There("made") {
		t.Errorf("said %q", got)
	}
}
