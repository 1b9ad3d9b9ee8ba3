package pi_test

import (
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/pi"
	"parley/build/clis"
	"parley/mcp"
)

// One process serves several turns, and a turn brings text, reasoning, calls and
// their results; nothing is counted twice. Our tools need no permission.
func TestTurns(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{catalog: mcp.Catalog{}},
		says("first", fakemodel.Reply{
			Usage: fakemodel.Usage{Input: 100, Output: 20, CacheRead: 7},
			Blocks: []fakemodel.Block{
				fakemodel.Thinking("let me look"), fakemodel.TextBlock("I read two files."),
				fakemodel.ToolUseOf("r1", "read", map[string]any{"path": "a.txt"}),
				fakemodel.ToolUseOf("r2", "read", map[string]any{"path": "missing.txt"}),
			}}),
		then("r1", fakemodel.Reply{Usage: fakemodel.Usage{Input: 10, Output: 2, CacheRead: 100}, Blocks: []fakemodel.Block{fakemodel.TextBlock("Done 问题🤔.")}}),
		says("second", fakemodel.Text("Again.")),
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
	ends := map[string]agents.ToolEnded{}
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		ends[e.ID] = e
	}
	if ends["r1"].Status != "ok" || ends["r1"].Output != "one\n" || ends["r2"].Status != "failed" {
		t.Errorf("the calls ended as %+v", ends)
	}
	for _, s := range agenttest.All[agents.ToolStarted](events) {
		if s.Kind != "read" || s.Title == "" || len(s.Input) == 0 {
			t.Errorf("tool %+v", s)
		}
	}
	end := events[len(events)-1].(agents.Ended)
	if u := end.Usage; u == nil || *u.Input != 110 || *u.Output != 22 || *u.Cached != 107 || *u.ContextUsed != 112 || *u.Window != 128_000 {
		t.Errorf("used %+v", u)
	}
	started := agenttest.All[agents.Started](l.Host.Events())
	if len(started) != 1 || started[0].NativeID == "" || started[0].Model != "fake/fake-model" {
		t.Errorf("started %+v", started)
	}
	l.Prompt("second")
	if got := agenttest.Said(l.Done()); got != "Again." {
		t.Errorf("said %q", got)
	}
	for _, r := range l.Model.Unmatched() {
		t.Errorf("the script has no answer to %q", r.LastUserText())
	}
}

// A message into the running turn reaches the model before it goes on.
func TestSteer(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("begin", call("b", "bash", map[string]any{"command": "true"})),
		says("and a plum", fakemodel.Text("A plum, too.")),
	)
	l.Prompt("begin")
	asked := l.Host.NextAsk()
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "and a plum"}); err != nil {
		t.Fatal(err)
	}
	asked.Answer(live.Answered("allow_once"))
	if got := agenttest.Said(l.Done()); got != "A plum, too." {
		t.Errorf("said %q", got)
	}
	if err := l.Agent.Steer(t.Context(), agents.Turn{ID: "s", Text: "too late"}); err == nil {
		t.Error("a message into no turn was taken")
	}
}

// A stop ends the turn at once, in a message, in a call, before the CLI can have
// begun, and while it waits to try again; the process takes the next message.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	endless := make(chan struct{})
	t.Cleanup(func() { close(endless) })
	l := launch(t, wish{mode: agents.ModeFull, settings: `"retry": {"maxRetries": 3, "baseDelayMs": 600000}`},
		fakemodel.Step{When: fakemodel.UserSays("dream"), Times: fakemodel.Always, Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "Once upon a time", Until: endless})},
		says("sleep", call("z", "bash", map[string]any{"command": "echo yawn; sleep 600"})),
		says("fail", fakemodel.Overloaded()),
		says("wake", fakemodel.Text("Awake.")),
	)
	stopped := func(prompt string, until func([]agents.Event) bool) []agents.Event {
		l.Prompt(prompt)
		if until != nil {
			l.Host.Until("sign of work", func(all []agents.Event) bool { return until(all[l.Turns:]) })
		}
		l.Interrupt()
		events, end := l.Ended()
		if end.Stop != agents.StopStopped {
			t.Errorf("%s: ended %+v", prompt, end)
		}
		agenttest.CheckEvents(t, events)
		return events
	}
	events := stopped("dream", agenttest.Saw[agents.Text])
	if text := agenttest.All[agents.Text](events); !text[len(text)-1].Partial {
		t.Errorf("the message that was cut off: %+v", text)
	}
	events = stopped("sleep", agenttest.Saw[agents.ToolProgress])
	if end, _ := agenttest.Find[agents.ToolEnded](events); end.Status != "cancelled" {
		t.Errorf("the call ended as %+v", end)
	}
	stopped("dream", nil)
	stopped("fail", agenttest.Saw[agents.Notice])
	l.Prompt("wake")
	if got := agenttest.Said(l.Done()); got != "Awake." {
		t.Errorf("said %q", got)
	}
}

// A conversation is taken up by another process, with its servers and with what
// it has used; one that there is not is said to be lost.
func TestResume(t *testing.T) {
	t.Parallel()
	model := live.Serve(t,
		says("remember a plum", fakemodel.Reply{Usage: fakemodel.Usage{Input: 9, Output: 4}, Blocks: []fakemodel.Block{fakemodel.TextBlock("I do.")}}),
		says("what was it", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("A plum.")))
	w := wish{model: model, catalog: mcp.Catalog{live.Ours(t)}, guidance: "GUIDANCE-7"}
	w.home = scratch(t, w)
	before := launch(t, w)
	before.Prompt("remember a plum")
	before.Done()
	before.Stop()

	w.native = before.Native()
	after := launch(t, w)
	after.Prompt("what was it")
	events := after.Done()
	if got := agenttest.Said(after.Host.Events()); got != "A plum." || after.Native() != w.native {
		t.Errorf("said %q as %s, was %s", got, after.Native(), w.native)
	}
	live.WantIn(t, "told", after.Told("q").Text, "BLUE-42")
	r := model.Requests()[1]
	live.WantIn(t, "what the model knows", r.Everything(), "remember a plum", "GUIDANCE-7")
	if used := *events[len(events)-1].(agents.Ended).Usage.Output; used != 4 {
		t.Errorf("used %d; the last turn used none", used)
	}

	install, spec := prepare(t, w)
	spec.NativeID = "01a22c87-c362-75b0-941b-ac29f4aac40c"
	launch, err := pi.New().Plan(install, spec)
	if err != nil {
		t.Fatal(err)
	}
	child := agenttest.StartChild(t, launch)
	if _, err := pi.New().Open(t.Context(), child.Conn, spec, agenttest.NewHost(t)); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("opened a conversation that there is not: %v", err)
	}
	if said := pi.New().Diagnose(child.Wait(), child.Tail()); said.Code != "session_lost" {
		t.Errorf("diagnosed as %+v", said)
	}
}

// The generation without MCP of its own, and a newer one whose MCP gave way to
// pi-mcp-adapter, get our server all the same: asking, permissions, a stop with a
// call that waits, and the next message.
func TestWithoutOwnMCP(t *testing.T) {
	adapter := filepath.Join(filepath.Dir(filepath.Dir(clis.PiOld.Path(t))), "pi-mcp-adapter", "index.ts")
	for name, w := range map[string]wish{
		"older":                  {older: true},
		"older with the adapter": {older: true, settings: `"extensions": ["` + adapter + `"]`},
		"newer with the adapter": {settings: `"extensions": ["` + adapter + `"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if w.settings != "" {
				agenttest.Long(t) // the adapter takes its time to load
			}
			t.Parallel()
			w.catalog = mcp.Catalog{live.Ours(t)}
			w.guidance = "GUIDANCE-7"
			l := launch(t, w,
				says("ask", call("q", "mcp__parley_interaction__parley_clarify", map[string]any{})), then("q", fakemodel.Text("Blue.")),
				says("make", call("m", "bash", map[string]any{"command": "touch made"})), then("m", fakemodel.Text("Made.")),
				says("sleep", call("z", "bash", map[string]any{"command": "sleep 600"})),
				says("wake", fakemodel.Text("Awake.")),
			)
			l.Prompt("ask")
			events := l.Done()
			if got := agenttest.Said(events); got != "Blue." || l.Host.Asks() != 0 {
				t.Errorf("said %q, %d asked", got, l.Host.Asks())
			}
			live.WantIn(t, "told", l.Told("q").Text, "BLUE-42")
			live.WantIn(t, "what the model knows", l.Model.Requests()[0].Everything(), "GUIDANCE-7")
			if end := events[len(events)-1].(agents.Ended); end.Usage == nil || end.Usage.ContextUsed == nil {
				t.Errorf("used %+v", end.Usage)
			}
			l.Prompt("make")
			l.Host.NextAsk().Answer(live.Answered("allow_once"))
			l.Done()
			if !l.There("made") {
				t.Error("what was allowed was not done")
			}
			l.Prompt("sleep")
			l.Host.NextAsk().Answer(live.Answered("allow_once"))
			l.Host.Until("call", func(all []agents.Event) bool { return agenttest.Saw[agents.ToolStarted](all[l.Turns:]) })
			l.Interrupt()
			if _, end := l.Ended(); end.Stop != agents.StopStopped {
				t.Errorf("ended %+v", end)
			}
			l.Prompt("wake")
			if got := agenttest.Said(l.Done()); got != "Awake." {
				t.Errorf("said %q", got)
			}
			for _, n := range agenttest.All[agents.Notice](l.Host.Events()) {
				t.Errorf("told %+v", n)
			}
		})
	}
}

// Faults of the provider end the turn with a reason, after the CLI's own tries,
// which are told; the next message works.
func TestFaults(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{},
		says("key", fakemodel.Unauthorized()), says("key", fakemodel.Unauthorized()),
		says("limit", fakemodel.RateLimited(0, time.Time{})), says("limit", fakemodel.RateLimited(0, time.Time{})),
		says("busy", fakemodel.Overloaded()), says("busy", fakemodel.Text("Here I am.")),
		says("wake", fakemodel.Text("Awake.")),
	)
	for prompt, code := range map[string]string{"key": "auth_failed", "limit": "rate_limited"} {
		l.Prompt(prompt)
		events, end := l.Ended()
		if end.Stop != agents.StopFailed || end.Problem == nil || end.Problem.Code != code || end.Problem.Advice == "" || end.Problem.Evidence == "" {
			t.Errorf("%s: ended %+v %+v", prompt, end, end.Problem)
		}
		agenttest.CheckEvents(t, events)
	}
	l.Prompt("busy")
	events := l.Done()
	if notice, _ := agenttest.Find[agents.Notice](events); notice.Code != "api_retry" || !strings.Contains(notice.Text, "overloaded") {
		t.Errorf("told %+v", notice)
	}
	l.Prompt("wake")
	if got := agenttest.Said(l.Done()); got != "Awake." {
		t.Errorf("said %q", got)
	}
}

// The conversation is summed up on demand, which is told, and goes on; where
// there is nothing to sum up the turn fails with the CLI's words.
func TestCompact(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{settings: `"compaction": {"keepRecentTokens": 1}`},
		says("remember a plum", fakemodel.Text("I do. "+strings.Repeat("A plum is a fruit. ", 200))),
		says("and a pear", fakemodel.Text("Both.")),
		says("what was it", fakemodel.Text("A plum.")),
		fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("SUMMARY-9: a plum.")},
	)
	l.Prompt("/compact")
	if _, end := l.Ended(); end.Stop != agents.StopFailed || end.Problem == nil || end.Problem.Evidence == "" {
		t.Errorf("ended %+v", end)
	}
	for _, words := range []string{"remember a plum", "and a pear"} {
		l.Prompt(words)
		l.Done()
	}
	l.Prompt("/compact keep the fruit")
	events := l.Done()
	var codes []string
	for _, n := range agenttest.All[agents.Notice](events) {
		codes = append(codes, n.Code)
	}
	if !slices.Equal(codes, []string{"compacting", "compacted"}) {
		t.Errorf("told %q", codes)
	}
	l.Prompt("what was it")
	l.Done()
	requests := l.Model.Requests()
	last := requests[len(requests)-1].Everything()
	live.WantIn(t, "after the compaction", last, "SUMMARY-9")
	if strings.Contains(last, "A plum is a fruit.") {
		t.Error("the model still reads everything")
	}
}

// Pictures go along; other files are named.
func TestFiles(t *testing.T) {
	t.Parallel()
	l := launch(t, wish{effort: "high"}, says("what is it", fakemodel.Text("A dot.")))
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	l.Prompt("what is it",
		agents.Attachment{Name: "dot.png", Mime: "image/png", Path: l.Write("dot.png", string(dot))},
		agents.Attachment{Name: "notes.txt", Mime: "text/plain", Path: l.Write("notes.txt", "notes")})
	l.Done()
	r := l.Model.Requests()[0]
	images := 0
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.Type == "image" {
				images++
			}
		}
	}
	live.WantIn(t, "the message", r.LastUserText(), "Attached file: "+l.Path("notes.txt"))
	if images != 1 {
		t.Errorf("%d pictures reached the model", images)
	}
	live.WantIn(t, "the effort", string(r.Raw), `"thinking"`)
}
