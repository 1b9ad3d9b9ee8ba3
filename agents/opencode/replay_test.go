package opencode_test

import (
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/opencode"
	"parley/agents/proc"
)

var (
	update = flag.Bool("update", false, "rewrite the expected events")
	record = flag.Bool("record", false, "record the conversations anew, with the real CLI")
)

// conversations are those that are recorded: what the model says, and what the
// person does.
var conversations = []struct {
	name   string
	script fakemodel.Script
	steps  []agenttest.Step
}{
	{"turns", fakemodel.Script{
		{When: fakemodel.UserSays("look"), Reply: fakemodel.Reply{Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7}, Blocks: []fakemodel.Block{
			fakemodel.Thinking("thinking about it"), fakemodel.TextBlock("I look."),
			fakemodel.ToolUseOf("r1", "read", map[string]any{"filePath": "missing.txt"}),
			fakemodel.ToolUseOf("l1", "todowrite", map[string]any{"todos": []any{map[string]any{"content": "do", "status": "pending", "priority": "high", "id": "1"}}}),
		}}},
		then("l1", fakemodel.Text("Nothing there.")),
		says("which", call("n1", "question", map[string]any{"questions": []any{map[string]any{"question": "Which door?", "header": "Door", "options": []any{
			map[string]any{"label": "Left", "description": "near"}, map[string]any{"label": "Right", "description": "far"}}}}})),
		then("n1", fakemodel.Text("So be it.")),
	}, []agenttest.Step{{Prompt: "look"}, {Prompt: "which", Answers: []agents.Outcome{{Reason: "timeout"}}}}},

	{"permissions", fakemodel.Script{
		says("make", call("b1", "bash", map[string]any{"command": "echo made", "description": "x"})), then("b1", fakemodel.Text("Made.")),
		says("write", call("w1", "write", map[string]any{"filePath": "b.txt", "content": "new\n"})), then("w1", fakemodel.Text("Written.")),
		says("edit", call("e1", "edit", map[string]any{"filePath": "b.txt", "oldString": "new", "newString": "newer"})), then("e1", fakemodel.Text("Left.")),
	}, []agenttest.Step{
		{Prompt: "make", Answers: []agents.Outcome{live.Answered("allow_once")}}, {Prompt: "write", Answers: []agents.Outcome{live.Answered("allow_once")}},
		{Prompt: "edit", Answers: []agents.Outcome{live.Answered("deny")}},
	}},

	{"subagent", fakemodel.Script{
		says("delegate", call("d1", "task", map[string]any{"description": "look", "prompt": "SUBWORK", "subagent_type": "general"})),
		says("SUBWORK", call("k1", "bash", map[string]any{"command": "echo small", "description": "x"})), then("k1", fakemodel.Text("Small work done.")),
		then("d1", fakemodel.Text("All done.")),
	}, []agenttest.Step{{Prompt: "delegate", Answers: []agents.Outcome{live.Answered("allow_once")}}}},

	{"stop", fakemodel.Script{
		says("sleep", call("s1", "bash", map[string]any{"command": "echo on; sleep 600", "description": "x"})), says("again", fakemodel.Text("Here I am.")),
	}, []agenttest.Step{{Prompt: "sleep", Answers: []agents.Outcome{live.Answered("allow_once")}, Interrupt: true}, {Prompt: "again"}}},

	{"faults", fakemodel.Script{
		{When: func(r fakemodel.Request) bool { return strings.Contains(r.Everything(), "conversation so far") }, Reply: fakemodel.Text("They talked.")},
		says("no key", fakemodel.Unauthorized()),
		says("too much", fakemodel.Fail(fakemodel.Fault{Status: 400, Type: "context_length_exceeded", Message: "This model's maximum context length is 1000 tokens."})),
		{When: func(r fakemodel.Request) bool { return strings.Contains(r.Everything(), "They talked.") }, Reply: fakemodel.Text("I go on.")},
	}, []agenttest.Step{{Prompt: "no key"}, {Prompt: "too much"}}},
}

// TestRecorded plays conversations that were recorded from OpenCode 1.18.33 and
// compares what comes out, and what was sent, with the files beside each. Refresh
// those with -update, and the recordings with -record.
func TestRecorded(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			file := "testdata/" + c.name + "-1.18.33"
			if *record {
				recordOne(t, file+".jsonl", c.script, c.steps)
			}
			conn, run, p := play(t, file+".jsonl")
			host := agenttest.NewHost(t)
			agent, err := opencode.New().Open(t.Context(), conn, agents.SessionSpec{Cwd: "/scratch/project", RunDir: run, OwnServers: true}, host)
			if err != nil {
				t.Fatal(err)
			}
			agenttest.Hold(t, agent, host, c.steps)
			<-conn.Done
			agenttest.CheckEvents(t, host.Events())
			agenttest.Golden(t, file+".events", host.Events(), *update || *record)
			agenttest.GoldenLines(t, file+".sent", p.sent, *update || *record)
		})
	}
}

// recordOne holds a conversation with the real CLI and writes it down.
func recordOne(t *testing.T, path string, script fakemodel.Script, steps []agenttest.Step) {
	t.Helper()
	w := wish{model: live.Serve(t, script...)}
	w.home = scratch(t, w)
	install, spec := prepare(t, w)
	plan, err := opencode.New().Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		if err := os.WriteFile(f.Path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := proc.Start(proc.Spec{Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Shim: live.Shim})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Stop(t.Context())
	printed := ""
	for buffer := make([]byte, 4096); !address.MatchString(printed); {
		n, err := program.Stdout().Read(buffer)
		if err != nil {
			t.Fatalf("%v after %q", err, printed)
		}
		printed += string(buffer[:n])
	}
	r := &recorder{home: w.home}
	server := httptest.NewServer(r.serve("http://" + address.FindString(printed)))
	defer server.Close()
	out, words := io.Pipe()
	go fmt.Fprintf(words, "opencode server listening on %s\n", server.URL)
	host := agenttest.NewHost(t)
	agent, err := opencode.New().Open(t.Context(), agents.Conn{In: program.Stdin(), Out: out, Done: program.Done()}, spec, host)
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Hold(t, agent, host, steps)
	words.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.WriteFile(path, r.tape.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
