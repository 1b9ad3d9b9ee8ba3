package codex_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
)

const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n+and a half\n three\n*** Add File: b.txt\n+new\n*** End Patch"

// again is a step for as many requests as come.
func again(s fakemodel.Step) fakemodel.Step {
	s.Times = fakemodel.Always
	return s
}

// What changes something is asked in the default mode: commands beyond the
// sandbox and patches, each answer in its own way.
func TestPermissions(t *testing.T) {
	t.Parallel()
	beyond := func(id, cmd string) fakemodel.Reply {
		return call(id, "exec_command", map[string]any{"cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "May I?"})
	}
	l := launch(t, wish{},
		says("sandboxed", call("s", "exec_command", map[string]any{"cmd": "touch made; ls"})),
		then("s", fakemodel.Text("It could not.")),
		says("beyond", beyond("b", "touch made")), then("b", fakemodel.Text("Made.")),
		// The CLI may ask its model once more when our words come to it late.
		says("refuse", beyond("r", "rm made")), again(then("r", fakemodel.Text("Left."))),
		says("close", beyond("c", "rm made")), again(then("c", fakemodel.Text("Left."))),
		says("wait", beyond("w", "rm made")), again(then("w", fakemodel.Text("Left."))),
		says("steps", beyond("d", `mkdir sub && cd sub && echo "it's" >made`)), again(then("d", fakemodel.Text("Left."))),
		says("patch", fakemodel.Blocks(fakemodel.ToolUse("p", "apply_patch", patch))), then("p", fakemodel.Text("Patched.")),
	)
	l.Write("a.txt", "one\ntwo\nthree\n")

	l.Prompt("sandboxed")
	l.Done()
	if l.Read("made") != "" || l.Host.Asks() != 0 {
		t.Error("a command of the sandbox was asked for")
	}

	l.Prompt("beyond")
	asked := l.Host.NextAsk()
	a := asked.Approval
	if asked.Kind != agents.AskApproval || asked.ToolID != "b" || a.Command != "touch made" || a.Why != "May I?" || a.Scopes[0] != "allow_once" || !a.Lasting || len(a.Input) == 0 {
		t.Errorf("asked %+v %+v", asked.Interaction, a)
	}
	if started, ok := agenttest.Find[agents.ToolStarted](asked.Before[l.Turns:]); !ok || started.ID != "b" {
		t.Errorf("asked before the call was told of: %s", agenttest.Describe(asked.Before[l.Turns:]))
	}
	asked.Answer(live.Answered("allow_once"))
	l.Done()
	if !l.There("made") {
		t.Errorf("the command did not run; told %q", l.Told("b").Text)
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
		events := l.Done()
		if end, _ := agenttest.Find[agents.ToolEnded](events); end.Status == "ok" || !l.There("made") {
			t.Errorf("%s: the call ended as %+v", tt.prompt, end)
		}
		requests := l.Model.Requests()
		live.WantIn(t, tt.prompt, requests[len(requests)-1].Everything(), tt.says)
	}

	// A person who allows exactly this command from now on sees all of it.
	l.Prompt("steps")
	asked = l.Host.NextAsk()
	if a = asked.Approval; a.Command != `mkdir sub && cd sub && echo "it's" >made` || !a.Lasting {
		t.Errorf("asked %+v", a)
	}
	asked.Answer(agents.Outcome{Reason: "dismissed"})
	l.Done()

	l.Prompt("patch")
	asked = l.Host.NextAsk()
	a = asked.Approval
	if a.Tool != "apply_patch" || !slices.Contains(a.Scopes, "allow_session") || a.Lasting || asked.Title != "Edit a.txt, b.txt" {
		t.Errorf("asked %+v %+v", asked.Interaction, a)
	}
	live.WantIn(t, "diff", a.Diff, "-two\n+TWO\n+and a half\n", "+new")
	asked.Answer(live.Answered("allow_once"))
	events := l.Done()
	changes := agenttest.All[agents.FileChanged](events)
	if len(changes) != 2 || changes[0].Change != "modified" || changes[0].Added != 2 || changes[0].Removed != 1 || changes[1].Change != "added" || changes[1].Added != 1 {
		t.Errorf("changed %+v", changes)
	}
	if l.Read("a.txt") != "one\nTWO\nand a half\nthree\n" || l.Read("b.txt") != "new\n" {
		t.Errorf("a.txt %q, b.txt %q", l.Read("a.txt"), l.Read("b.txt"))
	}
}

// In the wider modes less is asked, and a mode can be changed between turns.
func TestModes(t *testing.T) {
	t.Parallel()
	w := wish{mode: agents.ModeEdits, model: live.Serve(t)}
	w.home = scratch(t, w)
	// In a repository, the CLI is quick to note in its configuration that it trusts
	// it.
	if out, err := exec.Command("git", "init", "-q", filepath.Join(w.home, "project")).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	before, err := os.ReadFile(filepath.Join(w.home, ".codex", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	w.model.Add(
		says("edit", fakemodel.Blocks(fakemodel.ToolUse("e", "apply_patch", "*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch"))), then("e", fakemodel.Text("Edited.")),
		says("outside", call("o", "exec_command", map[string]any{"cmd": "touch ../outside", "sandbox_permissions": "require_escalated", "justification": "May I?"})), then("o", fakemodel.Text("No.")),
		says("full", call("f", "exec_command", map[string]any{"cmd": "touch ../full"})), then("f", fakemodel.Text("Done.")),
		says("insist", call("i", "exec_command", map[string]any{"cmd": "touch ../insisted", "sandbox_permissions": "require_escalated", "justification": "May I?"})), then("i", fakemodel.Text("Done.")),
		says("plan", call("p", "exec_command", map[string]any{"cmd": "touch planned", "sandbox_permissions": "require_escalated", "justification": "May I?"})), then("p", fakemodel.Text("Refused.")),
	)
	l := launch(t, w)
	l.Prompt("edit")
	l.Done()
	if l.Read("b.txt") != "new\n" || l.Host.Asks() != 0 {
		t.Errorf("b.txt %q, %d asked", l.Read("b.txt"), l.Host.Asks())
	}
	l.Prompt("outside")
	l.Host.NextAsk().Answer(live.Answered("deny"))
	l.Done()
	if l.There("../outside") {
		t.Error("a refused command ran")
	}
	mode := func(m agents.Mode) {
		if err := l.Agent.SetMode(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	mode(agents.ModeFull)
	l.Prompt("full")
	l.Done()
	if !l.There("../full") || l.Host.Asks() != 1 {
		t.Errorf("full access: %q, %d asked", l.Told("f").Text, l.Host.Asks())
	}
	l.Prompt("insist")
	l.Done()
	live.WantIn(t, "asked for more with full access", l.Told("i").Text, "you cannot ask for escalated permissions")
	mode(agents.ModePlan)
	l.Prompt("plan")
	l.Done()
	if l.There("planned") || l.Host.Asks() != 1 {
		t.Errorf("while planning: %q, %d asked", l.Told("p").Text, l.Host.Asks())
	}
	if after := l.Read("../.codex/config.toml"); after != string(before) {
		t.Errorf("the person's configuration has become %s", after)
	}
	if err := l.Agent.SetMode(t.Context(), "odd"); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("an unknown mode: %v", err)
	}
}

// A stop takes an open request back and keeps the process.
func TestStopWhileAsking(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("beyond", call("b", "exec_command", map[string]any{"cmd": "touch made", "sandbox_permissions": "require_escalated", "justification": "May I?"})),
		says("again", fakemodel.Text("Here I am.")),
	)
	l.Prompt("beyond")
	asked := l.Host.NextAsk()
	if err := l.Agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
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
