package codex_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/codex"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// A version without the app server answers each message with a process of its
// own, which ends with the turn; the next one knows what was said, has our tools
// again, and goes on counting.
func TestExec(t *testing.T) {
	t.Parallel()
	patch := "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.txt\n+two\n*** End Patch\nEOF"
	model := live.Serve(t,
		says("first", fakemodel.Reply{Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7}, Blocks: []fakemodel.Block{
			fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read a file."),
			fakemodel.ToolUseOf("r1", "exec_command", map[string]any{"cmd": "cat a.txt"}),
			fakemodel.ToolUseOf("p1", "update_plan", map[string]any{"plan": []any{
				map[string]any{"step": "look", "status": "completed"}, map[string]any{"step": "write", "status": "in_progress"}}}),
			fakemodel.ToolUseOf("w1", "exec_command", map[string]any{"cmd": patch}),
		}}),
		then("w1", fakemodel.Reply{Usage: fakemodel.Usage{Input: 10, Output: 2, CacheRead: 100}, Blocks: []fakemodel.Block{
			fakemodel.ToolUseOf("q1", "mcp__parley_interaction__parley_clarify", map[string]any{"question": "Which?"}),
			fakemodel.ToolUseOf("e1", "mcp__their_own__echo", map[string]any{}),
		}}),
		then("q1", fakemodel.Text("Done 问题🤔.")),
		says("second", fakemodel.Reply{Usage: fakemodel.Usage{Input: 5, Output: 3}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Again.")}}),
	)
	theirs := live.Server(t, "their.own")
	theirs.Env["OWN_SECRET"] = "hush-hush 'quoted'"
	theirs.AutoAllow = []string{"echo"}
	w := wish{old: true, model: model, mode: agents.ModeEdits, catalog: mcp.Catalog{live.Ours(t), theirs}}
	w.home = scratch(t, w)
	before, err := os.ReadFile(filepath.Join(w.home, ".codex", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	l := launch(t, w)
	l.Write("a.txt", "one\n")
	l.Prompt("first")
	events := l.Done()
	<-l.Proc.Done()
	if exit := l.Proc.Exit(); exit.Code != 0 {
		t.Errorf("its process ended as %+v", exit)
	}
	if got := agenttest.Said(events); got != "I read a file.Done 问题🤔." {
		t.Errorf("said %q", got)
	}
	if thought, ok := agenttest.Find[agents.Thought](events); !ok || thought.Text != "let me look" {
		t.Errorf("thought %+v", thought)
	}
	if p, ok := agenttest.Find[agents.Plan](events); !ok || len(p.Steps) != 2 || p.Steps[0] != (agents.PlanStep{Step: "look", Status: "completed"}) || p.Steps[1].Status != "pending" {
		t.Errorf("plan %+v", p)
	}
	if c, ok := agenttest.Find[agents.FileChanged](events); !ok || filepath.Base(c.Path) != "b.txt" || c.Change != "added" || c.Added != -1 || l.Read("b.txt") != "two\n" {
		t.Errorf("changed %+v", c)
	}
	tools := map[string]string{}
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		tools[s.Name] = s.Kind
		if s.Name == "exec_command" && s.Title != "cat a.txt" {
			t.Errorf("a command is called %q", s.Title)
		}
	}
	if tools["exec_command"] == "" || tools["mcp__parley-interaction__parley_clarify"] != "ask" || tools["mcp__their.own__echo"] != "mcp" {
		t.Errorf("tools %v", tools)
	}
	live.WantIn(t, "told", l.Told("q1").Text, "BLUE-42")
	live.WantIn(t, "told", l.Told("e1").Text, "echoed")
	if u := events[len(events)-1].(agents.Ended).Usage; u == nil || *u.Input != 110 || *u.Output != 22 || *u.Cached != 107 {
		t.Errorf("used %+v", u)
	}

	w.native = l.Native()
	again := launch(t, w)
	again.Prompt("second")
	events = again.Done()
	if got := agenttest.Said(events); got != "Again." || again.Native() != w.native {
		t.Errorf("said %q as %s, was %s", got, again.Native(), w.native)
	}
	if u := events[len(events)-1].(agents.Ended).Usage; *u.Output != 25 {
		t.Errorf("used %d", *u.Output)
	}
	if r := model.Requests()[len(model.Requests())-1]; !strings.Contains(r.Everything(), "first") {
		t.Error("the model no longer knows what was said")
	}
	if after, err := os.ReadFile(filepath.Join(w.home, ".codex", "config.toml")); err != nil || string(after) != string(before) {
		t.Errorf("the person's configuration is now %s, %v", after, err)
	}
	if err := again.Agent.Prompt(t.Context(), agents.Turn{ID: "t2", Text: "third"}); err == nil {
		t.Error("a process took two messages")
	}
}

// No process shows a secret of a server in its arguments: what an environment holds
// reaches the server all the same, under any name, and a server whose address may
// hold one is left out and named.
func TestExecShowsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "hush-71c04e"
	var shown []string
	read := 0
	model := live.Serve(t,
		fakemodel.Step{When: fakemodel.UserSays("first"), Answer: func(fakemodel.Request) fakemodel.Reply {
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				line, err := os.ReadFile(file)
				if err != nil {
					continue // it has just ended
				}
				read++
				if strings.Contains(string(line), secret) {
					shown = append(shown, strings.ReplaceAll(string(line), "\x00", " "))
				}
			}
			return fakemodel.Reply{Blocks: []fakemodel.Block{
				fakemodel.ToolUseOf("e1", "mcp__own__echo", map[string]any{"variable": "their.own-key"}),
			}}
		}},
		then("e1", fakemodel.Text("Done.")),
	)
	own := live.Server(t, "own")
	own.Env["their.own-key"] = secret
	web := func(name, address string) mcp.Spec { return mcp.Spec{Name: name, Transport: mcp.HTTP, URL: address} }
	l := launch(t, wish{old: true, model: model, mode: agents.ModeFull, catalog: mcp.Catalog{
		live.Ours(t), own,
		web("password", "http://me:"+secret+"@127.0.0.1:9/mcp"), web("query", "http://127.0.0.1:9/mcp?key="+secret), web("path", "http://127.0.0.1:9/"+secret+"/mcp"),
	}})
	l.Prompt("first")
	l.Done()
	if read == 0 || len(shown) > 0 {
		t.Errorf("of %d processes these show a secret: %q", read, shown)
	}
	live.WantIn(t, "told", l.Told("e1").Text, "echoed"+secret)
	var left []string
	for _, n := range agenttest.All[agents.Notice](l.Host.Events()) {
		if n.Code == "mcp_address_secret" {
			left = append(left, n.Text)
		}
	}
	if len(left) != 3 {
		t.Fatalf("left out: %q", left)
	}
	for i, name := range []string{"password", "query", "path"} {
		live.WantIn(t, "notice", left[i], "“"+name+"”")
		if strings.Contains(left[i], secret) {
			t.Errorf("told %s", left[i])
		}
	}
}

// What ends a turn badly is told: a fault of the provider, a conversation that
// there is not, and the end of the process.
func TestExecFails(t *testing.T) {
	t.Parallel()
	endless := make(chan struct{})
	t.Cleanup(func() { close(endless) })
	model := live.Serve(t,
		fakemodel.Step{When: fakemodel.UserSays("limit"), Times: fakemodel.Always, Reply: fakemodel.Unauthorized()},
		says("hello", fakemodel.Text("Good morning.")),
		fakemodel.Step{When: fakemodel.UserSays("dream"), Times: fakemodel.Always, Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "Once", Until: endless})},
	)
	w := wish{old: true, model: model}
	w.home = scratch(t, w)

	l := launch(t, w)
	l.Prompt("limit")
	if _, end := l.Ended(); end.Stop != agents.StopFailed || end.Problem == nil || end.Problem.Code != "auth_failed" {
		t.Errorf("ended %+v %+v", end, end.Problem)
	}

	l = launch(t, w)
	l.Prompt("/compact")
	if _, end := l.Ended(); end.Problem == nil || end.Problem.Code != "unsupported" {
		t.Errorf("ended %+v %+v", end, end.Problem)
	}

	l = launch(t, w)
	l.Prompt("dream")
	l.Host.Until("begin", agenttest.Saw[agents.Started])
	if err := l.Agent.Interrupt(t.Context()); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("interrupt: %v", err)
	}
	if err := l.Agent.Steer(t.Context(), agents.Turn{}); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("steer: %v", err)
	}
	if err := l.Agent.SetMode(t.Context(), agents.ModeFull); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("mode: %v", err)
	}
	l.Proc.Stop(t.Context())
	if _, end := l.Ended(); end.Stop != agents.StopFailed || end.Problem.Code != "exited" {
		t.Errorf("ended %+v %+v", end, end.Problem)
	}
	if err := l.Agent.Prompt(t.Context(), agents.Turn{ID: "over", Text: "hello"}); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("a message to what has ended: %v", err)
	}

	w.native = "01a22c88-05c5-75e1-868a-c72de97eb1bd"
	l = launch(t, w)
	l.Prompt("hello")
	if n, ok := agenttest.Find[agents.Notice](l.Done()); !ok || n.Code != "new_conversation" || l.Native() == w.native {
		t.Errorf("a conversation that there is not: %+v", n)
	}
}

// plays is a process of `codex exec` that reads its message and then prints what
// is to be said. heard tells the message.
func plays(t *testing.T, said string) (conn agents.Conn, heard func() string) {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan struct{})
	var message []byte
	go func() {
		defer close(done)
		defer toClient.Close()
		message, _ = io.ReadAll(fromClient)
		_, _ = io.WriteString(toClient, said) // nobody may listen any more
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
		<-done
	})
	return agents.Conn{In: in, Out: out, Done: done, Once: true}, func() string { <-done; return string(message) }
}

// printed is what the CLI printed, of a recording.
func printed(recorded string) string {
	var lines strings.Builder
	for line := range strings.Lines(recorded) {
		lines.WriteString(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), `{"recv":`), "}") + "\n")
	}
	return lines.String()
}

// TestRecordedExec plays what Codex 0.99.0 printed, and compares what comes out
// with the file beside it. Refresh it with -update.
func TestRecordedExec(t *testing.T) {
	const file = "testdata/exec-0.99.0"
	recorded, err := os.ReadFile(file + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	conn, heard := plays(t, printed(string(recorded)))
	host := agenttest.NewHost(t)
	agent, err := codex.New("test").Open(t.Context(), conn, agents.SessionSpec{
		Cwd: "/scratch/work", Catalog: mcp.Catalog{mcp.Interaction("/bin/parley-mcp", "/run/credential.json", true, false, mcp.DefaultLimits())},
	}, host)
	if err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(t.TempDir(), "dot.png")
	if err := os.WriteFile(picture, []byte("png"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = agent.Prompt(t.Context(), agents.Turn{
		ID: "turn-1", Text: "first", Context: "<context/>", Files: []agents.Attachment{{Name: "dot.png", Mime: "image/png", Path: picture}},
	})
	if err != nil {
		t.Fatal(err)
	}
	host.EndOfTurn(0)
	if err := agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "first\n\nAttached file: " + picture + "\n\n<context/>"; heard() != want {
		t.Errorf("it was told %q, want %q", heard(), want)
	}
	agenttest.CheckEvents(t, host.Events())
	agenttest.Golden(t, file+".events", host.Events(), *update)
}

// FuzzExec lets the CLI print anything and end. Nothing breaks: the turn has one
// end.
func FuzzExec(f *testing.F) {
	recorded, err := os.ReadFile("testdata/exec-0.99.0.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(printed(string(recorded)))
	f.Add(`{"type":"error","message":"Reconnecting... 1/5"}` + "\n" + `{"type":"turn.failed","error":{"message":"no"}}` + "\n" + `{"type":"turn.completed"}`)
	f.Add(`{"type":"item.completed","item":{"id":"a","type":"collab_tool_call","tool":"spawn_agent","receiver_thread_ids":["k"]}}` + "\nwhat")
	f.Fuzz(func(t *testing.T, said string) {
		synctest.Test(t, func(t *testing.T) {
			conn, _ := plays(t, said)
			host := agenttest.NewHostInBubble(t)
			agent, err := codex.New("test").Open(t.Context(), conn, agents.SessionSpec{Cwd: "/w", NativeID: "n"}, host)
			if err != nil {
				t.Fatal(err)
			}
			if err := agent.Prompt(t.Context(), agents.Turn{ID: "1", Text: "go"}); err != nil {
				t.Fatal(err)
			}
			host.Until("end of the turn", agenttest.Saw[agents.Ended])
			synctest.Wait() // nothing more comes
			if ends := agenttest.All[agents.Ended](host.Events()); len(ends) != 1 {
				t.Errorf("the turn ended %d times", len(ends))
			}
		})
	})
}
