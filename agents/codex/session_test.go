package codex_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/codex"
	"parley/agents/fakemodel"
	"parley/mcp"
)

// A message into the running turn reaches the model, and so does one that comes
// while the model is at its last words.
func TestSteer(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	l := launch(t, wish{},
		says("begin", fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "I begin.", Until: released})),
		says("and a plum", fakemodel.Text("A plum, too.")),
	)
	l.Prompt("begin")
	l.Host.Until("text", agenttest.Saw[agents.Text])
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "and a plum"}); err != nil {
		t.Fatal(err)
	}
	close(released)
	if got := agenttest.Said(l.Done()); got != "I begin.A plum, too." {
		t.Errorf("said %q", got)
	}
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "too late"}); err == nil {
		t.Error("a message into no turn was taken")
	}
}

// A stop ends the turn at once, also right after its beginning, and the process
// takes the next message.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	endless := make(chan struct{})
	t.Cleanup(func() { close(endless) })
	l := launch(t, wish{},
		fakemodel.Step{When: fakemodel.UserSays("dream"), Times: fakemodel.Always, Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "Once upon a time", Until: endless})},
		says("sleep", call("z", "exec_command", map[string]any{"cmd": "sleep 600", "yield_time_ms": 600000})),
		says("wake", fakemodel.Text("Awake.")),
	)
	l.Prompt("dream")
	l.Host.Until("text", agenttest.Saw[agents.Text])
	began := time.Now()
	l.Interrupt()
	events, _ := l.Ended()
	t.Logf("interrupt to the end of the turn: %d ms", time.Since(began).Milliseconds())
	if text := agenttest.All[agents.Text](events); !text[len(text)-1].Partial {
		t.Errorf("the message that was cut off: %+v", text)
	}
	agenttest.CheckEvents(t, events)

	l.Prompt("sleep")
	l.Host.Until("call", func(all []agents.Event) bool { return agenttest.Saw[agents.ToolStarted](all[l.Turns:]) })
	l.Interrupt()
	events, _ = l.Ended()
	if end, _ := agenttest.Find[agents.ToolEnded](events); end.Status != "cancelled" {
		t.Errorf("the call ended as %+v", end)
	}

	l.Prompt("dream") // stopped before the CLI can have begun with it
	l.Interrupt()
	if _, end := l.Ended(); end.Stop != agents.StopStopped {
		t.Errorf("ended %+v", end)
	}
	l.Prompt("wake")
	if got := agenttest.Said(l.Done()); got != "Awake." {
		t.Errorf("said %q", got)
	}
}

// A conversation is taken up by another process, with its servers; one that
// there is not is said to be lost.
func TestResume(t *testing.T) {
	t.Parallel()
	model := live.Serve(t, says("remember a plum", fakemodel.Reply{Usage: fakemodel.Usage{Input: 9, Output: 4}, Blocks: []fakemodel.Block{fakemodel.TextBlock("I do.")}}), says("what was it", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("A plum.")))
	w := wish{model: model, catalog: mcp.Catalog{live.Ours(t)}}
	w.home = scratch(t, w)
	before := launch(t, w)
	before.Prompt("remember a plum")
	first := before.Done()
	used := *first[len(first)-1].(agents.Ended).Usage.Output
	before.Stop()

	w.native = before.Native()
	after := launch(t, w)
	after.Prompt("what was it")
	events := after.Done()
	if got := agenttest.Said(after.Host.Events()); got != "A plum." || after.Native() != w.native {
		t.Errorf("said %q as %s, was %s", got, after.Native(), w.native)
	}
	live.WantIn(t, "told", after.Told("q").Text, "BLUE-42")
	if r := model.Requests()[1]; !strings.Contains(r.Everything(), "remember a plum") {
		t.Error("the model no longer knows what was said")
	}
	if now := *events[len(events)-1].(agents.Ended).Usage.Output; used != 4 || now != 4 {
		t.Errorf("used %d, after the resume %d; the last turn used none", used, now)
	}

	w.native = "01a22c88-05c5-75e1-868a-c72de97eb1bd"
	if p := refusal(t, w); p.Code != "session_lost" {
		t.Errorf("a conversation that there is not: %+v", p)
	}
}

// refusal opens a conversation that must not open.
func refusal(t *testing.T, w wish) agents.Problem {
	t.Helper()
	install, spec := prepare(t, w)
	return live.Refused(t, codex.New("test"), install, spec)
}

func TestWhatDoesNotOpen(t *testing.T) {
	t.Parallel()
	model := live.Serve(t)
	broken := live.Ours(t)
	broken.Command = "/nowhere/parley-mcp"
	for _, tt := range []struct {
		name string
		wish wish
		edit func(config string) string
		code string
	}{
		{"not logged in", wish{}, func(string) string { return "[analytics]\nenabled = false\n" }, "not_logged_in"},
		{"no server of ours", wish{catalog: mcp.Catalog{broken}}, func(c string) string { return c }, "broken"},
		{"broken configuration", wish{}, func(c string) string { return "model = [\n" + c }, "broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.wish.model = model
			tt.wish.home = scratch(t, tt.wish)
			path := filepath.Join(tt.wish.home, ".codex", "config.toml")
			config, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.edit(string(config))), 0o600); err != nil {
				t.Fatal(err)
			}
			if p := refusal(t, tt.wish); p.Code != tt.code || p.Title == "" || p.Advice == "" {
				t.Errorf("refused with %+v", p)
			} else {
				t.Logf("%s: %s %q", p.Title, p.Advice, p.Evidence)
			}
		})
	}
}

// Faults of the provider end the turn with a reason, and the next message goes
// through.
func TestFaults(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	cut := fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock(strings.Repeat("A long answer. ", 40))}, CutAfter: 6}
	l := launch(t, wish{},
		says("refusal", fakemodel.Unauthorized()), says("quota", fakemodel.RateLimited(time.Second, reset)), says("pace", fakemodel.RateLimited(time.Second, time.Time{})),
		says("load", fakemodel.Overloaded()), says("cut", cut), says("bad", fakemodel.BadRequest("no such thing")), says("full", fakemodel.ContextFull()),
		says("CHECKPOINT", fakemodel.Text("Nothing much.")), // it makes room before the next turn
		says("after", fakemodel.Text("All is well.")),
	)
	for _, tt := range []struct {
		prompt, code string
		stop         agents.Stop
		reset        time.Time
	}{
		{"refusal", "auth_failed", agents.StopFailed, time.Time{}},
		{"quota", "rate_limited", agents.StopFailed, reset.UTC()},
		{"pace", "rate_limited", agents.StopFailed, time.Time{}},
		{"load", "overloaded", agents.StopFailed, time.Time{}},
		{"cut", "network", agents.StopFailed, time.Time{}},
		{"bad", "failed", agents.StopFailed, time.Time{}},
		{"full", "context_full", agents.StopLimit, time.Time{}},
	} {
		l.Prompt(tt.prompt)
		events, end := l.Ended()
		agenttest.CheckEvents(t, events)
		if p := end.Problem; p == nil || end.Stop != tt.stop || p.Code != tt.code || p.Evidence == "" || !p.ResetAt.Equal(tt.reset) {
			t.Errorf("%s: ended as %s with %+v", tt.prompt, end.Stop, p)
		} else {
			t.Logf("%s: %s | %s", tt.prompt, p.Title, p.Evidence)
		}
	}
	l.Prompt("after")
	if got := agenttest.Said(l.Done()); got != "All is well." {
		t.Errorf("said %q", got)
	}
}

// A picture reaches the model, and the command to sum up is no message.
func TestPictureAndCompaction(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("see", fakemodel.Text("A dot.")),
		says("CHECKPOINT", fakemodel.Text("We saw a dot.")),
		says("go on", fakemodel.Text("Going on.")),
	)
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	l.Write("dot.png", string(dot))
	l.Prompt("see", agents.Attachment{Name: "dot.png", Mime: "image/png", Path: l.Path("dot.png")})
	l.Done()
	requests := l.Model.Requests()
	seen := false
	for _, m := range requests[len(requests)-1].Messages {
		for _, p := range m.Parts {
			seen = seen || p.Type == "image"
		}
	}
	if !seen {
		t.Error("the picture did not reach the model")
	}

	l.Prompt("/compact")
	events := l.Done()
	var codes []string
	for _, n := range agenttest.All[agents.Notice](events) {
		codes = append(codes, n.Code)
	}
	if strings.Join(codes, " ") != "compacting compacted" {
		t.Errorf("notices %v", codes)
	}
	l.Prompt("go on")
	l.Done()
	for _, r := range l.Model.Unmatched() {
		t.Errorf("the script has no answer to %q", r.LastUserText())
	}
}

// A sub-agent's work is marked as its own, and the call that began it runs as
// long as it does.
func TestSubAgent(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{name: "gpt-6.2-sol", catalog: mcp.Catalog{live.Ours(t), live.Server(t, "own")}},
		says("delegate", call("a", "collaboration__spawn_agent", map[string]any{"task_name": "kid", "message": "SUBWORK", "fork_turns": "none"})),
		fakemodel.Step{When: fakemodel.UserSays("SUBWORK"), Reply: fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 5, Output: 3}, Blocks: []fakemodel.Block{fakemodel.ToolUseOf("s", "mcp__own__echo", map[string]any{})}}},
		then("s", fakemodel.Text("I saw it.")),
		then("a", call("w", "collaboration__wait_agent", map[string]any{"timeout_ms": 60000})),
		then("w", fakemodel.Reply{Usage: fakemodel.Usage{Input: 100, Output: 20}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Delegated.")}}),
	)
	l.Prompt("delegate")
	asked := l.Host.NextAsk()
	if asked.Parent != "a" || asked.Kind != agents.AskApproval {
		t.Errorf("asked %+v", asked.Interaction)
	}
	asked.Answer(live.Answered("allow_once"))
	events := l.Done()
	parents := map[string]string{}
	for _, e := range agenttest.All[agents.ToolStarted](events) {
		parents[e.ID] = e.Parent
	}
	if len(parents) != 3 || parents["a"] != "" || parents["s"] != "a" || parents["w"] != "" {
		t.Errorf("calls by parent: %v", parents)
	}
	for _, x := range agenttest.All[agents.Text](events) {
		if want := map[bool]string{true: "", false: "a"}[x.Text == "Delegated."]; x.Done && x.Parent != want {
			t.Errorf("%q is said by %q", x.Text, x.Parent)
		}
	}
	var order []string
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		order = append(order, e.ID+" "+e.Status)
	}
	// The wait and what it waits for end in the same moment.
	if got := strings.Join(order, ", "); got != "s ok, a ok, w ok" && got != "s ok, w ok, a ok" {
		t.Errorf("the calls ended as %s", got)
	}
	if u := events[len(events)-1].(agents.Ended).Usage; *u.Input != 105 || *u.Output != 23 || *u.ContextUsed != 120 {
		t.Errorf("used %d and %d, context %d", *u.Input, *u.Output, *u.ContextUsed)
	}
}
