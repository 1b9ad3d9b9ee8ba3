package opencode_test

import (
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// The main things in one conversation, since each start of the CLI is dear: what
// it says and does, its questions, permissions and sub-agents, a stop.
func TestConversation(t *testing.T) {
	agenttest.Long(t)
	t.Parallel()
	l := launch(t, wish{catalog: mcp.Catalog{live.Ours(t)}, config: map[string]any{
		// The person's own rules: what they deny and what is narrow holds, what would
		// undo the mode does not.
		"permission": map[string]any{"edit": map[string]any{"*.lock": "deny"}, "bash": map[string]any{"*": "allow", "ls *": "allow"}},
	}})
	turns(t, l)
	questions(t, l)
	permissions(t, l)
	subAgents(t, l)
	stops(t, l)
	for _, r := range l.Model.Unmatched() {
		t.Errorf("the script has no answer to %q", r.LastUserText())
	}
}

// A turn brings text, reasoning, calls and their results; nothing is counted
// twice, and no title is asked for.
func turns(t *testing.T, l *live.Talk) {
	l.Model.Add(
		fakemodel.Step{When: fakemodel.UserSays("first"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read two files."),
				fakemodel.ToolUseOf("r1", "read", map[string]any{"filePath": "a.txt"}),
				fakemodel.ToolUseOf("r2", "read", map[string]any{"filePath": "missing.txt"}),
			}}},
		fakemodel.Step{When: fakemodel.HasResult("r1"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 10, Output: 2, CacheRead: 100}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Done 问题🤔.")}}},
		says("keep a list", call("l", "todowrite", map[string]any{"todos": []any{
			map[string]any{"content": "look", "status": "completed", "priority": "high", "id": "1"},
			map[string]any{"content": "do", "status": "in_progress", "priority": "high", "id": "2"}}})),
		then("l", fakemodel.Text("Listed.")),
	)
	l.Write("a.txt", "one\n")
	l.Prompt("first")
	events := l.Done()
	if got := agenttest.Said(events); got != "I read two files.Done 问题🤔." {
		t.Errorf("said %q", got)
	}
	if thought, ok := agenttest.Find[agents.Thought](events); !ok || thought.Text != "let me look" {
		t.Errorf("thought %+v", thought)
	}
	ends := endsOf(events)
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		want := map[string]string{"a.txt": "ok", "missing.txt": "failed"}[s.Title]
		if s.Kind != "read" || len(s.Input) == 0 || ends[s.ID].Status != want {
			t.Errorf("tool %+v ended as %+v", s, ends[s.ID])
		}
	}
	if len(ends) != 2 {
		t.Errorf("the calls ended as %+v", ends)
	}
	end := events[len(events)-1].(agents.Ended)
	if u := end.Usage; u == nil || *u.Input != 110 || *u.Output != 22 || *u.Cached != 107 || *u.ContextUsed != 112 || *u.Window != 100_000 {
		t.Errorf("used %+v", u)
	}
	started, _ := agenttest.Find[agents.Started](l.Host.Events())
	if started.NativeID == "" || started.Version != "1.18.33" || started.Model != "fake/m1" {
		t.Errorf("started %+v", started)
	}
	if n := len(l.Model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times: a title is not to be asked for", n)
	}
	if r := l.Model.Requests()[0]; !strings.Contains(r.System, "parley-interaction") && !hasTool(r, "parley-interaction_parley_clarify") {
		t.Errorf("our tools are not offered: %+v", r.Tools)
	}

	l.Prompt("keep a list")
	plan, ok := agenttest.Find[agents.Plan](l.Done())
	if !ok || len(plan.Steps) != 2 || plan.Steps[1] != (agents.PlanStep{Step: "do", Status: "in_progress"}) {
		t.Errorf("plan %+v", plan)
	}
}

func endsOf(events []agents.Event) map[string]agents.ToolEnded {
	ends := map[string]agents.ToolEnded{}
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		ends[e.ID] = e
	}
	return ends
}

func hasTool(r fakemodel.Request, name string) bool {
	_, ok := r.Tool(name)
	return ok
}

// The CLI's own question is a card; without an answer the model reads why there
// is none. Our own question needs no permission.
func questions(t *testing.T, l *live.Talk) {
	ask := func(id string) fakemodel.Reply {
		return call(id, "question", map[string]any{"questions": []any{
			map[string]any{"question": "Which door?", "header": "Door", "options": []any{
				map[string]any{"label": "Left (Recommended)", "description": "near"}, map[string]any{"label": "Right", "description": "far"}}},
			map[string]any{"question": "Which keys?", "header": "Keys", "multiple": true, "options": []any{
				map[string]any{"label": "Red", "description": ""}, map[string]any{"label": "Blue", "description": ""}}},
		}})
	}
	l.Model.Add(
		says("doors", ask("n1")), then("n1", fakemodel.Text("Through the left.")),
		says("close it", ask("n2")), then("n2", fakemodel.Text("Then not.")),
		says("ask me", call("ours", "parley-interaction_parley_clarify", map[string]any{})), then("ours", fakemodel.Text("Blue it is.")),
	)
	l.Prompt("doors")
	asked := l.Host.NextAsk()
	if asked.Kind != agents.AskNative || len(asked.Fields) != 2 || asked.Title != "Which door?" || asked.ToolID == "" {
		t.Fatalf("asked %+v", asked.Interaction)
	}
	door, keys := asked.Fields[0], asked.Fields[1]
	if o := door.Options[0]; o.Label != "Left" || !o.Recommended || !door.FreeText || door.Multi || !keys.Multi || keys.Options[1].Label != "Blue" {
		t.Errorf("fields %+v", asked.Fields)
	}
	asked.Answer(agents.Outcome{Reason: "response", Answers: map[string][]string{door.ID: {"Left"}, keys.ID: {"Blue", "and a golden one"}}})
	l.Done()
	live.WantIn(t, "the answers", l.Told("n1").Text, "Left (Recommended)", "Blue", "and a golden one")

	l.Prompt("close it")
	l.Host.NextAsk().Answer(agents.Outcome{Reason: "dismissed"})
	if end, _ := agenttest.Find[agents.ToolEnded](l.Done()); end.Status != "ok" {
		t.Errorf("the question ended as %+v", end)
	}
	told := l.Told("n2").Text
	live.WantIn(t, "no answer", told, "without answering")
	if strings.Contains(told, "Blue") || strings.Contains(told, "Left") {
		t.Errorf("a choice is repeated: %q", told)
	}

	before := l.Host.Asks()
	l.Prompt("ask me")
	if l.Done(); l.Host.Asks() != before {
		t.Error("a question of ours was asked for")
	}
	live.WantIn(t, "our own tool", l.Told("ours").Text, "BLUE-42")
}

// What changes something is asked, each answer in its own way.
func permissions(t *testing.T, l *live.Talk) {
	run := func(id, command string) fakemodel.Reply {
		return call(id, "bash", map[string]any{"command": command, "description": "do it"})
	}
	write := func(id, file, text string) fakemodel.Reply {
		return call(id, "write", map[string]any{"filePath": l.Path(file), "content": text})
	}
	l.Model.Add(
		says("make it", run("b1", "touch made")), then("b1", fakemodel.Text("Made.")),
		says("refuse it", run("b2", "rm made")), then("b2", fakemodel.Text("Left.")),
		says("close the request", run("b3", "rm made")), then("b3", fakemodel.Text("Left.")),
		says("nobody", run("b4", "rm made")), then("b4", fakemodel.Text("Left.")),
		says("list them", run("b5", "ls -l")), then("b5", fakemodel.Text("Listed.")),
		says("write one", write("w1", "b.txt", "new\n")), then("w1", fakemodel.Text("Written.")),
		says("change one", call("e1", "edit", map[string]any{"filePath": l.Path("a.txt"), "oldString": "one", "newString": "ONE"})), then("e1", fakemodel.Text("Changed.")),
		says("lock one", write("w2", "x.lock", "new\n")), then("w2", fakemodel.Text("I may not.")),
	)
	l.Prompt("make it")
	asked := l.Host.NextAsk()
	a := asked.Approval
	if asked.Kind != agents.AskApproval || asked.ToolID == "" || a.Tool != "bash" || a.Command != "touch made" || len(a.Scopes) != 1 || !a.Lasting || len(a.Input) == 0 {
		t.Errorf("asked %+v %+v", asked.Interaction, a)
	}
	if started, ok := agenttest.Find[agents.ToolStarted](asked.Before[l.Turns:]); !ok || started.ID != asked.ToolID {
		t.Errorf("asked before the call was told of: %s", agenttest.Describe(asked.Before[l.Turns:]))
	}
	asked.Answer(live.Answered("allow_once"))
	l.Done()
	if !l.There("made") {
		t.Errorf("the command did not run; told %q", l.Told("b1").Text)
	}
	for _, tt := range []struct {
		prompt, call string
		outcome      agents.Outcome
		says         string
	}{
		{"refuse it", "b2", agents.Outcome{Reason: "response", Action: "deny", Note: "it is precious"}, "it is precious"},
		{"close the request", "b3", agents.Outcome{Reason: "dismissed"}, "closed the request"},
		{"nobody", "b4", agents.Outcome{Reason: "timeout"}, "Nobody decided"},
	} {
		l.Prompt(tt.prompt)
		l.Host.NextAsk().Answer(tt.outcome)
		if end, _ := agenttest.Find[agents.ToolEnded](l.Done()); end.Status != "failed" || !l.There("made") {
			t.Errorf("%s: the call ended as %+v", tt.prompt, end)
		}
		live.WantIn(t, tt.prompt, l.Told(tt.call).Text, tt.says)
	}

	before := l.Host.Asks()
	l.Prompt("list them")
	if l.Done(); l.Host.Asks() != before {
		t.Error("a command that the person allows by a rule was asked for")
	}

	l.Prompt("write one")
	asked = l.Host.NextAsk()
	if asked.Approval.Path != l.Path("b.txt") || asked.Title != "Edit b.txt" {
		t.Errorf("asked %+v %+v", asked.Interaction, asked.Approval)
	}
	live.WantIn(t, "diff", asked.Approval.Diff, "+new")
	asked.Answer(live.Answered("allow_once"))
	if c, _ := agenttest.Find[agents.FileChanged](l.Done()); c.Change != "added" || c.Added != 1 || c.ToolID == "" || l.Read("b.txt") != "new\n" {
		t.Errorf("changed %+v", c)
	}
	l.Prompt("change one")
	l.Host.NextAsk().Answer(live.Answered("allow_once"))
	c, _ := agenttest.Find[agents.FileChanged](l.Done())
	if c.Change != "modified" || c.Added != 1 || c.Removed != 1 || !strings.Contains(c.Diff, "-one\n+ONE") || strings.Contains(c.Diff, "Index:") || l.Read("a.txt") != "ONE\n" {
		t.Errorf("changed %+v", c)
	}
	before = l.Host.Asks()
	l.Prompt("lock one")
	if l.Done(); l.Host.Asks() != before || l.There("x.lock") {
		t.Errorf("what the person denies was not denied: %q", l.Told("w2").Text)
	}
}

// What a sub-agent does is shown under the call that began it. It gets none of
// the tools that ask the person, and its commands are asked for as any.
func subAgents(t *testing.T, l *live.Talk) {
	l.Model.Add(
		says("delegate", call("d", "task", map[string]any{"description": "look", "prompt": "SUBWORK now", "subagent_type": "general"})),
		says("SUBWORK", fakemodel.Blocks(fakemodel.TextBlock("I am small."), fakemodel.ToolUseOf("k", "bash", map[string]any{"command": "touch kid", "description": "x"}))),
		then("k", fakemodel.Text("Small work done.")), then("d", fakemodel.Text("All done.")),
	)
	l.Prompt("delegate")
	asked := l.Host.NextAsk()
	asked.Answer(live.Answered("allow_once"))
	events := l.Done()
	var task agents.ToolStarted
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		switch {
		case s.Name == "task" && len(s.Input) > 0:
			task = s
		case s.Name == "bash" && (s.Parent != task.ID || asked.Parent != task.ID || asked.ToolID != s.ID):
			t.Errorf("the sub-agent's call %+v, asked with parent %q; the task is %q", s, asked.Parent, task.ID)
		}
	}
	if task.Kind != "agent" || task.Title != "look" {
		t.Errorf("task %+v", task)
	}
	nested := false
	for _, e := range agenttest.All[agents.Text](events) {
		nested = nested || e.Done && e.Text == "I am small." && e.Parent == task.ID
	}
	if !nested || !l.There("kid") {
		t.Errorf("the sub-agent's words are not under its call:\n%s", agenttest.Describe(events))
	}
	for _, r := range l.Model.Requests() {
		if !strings.Contains(r.LastUserText(), "SUBWORK") {
			continue
		}
		for _, tool := range r.Tools {
			if strings.HasPrefix(tool.Name, "parley-interaction") || tool.Name == "question" || tool.Name == "todowrite" {
				t.Errorf("the sub-agent has the tool %s", tool.Name)
			}
		}
	}
}

// A stop ends what runs and what asks, and the same process goes on.
func stops(t *testing.T, l *live.Talk) {
	l.Model.Add(
		says("wait for it", call("s2", "bash", map[string]any{"command": "rm made", "description": "x"})),
		says("dream", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "Endless", Until: make(chan struct{})})),
		says("go on", fakemodel.Text("Here I am.")),
	)
	l.Prompt("wait for it")
	l.Host.NextAsk()
	l.Interrupt()
	if _, end := l.Ended(); end.Stop != agents.StopStopped {
		t.Errorf("ended %+v", end)
	}
	l.Prompt("dream")
	l.Host.Until("its words", func(all []agents.Event) bool { return agenttest.Saw[agents.Text](all[l.Turns:]) })
	l.Interrupt()
	events, end := l.Ended()
	if end.Stop != agents.StopStopped || end.Problem != nil {
		t.Errorf("ended %+v", end)
	}
	if said := agenttest.All[agents.Text](events); !said[len(said)-1].Done || !said[len(said)-1].Partial {
		t.Errorf("what was cut off is not marked: %+v", said)
	}
	l.Prompt("go on")
	if got := agenttest.Said(l.Done()); got != "Here I am." {
		t.Errorf("said %q", got)
	}
}
