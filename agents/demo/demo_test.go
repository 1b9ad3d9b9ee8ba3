package demo_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/demo"
	"parley/mcp"
	"parley/mcp/bridge"
)

func TestConformance(t *testing.T) {
	a, install := adapter(t)
	agenttest.Conform(t, agenttest.Case{
		Adapter: a, Install: install,
		Spec: func(t *testing.T) agents.SessionSpec {
			return agents.SessionSpec{SessionID: "s", Cwd: t.TempDir(), Mode: agents.ModeAsk, RunDir: t.TempDir(), Env: os.Environ()}
		},
		Say: "say so it is", Said: "so it is",
		Tool: "read", Ask: "approve", Allowed: "You allowed", Denied: "You did not allow",
		Endless: "slow", Garbage: "garbage", Crash: "crash",
	})
}

// TestGreeting follows the main script to its end: plan, question, answer, file.
func TestGreeting(t *testing.T) {
	a := startApp(t, true)
	spec := a.spec(t)
	if err := os.WriteFile(filepath.Join(spec.Cwd, "notes.txt"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, spec)
	ready := next(t, a.ready, "list of tools")
	if diff := cmp.Diff([]string{mcp.ToolUpdatePlan, mcp.ToolClarify, mcp.ToolForm}, ready.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	n := c.prompt("Make me a page")
	q := next(t, a.asked, "question")
	want := bridge.ClarifyRequest{
		ContextID: contextOfTurn, Question: "Which greeting should the page use?", Header: "Greeting",
		Options: []bridge.Option{
			{Label: "Hello, world!", Description: "Short, and everybody knows it.", Recommended: true},
			{Label: "Good day", Description: "A little more formal, for visitors you don't know."},
			{Label: "Welcome back", Description: "For people who have been here before."},
		},
	}
	got := q.ClarifyRequest
	got.Call, got.ID = bridge.Call{}, ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("question (-want +got):\n%s", diff)
	}
	c.host.Until("tool call that the question belongs to", func(all []agents.Event) bool {
		for _, tool := range agenttest.All[agents.ToolStarted](all) {
			if tool.Kind == "ask" {
				return strings.Contains(q.Meta, `"`+tool.ID+`"`)
			}
		}
		return false
	})
	if c.page() != "" {
		t.Error("the page was written before the answer")
	}
	q.answer <- bridge.ClarifyResult{ClarifyID: q.ID, Reason: "response", Response: "Good day", Selected: []string{"Good day"}}
	events := c.host.EndOfTurn(n)
	if stop := c.stop(events); stop != agents.StopDone {
		t.Errorf("ended as %s", stop)
	}
	if page := c.page(); !strings.Contains(page, "<h1>Good day</h1>") {
		t.Errorf("page:\n%s", page)
	}
	change, _ := agenttest.Find[agents.FileChanged](events)
	if filepath.Base(change.Path) != "hello.html" || change.Change != "added" || change.Added < 10 || change.Removed != 0 || !strings.Contains(change.Diff, "+<h1>Good day</h1>") {
		t.Errorf("changed %+v", change)
	}
	if len(agenttest.All[agents.Thought](events)) == 0 || !agenttest.Saw[agents.Usage](events) {
		t.Errorf("no thought or no usage:\n%s", agenttest.Describe(events))
	}
	read, _ := agenttest.Find[agents.ToolEnded](events[indexOf(events, "Read notes.txt"):])
	if read.Output != "a note" {
		t.Errorf("read %+v", read)
	}

	close(a.plans)
	var states []string
	for p := range a.plans {
		state := ""
		for _, step := range p.Plan {
			state += step.Status[:1]
		}
		states = append(states, state)
		if p.ContextID != contextOfTurn {
			t.Errorf("a plan with the context id %q", p.ContextID)
		}
	}
	if diff := cmp.Diff([]string{"ippp", "cipp", "ccip", "ccci", "cccc"}, states); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	entries, err := os.ReadDir(c.cwd)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

func indexOf(events []agents.Event, title string) int {
	for i, e := range events {
		if tool, ok := e.(agents.ToolStarted); ok && tool.Title == title {
			return i
		}
	}
	return len(events)
}

// TestTypedAnswer answers with text that would be markup, then sends a second
// message, which goes into the page.
func TestTypedAnswer(t *testing.T) {
	a := startApp(t, true)
	c := open(t, a.spec(t))
	n := c.prompt("go")
	q := next(t, a.asked, "question")
	q.answer <- bridge.ClarifyResult{Reason: "response", Response: "x", Selected: []string{"Good day"}, Text: "<b>Hi & \"you\"</b>"}
	c.host.EndOfTurn(n)
	if page := c.page(); !strings.Contains(page, "<h1>&lt;b&gt;Hi &amp; &#34;you&#34;&lt;/b&gt;</h1>") {
		t.Errorf("page:\n%s", page)
	}
	events := c.turn("And <i>this</i>")
	if page := c.page(); !strings.Contains(page, "<p>And &lt;i&gt;this&lt;/i&gt;</p>\n</body>") {
		t.Errorf("page after the follow-up:\n%s", page)
	}
	if change, _ := agenttest.Find[agents.FileChanged](events); change.Change != "modified" || change.Added != 1 || change.Removed != 0 {
		t.Errorf("changed %+v", change)
	}
	if len(a.asked) != 0 {
		t.Error("the follow-up asked again")
	}
}

// TestNoAnswer ends the question without an answer, in each way. The agent says
// what it left undone, changes nothing and chooses nothing.
func TestNoAnswer(t *testing.T) {
	for reason, says := range map[string]string{
		"dismissed": "You closed the question", "timeout": "Nobody answered in time", "cancelled": "The question was cancelled",
		"response": "Your answer was empty", // blanks are no answer
	} {
		t.Run(reason, func(t *testing.T) {
			a := startApp(t, true)
			c := open(t, a.spec(t))
			n := c.prompt("go")
			next(t, a.asked, "question").answer <- bridge.ClarifyResult{Reason: reason, Text: " ", Selected: []string{}}
			events := c.host.EndOfTurn(n)
			if said := agenttest.Said(events); !strings.Contains(said, says) || !strings.Contains(said, "did not write hello.html") {
				t.Errorf("said %q", said)
			}
			if c.page() != "" {
				t.Error("the page was written")
			}
		})
	}
}

// TestLateAnswer answers with the next message, after the time was over or the
// agent was killed in mid-question, and was started anew.
func TestLateAnswer(t *testing.T) {
	a := startApp(t, true)
	adapter, install := adapter(t)
	for name, end := range map[string]func(*testing.T, *chat, *asked){
		"timed out": func(t *testing.T, c *chat, q *asked) {
			q.answer <- bridge.ClarifyResult{Reason: "timeout"}
			c.host.EndOfTurn(0)
			if err := c.agent.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
		},
		"killed": func(t *testing.T, c *chat, q *asked) {
			c.child.Kill()
			next(t, q.gone, "end of the call")
			c.host.EndOfTurn(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := a.spec(t)
			before := openWith(t, adapter, install, spec)
			before.prompt("go")
			end(t, before, next(t, a.asked, "question"))
			before.child.Wait()
			started, _ := agenttest.Find[agents.Started](before.host.Events())
			spec.NativeID = started.NativeID
			c := openWith(t, adapter, install, spec)
			c.turn("Late answer to: “Which greeting should the page use?”\n\nWelcome back")
			if page := c.page(); !strings.Contains(page, "<h1>Welcome back</h1>") {
				t.Errorf("page:\n%s", page)
			}
			if len(a.asked) != 0 {
				t.Error("it asked again")
			}
		})
	}
}

// TestNobodyToAsk runs the main script where no tool is offered, and where the
// server is not handed out at all.
func TestNobodyToAsk(t *testing.T) {
	for name, spec := range map[string]func(t *testing.T) agents.SessionSpec{
		"not offered": func(t *testing.T) agents.SessionSpec { return startApp(t, false).spec(t) },
		"no server": func(t *testing.T) agents.SessionSpec {
			spec := startApp(t, true).spec(t)
			spec.Catalog = nil
			return spec
		},
		"server that does not start": func(t *testing.T) agents.SessionSpec {
			spec := startApp(t, true).spec(t)
			spec.Catalog[0].Command = filepath.Join(t.TempDir(), "missing")
			return spec
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, spec(t))
			events := c.turn("go")
			if said := agenttest.Said(events); !strings.Contains(said, "I can't ask you here") {
				t.Errorf("said %q", said)
			}
			if c.page() != "" || c.stop(events) != agents.StopDone {
				t.Errorf("page %q, ended as %s", c.page(), c.stop(events))
			}
		})
	}
}

// TestRefused has the app refuse the question.
func TestRefused(t *testing.T) {
	a := startApp(t, true)
	a.refusal = &bridge.Error{Code: "already_pending", Message: "Another question waits."}
	c := open(t, a.spec(t))
	events := c.turn("go")
	if said := agenttest.Said(events); !strings.Contains(said, "I could not ask you: Another question waits.") {
		t.Errorf("said %q", said)
	}
	var failed bool
	for _, ended := range agenttest.All[agents.ToolEnded](events) {
		failed = failed || ended.Status == "failed" && strings.Contains(ended.Output, "Another question waits.")
	}
	if !failed || c.page() != "" {
		t.Errorf("page %q, events:\n%s", c.page(), agenttest.Describe(events))
	}
}

// TestInputEnds ends the agent's input while its question waits: the question's
// call ends, and the agent ends by itself with its server.
func TestInputEnds(t *testing.T) {
	a := startApp(t, true)
	c := open(t, a.spec(t))
	n := c.prompt("go")
	q := next(t, a.asked, "question")
	if err := c.agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next(t, q.gone, "end of the call")
	if exit := c.child.Wait(); exit.Code != 0 {
		t.Errorf("exit %+v; on stderr:\n%s", exit, c.child.Tail())
	}
	if stop := c.stop(c.host.EndOfTurn(n)); stop != agents.StopStopped {
		t.Errorf("ended as %s", stop)
	}
}

// TestInterruptWithdrawsTheQuestion stops the agent while it waits for a person:
// the question's call ends, the turn ends, and the agent stays.
func TestInterruptWithdrawsTheQuestion(t *testing.T) {
	a := startApp(t, true)
	c := open(t, a.spec(t))
	n := c.prompt("go")
	q := next(t, a.asked, "question")
	if err := c.agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := c.host.EndOfTurn(n)
	next(t, q.gone, "end of the call")
	if stop := c.stop(events); stop != agents.StopStopped {
		t.Errorf("ended as %s", stop)
	}
	if said := agenttest.Said(c.turn("say still here")); said != "still here" {
		t.Errorf("said %q", said)
	}
}

// TestKilledTakesItsServerAlong kills the agent while its question waits. The
// server sees the end of its input and goes.
func TestKilledTakesItsServerAlong(t *testing.T) {
	a := startApp(t, true)
	c := open(t, a.spec(t))
	n := c.prompt("go")
	q := next(t, a.asked, "question")
	c.child.Kill()
	next(t, q.gone, "end of the call")
	if stop := c.stop(c.host.EndOfTurn(n)); stop != agents.StopFailed {
		t.Errorf("ended as %s", stop)
	}
}

// TestForeignPage leaves a hello.html alone that the agent did not write.
func TestForeignPage(t *testing.T) {
	spec := startApp(t, true).spec(t)
	if err := os.WriteFile(filepath.Join(spec.Cwd, "hello.html"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, spec)
	if said := agenttest.Said(c.turn("go")); !strings.Contains(said, "I leave it alone") {
		t.Errorf("said %q", said)
	}
	if c.page() != "mine" {
		t.Errorf("page %q", c.page())
	}
}

func TestPlanModeChangesNothing(t *testing.T) {
	a := startApp(t, true)
	spec := a.spec(t)
	spec.Mode = agents.ModePlan
	c := open(t, spec)
	n := c.prompt("go")
	next(t, a.asked, "question").answer <- bridge.ClarifyResult{Reason: "response", Selected: []string{"Good day"}}
	if said := agenttest.Said(c.host.EndOfTurn(n)); !strings.Contains(said, "In plan mode I change nothing") || c.page() != "" {
		t.Errorf("said %q, page %q", said, c.page())
	}
	if err := c.agent.SetMode(t.Context(), agents.ModeFull); err != nil {
		t.Fatal(err)
	}
	if said := agenttest.Said(c.turn("approve")); !strings.Contains(said, "You allowed") {
		t.Errorf("in full mode it said %q", said)
	}
}

func TestElicit(t *testing.T) {
	c := open(t, startApp(t, true).spec(t))
	for _, tt := range []struct {
		outcome agents.Outcome
		says    string
	}{
		{agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"title": {"My page"}, "footer": {"true"}}}, "title My page, colour <nil>, footer true"},
		{agents.Outcome{Reason: "response", Action: "decline"}, "You declined"},
		{agents.Outcome{Reason: "timeout"}, "without an answer"},
	} {
		n := c.prompt("elicit")
		asked := c.host.NextAsk()
		if asked.Kind != agents.AskElicitation || len(asked.Fields) != 3 {
			t.Errorf("asked %+v", asked.Interaction)
		}
		asked.Answer(tt.outcome)
		if said := agenttest.Said(c.host.EndOfTurn(n)); !strings.Contains(said, tt.says) {
			t.Errorf("said %q, want %q in it", said, tt.says)
		}
	}
}

func TestLongAnswer(t *testing.T) {
	c := open(t, startApp(t, true).spec(t))
	events := c.turn("long")
	if got := strings.Count(agenttest.Said(events), "\n\n"); got != 200 {
		t.Errorf("%d paragraphs", got)
	}
}

// TestQuiet is stopped in its silence.
func TestQuiet(t *testing.T) {
	c := open(t, startApp(t, true).spec(t))
	n := c.prompt("quiet")
	if err := c.agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := c.host.EndOfTurn(n)
	if c.stop(events) != agents.StopStopped || agenttest.Said(events) != "" {
		t.Errorf("events:\n%s", agenttest.Describe(events))
	}
}

// TestPace compares the agent's two paces in one breath: the slow one takes
// longer, whatever the machine.
func TestPace(t *testing.T) {
	a, install := adapter(t)
	spec := agents.SessionSpec{Cwd: t.TempDir(), Env: os.Environ()}
	took := func(args ...string) time.Duration {
		in := install
		in.Args = args
		c := openWith(t, a, in, spec)
		begun := time.Now()
		c.turn("say " + strings.Repeat("word ", 30))
		return time.Since(begun)
	}
	if fast, human := took("agent", "demo", "--fast"), took("agent", "demo"); human < 10*45*time.Millisecond {
		t.Errorf("ten pieces took %v at a human pace and %v in a hurry", human, fast)
	}
}

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"--help"}, 0, "", "approve   asks for permission"},
		{[]string{"--version"}, 0, "parley-demo ", ""},
		{[]string{"--nonsense"}, 2, "", "usage:"},
		{[]string{"extra"}, 2, "", "usage:"},
		{nil, 0, "", ""}, // an input that ends at once
	} {
		var stdout, stderr bytes.Buffer
		code := demo.Run(t.Context(), strings.NewReader(""), &stdout, &stderr, tt.args)
		if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", tt.args, code, &stdout, &stderr)
		}
	}
}

// TestStopped ends the context of Run, as a signal does.
func TestStopped(t *testing.T) {
	in, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := demo.Run(ctx, in, io.Discard, io.Discard, nil); code != 1 {
		t.Errorf("exit %d", code)
	}
	w.Close()
}
