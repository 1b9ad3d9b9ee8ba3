package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
)

// The first promise on the real CLI: it asks, other processes see the question
// and answer it, the model reads what was said. A follow-up question is a call
// of its own; of two answers to it one is taken.
func TestClaudeAsksAndGoesOn(t *testing.T) {
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("build it"), Answer: asks("q1", "Which database?", "Postgres", "SQLite")},
		fakemodel.Step{When: fakemodel.HasResult("q1"), Answer: asks("q2", "Which port?", "5432", "5433")},
		onResult("q2", fakemodel.Text("Then I take those.")),
	)
	r := h.claude("build it")
	first := r.asks(app.KindClarify)
	if first.Question != "Which database?" || strings.Join(first.Choices, ",") != "Postgres,SQLite" || first.Agent != "claude" ||
		first.ToolUseID != "q1" || first.TimeoutMS != 300_000 || first.Cwd != h.work {
		t.Errorf("asked %+v", first)
	}
	out, _ := h.run(exitDone, "questions", "--json")
	var listed app.Interaction
	if err := json.Unmarshal([]byte(out), &listed); err != nil || listed.ID != first.ID {
		t.Errorf("listed %q, %v", out, err)
	}
	out, _ = h.run(exitDone, "answer", first.ID, "--choose", "SQLite", "--text", "in one file")
	var reply app.Reply
	if err := json.Unmarshal([]byte(out), &reply); err != nil || !reply.Accepted || reply.Late {
		t.Errorf("reply %q, %v", out, err)
	}
	if got := h.clarified("q1"); got.Reason != "response" || got.ClarifyID != first.ID || got.Response != "SQLite\nin one file" ||
		strings.Join(got.Selected, ",") != "SQLite" || got.Text != "in one file" || got.Note != "" {
		t.Errorf("the model read %+v", got)
	}

	second := r.nth(app.KindClarify, 1)
	one, two := h.start("answer", second.ID, "--choose", "5432"), h.start("answer", second.ID, "--choose", "5433")
	codes := [2]int{one.code(), two.code()}
	won := map[[2]int]string{{exitDone, exitResolved}: "5432", {exitResolved, exitDone}: "5433"}[codes]
	if won == "" {
		t.Fatalf("exit codes of two answers: %v", codes)
	}
	if got := h.clarified("q2"); got.Reason != "response" || got.Response != won {
		t.Errorf("%s was taken, the model read %+v", won, got)
	}
	r.done()
	if text := r.out.String() + r.err.String(); strings.Contains(text, "pctx_") || strings.Contains(text, apiKey) {
		t.Error("the context id or the key was told")
	}
}

// Every way in which the CLI asks arrives as one card and takes its answer back,
// in one session, through a back end that other programs attach to.
func TestClaudeAsksInEveryWay(t *testing.T) {
	h := newClaude(t)
	h.ownServers()
	h.serve()
	var session app.SessionID
	says := func(words string) *running {
		if session != "" {
			return h.start("sessions", "resume", string(session), words, "--json")
		}
		r := h.claude(words)
		session = r.event(app.EventSessionCreated).SessionID
		return r
	}
	t.Run("permission", func(t *testing.T) {
		h.model.Add(onSaying("touch it", use("p1", "Bash", map[string]any{"command": "touch made"})), onResult("p1", fakemodel.Text("Made.")))
		r := says("touch it")
		asked := r.asks(app.KindApproval)
		if asked.Approval == nil || asked.Approval.Command != "touch made" || asked.ToolUseID != "p1" {
			t.Fatalf("asked %+v", asked)
		}
		h.run(exitDone, "answer", asked.ID, "--allow", "once")
		r.done()
		if _, err := os.Stat(filepath.Join(h.work, "made")); err != nil || h.told("p1").IsError {
			t.Errorf("the command did not run: %v, told %+v", err, h.told("p1"))
		}
	})
	t.Run("permission refused", func(t *testing.T) {
		h.model.Add(onSaying("remove it", use("p2", "Bash", map[string]any{"command": "rm made"})), onResult("p2", fakemodel.Text("Not then.")))
		r := says("remove it")
		h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--deny", "--reason", "it is precious")
		r.done()
		told := h.told("p2")
		if _, err := os.Stat(filepath.Join(h.work, "made")); err != nil || !told.IsError || !strings.Contains(told.Text, "it is precious") {
			t.Errorf("the file: %v, told %+v", err, told)
		}
	})
	t.Run("question of its own", func(t *testing.T) {
		h.model.Add(onSaying("which colour", use("n1", "AskUserQuestion", map[string]any{"questions": []any{native("Which colour?", "Red", "Blue")}})),
			onResult("n1", fakemodel.Text("Blue it is.")))
		r := says("which colour")
		asked := r.asks(app.KindNative)
		h.run(exitDone, "answer", asked.ID, "--choose", "Blue")
		r.done()
		if told := h.told("n1"); told.IsError || !strings.Contains(told.Text, `"Which colour?"="Blue"`) {
			t.Errorf("told %+v", told)
		}
	})
	t.Run("questions of its own", func(t *testing.T) {
		h.model.Add(onSaying("which two", use("n2", "AskUserQuestion", map[string]any{"questions": []any{native("Which door?", "Left", "Right"), native("Which key?", "Brass", "Iron")}})),
			onResult("n2", fakemodel.Text("Fine.")))
		r := says("which two")
		asked := r.asks(app.KindNative)
		if len(asked.Questions) != 2 {
			t.Fatalf("asked %+v", asked)
		}
		h.run(exitDone, "answer", asked.ID, "--set", asked.Questions[0].ID+"=Right", "--set", asked.Questions[1].ID+"=one of glass")
		r.done()
		if told := h.told("n2"); told.IsError || !strings.Contains(told.Text, `"Which door?"="Right"`) || !strings.Contains(told.Text, `"Which key?"="one of glass"`) {
			t.Errorf("told %+v", told)
		}
	})
	// The person's own servers: the one of their home is asked for, the one of
	// the project they have allowed.
	t.Run("server of the person", func(t *testing.T) {
		h.model.Add(onSaying("order one", use("e1", "mcp__own__order", map[string]any{})), onResult("e1", fakemodel.Text("Ordered.")))
		r := says("order one")
		h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
		asked := r.asks(app.KindElicitation)
		if asked.Server != "own" || len(asked.Questions) != 2 || asked.Question != "Which shirt?" {
			t.Errorf("asked %+v", asked)
		}
		h.run(exitDone, "answer", asked.ID, "--set", "size=4", "--set", "colour=blue")
		r.done()
		if told := h.told("e1"); told.IsError || !strings.Contains(told.Text, `"action":"accept"`) || !strings.Contains(told.Text, `"size":4`) || !strings.Contains(told.Text, `"colour":"blue"`) {
			t.Errorf("told %+v", told)
		}
	})
	t.Run("server of the project", func(t *testing.T) {
		h.model.Add(onSaying("order another", use("e2", "mcp__theirs__order", map[string]any{})), onResult("e2", fakemodel.Text("No then.")))
		r := says("order another")
		asked := r.asks(app.KindElicitation)
		h.run(exitDone, "answer", asked.ID, "--decline")
		r.done()
		if told := h.told("e2"); !strings.Contains(told.Text, `"action":"decline"`) {
			t.Errorf("told %+v", told)
		}
	})
	t.Run("all that a server can ask", func(t *testing.T) {
		h.model.Add(onSaying("ask all of it", use("e3", "mcp__theirs__ask", elicitationRequests())), onResult("e3", fakemodel.Text("I see.")))
		r := says("ask all of it")
		r.elicited(h.home, shownFields)
		r.done()
		elicitedAnswers(t, r, h.told("e3").Text, openedLink)
	})
	// Closing a question chooses nothing, and the model is told so.
	t.Run("dismissed", func(t *testing.T) {
		h.model.Add(fakemodel.Step{When: fakemodel.UserSays("ask and be closed"), Answer: asks("d1", "Which database?", "Postgres", "SQLite")},
			onResult("d1", fakemodel.Text("I leave it.")))
		r := says("ask and be closed")
		h.run(exitDone, "answer", r.asks(app.KindClarify).ID, "--dismiss")
		r.done()
		got := h.clarified("d1")
		if got.Reason != "dismissed" || got.Response != "" || len(got.Selected) != 0 || got.Text != "" || !strings.Contains(got.Note, "not approval") {
			t.Errorf("the model read %+v", got)
		}
		namesNone(t, h.told("d1").Text, "Postgres", "SQLite")
	})
}

// native is a question of the CLI's own asking tool.
func native(text string, labels ...string) map[string]any {
	var options []any
	for _, label := range labels {
		options = append(options, map[string]any{"label": label, "description": "about " + label})
	}
	return map[string]any{"question": text, "header": "Pick", "multiSelect": false, "options": options}
}

func namesNone(t *testing.T, text string, choices ...string) {
	t.Helper()
	for _, c := range choices {
		if strings.Contains(text, c) {
			t.Errorf("%q names the choice %s", text, c)
		}
	}
}

// A person stops a turn while a question waits: by Ctrl-C, and over the API. The
// question is cancelled in the events and in the record, nothing is kept of it
// in the inbox, and the same agent takes the next message at once.
func TestClaudeIsStoppedInMidQuestion(t *testing.T) {
	h := newClaude(t,
		fakemodel.Step{When: fakemodel.UserSays("ask one"), Answer: asks("s1", "Which database?", "Postgres", "SQLite")},
		onSaying("go on", fakemodel.Text("I go on.")),
		fakemodel.Step{When: fakemodel.UserSays("ask two"), Answer: asks("s2", "Which port?", "5432", "5433")},
		onSaying("and on", fakemodel.Text("And on.")),
		// The CLI may hear of the end of its call in the moment of the stop.
		onResult("s1", fakemodel.Text("Withdrawn.")), onResult("s2", fakemodel.Text("Withdrawn.")),
	)
	h.serve()
	r := h.claude("ask one")
	asked := r.asks(app.KindClarify)
	session, agent := asked.SessionID, r.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
	began := time.Now()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	h.stopped(r, asked)
	t.Logf("Ctrl-C to the end of the turn: %d ms", time.Since(began).Milliseconds())

	began = time.Now()
	next := h.start("sessions", "resume", session, "go on", "--json")
	next.done()
	t.Logf("the next message to its answer: %d ms", time.Since(began).Milliseconds())

	again := h.start("sessions", "resume", session, "ask two", "--json")
	asked = again.asks(app.KindClarify)
	if err := h.client().Stop(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	h.stopped(again, asked)
	last := h.start("sessions", "resume", session, "and on", "--json")
	last.done()
	for _, r := range []*running{next, again, last} {
		if strings.Contains(r.out.String(), string(app.EventAgentStarted)) {
			t.Error("the agent was started anew after a stop")
		}
	}
	if err := syscall.Kill(agent, 0); err != nil {
		t.Errorf("the agent has gone: %v", err)
	}
	if out, _ := h.run(exitDone, "questions", "--moved-on"); out != "" {
		t.Errorf("in the inbox: %q", out)
	}
	// What the CLI tells its model about the calls is its own text.
	requests := h.model.Requests()
	for _, call := range []string{"s1", "s2"} {
		told, ok := requests[len(requests)-1].ToolResult(call)
		if !ok {
			t.Fatalf("the model does not know what became of %s", call)
		}
		namesNone(t, told.Text, "Postgres", "SQLite", "5432", "5433")
	}
}

// stopped checks the end of a run whose question was cancelled by a stop, in its
// events and in the record.
func (h *claudeHome) stopped(r *running, asked app.Interaction) {
	h.t.Helper()
	if code := r.code(); code != exitInterrupted {
		h.t.Errorf("exit code %d", code)
	}
	told := *r.event(app.InteractionEvent(asked.Kind, app.StepResolved)).Data.(*app.InteractionResolved)
	kept, err := h.client().Interaction(h.t.Context(), asked.ID)
	if err != nil || kept.Outcome == nil {
		h.t.Fatalf("recorded %+v, %v", kept, err)
	}
	for _, o := range []app.Outcome{told.Outcome, *kept.Outcome} {
		if o.Reason != app.ReasonCancelled || o.Cause != app.CauseTurnStopped || o.Response != "" || len(o.Selected) != 0 {
			h.t.Errorf("resolved %+v", o)
		}
	}
	if end := r.turnEnded(); told.InteractionID != asked.ID || end.Status != app.TurnInterrupted || end.Problem != nil {
		h.t.Errorf("%s resolved, ended %+v", told.InteractionID, end)
	}
}
