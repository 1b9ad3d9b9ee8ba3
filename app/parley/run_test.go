//go:build unix

package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"parley/app"
)

// demo starts the demo agent in the work folder.
func (h *home) demo(prompt string, more ...string) *running {
	h.t.Helper()
	return h.start(append([]string{"run", "--agent", "demo", "--fast", "--cwd", h.work, prompt}, more...)...)
}

// The first promise, end to end: an agent asks, another process answers, the
// agent goes on with the answer.
func TestAQuestionIsAnsweredFromAnotherProcess(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	asked := r.asks(app.KindClarify)
	if asked.Question != "Which greeting should the page use?" || len(asked.Options) != 3 || asked.Agent != "demo" || asked.Cwd != h.work {
		t.Errorf("asked: %+v", asked)
	}

	out, _ := h.run(exitDone, "questions", "--json")
	var listed app.Interaction
	if err := json.Unmarshal([]byte(out), &listed); err != nil || listed.ID != asked.ID || listed.RemainingTimeoutMS <= 0 {
		t.Errorf("listed %q: %v", out, err)
	}
	if out, _ := h.run(exitDone, "questions"); !strings.Contains(out, shortID(asked.ID)) || !strings.Contains(out, "Which greeting") {
		t.Errorf("for people: %q", out)
	}
	if out, _ := h.run(exitDone, "sessions", "list"); !strings.Contains(out, "waiting") {
		t.Errorf("the session is not shown as waiting: %q", out)
	}

	out, _ = h.run(exitDone, "answer", shortID(asked.ID), "--choose", "Good day")
	var reply app.Reply
	if err := json.Unmarshal([]byte(out), &reply); err != nil || !reply.Accepted || reply.Late {
		t.Errorf("reply %q: %v", out, err)
	}
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(h.hello(), "Good day") {
		t.Errorf("hello.html: %q", h.hello())
	}

	var last int64
	var by app.By
	ended := false
	for _, e := range events(t, r.out.String()) {
		if e.Durable() {
			if e.Seq != last+1 {
				t.Errorf("event %d after %d", e.Seq, last)
			}
			last = e.Seq
		}
		switch d := e.Data.(type) {
		case *app.InteractionResolved:
			by = d.By
		case *app.TurnEnded:
			ended = d.Status == app.TurnCompleted
		}
	}
	if by != app.ByCLI || !ended {
		t.Errorf("answered by %q, ended %v", by, ended)
	}
}

func TestADismissedQuestionIsNoConsent(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	id := r.asks(app.KindClarify).ID
	h.run(exitDone, "answer", id, "--dismiss")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if h.hello() != "" {
		t.Error("the agent wrote the page")
	}
	out, errs := h.run(exitResolved, "answer", id, "--choose", "Good day")
	if !strings.Contains(out, `"accepted":false`) || !strings.Contains(out, `"dismissed"`) || !strings.Contains(errs, "on the command line") {
		t.Errorf("the second answer: %q %q", out, errs)
	}
}

func TestOfTwoAnswersOneIsTaken(t *testing.T) {
	h := newHome(t)
	server := h.start("serve") // goes on when the first answer has ended the run
	server.says(server.err, "is served at")
	r := h.demo("Make a page", "--json")
	id := r.asks(app.KindClarify).ID
	one, two := h.start("answer", id, "--choose", "Good day"), h.start("answer", id, "--choose", "Welcome back")
	codes := [2]int{one.code(), two.code()}
	won := map[[2]int]string{{exitDone, exitResolved}: "Good day", {exitResolved, exitDone}: "Welcome back"}[codes]
	if won == "" {
		t.Fatalf("exit codes %v", codes)
	}
	r.code()
	if !strings.Contains(h.hello(), won) {
		t.Errorf("%s was taken, the page says %q", won, h.hello())
	}
}

func TestExitCodes(t *testing.T) {
	h := newHome(t)
	for _, args := range [][]string{
		{}, {"nonsense"}, {"run"}, {"run", "--agent", "demo"}, {"run", "--nonsense", "x"}, {"run", "--agent", "nobody", "x"},
		{"run", "--agent", "demo", "--cwd", "/nowhere/at/all", "x"}, {"run", "--agent", "demo", "--mode", "wild", "x"},
		{"answer"}, {"answer", "a", "b"}, {"questions", "x"}, {"sessions"}, {"sessions", "show"}, {"profiles", "remove", ""}, {"agent"}, {"serve", "nonsense"},
		{"serve", "--listen", "0.0.0.0:0"},
	} {
		if _, errs := h.run(exitUsage, args...); !strings.Contains(errs, ".") {
			t.Errorf("%q: no sentence in %q", args, errs)
		}
	}
	_, errs := h.run(exitUnknown, "answer", "01890000-0000-7000-8000-000000000000", "--text", "x")
	if !strings.Contains(errs, "There is no question") {
		t.Errorf("unknown id: %q", errs)
	}
	h.run(exitFailed, "sessions", "show", "01890000-0000-7000-8000-000000000000")
	_, errs = h.run(exitNoAgent, "run", "--agent", "claude", "hello")
	if !strings.Contains(errs, "Claude Code was not found") {
		t.Errorf("without Claude Code: %q", errs)
	}
	if out, _ := h.run(exitDone, "agents"); !strings.Contains(out, "demo") || !strings.Contains(out, "ready") {
		t.Errorf("agents: %q", out)
	}
	if code := h.demo("crash").code(); code != exitFailed {
		t.Errorf("a crash: exit code %d", code)
	}
}

func TestCtrlCStopsTheTurn(t *testing.T) {
	h := newHome(t)
	r := h.demo("slow", "--json")
	r.event(app.EventMessageDelta)
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := r.code(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	end := r.event(app.EventTurnCompleted).Data.(*app.TurnEnded)
	if end.Status != app.TurnInterrupted {
		t.Errorf("the turn ended %s", end.Status)
	}
}

func TestATermSignalLeavesAtOnce(t *testing.T) {
	h := newHome(t)
	r := h.demo("quiet", "--json")
	started := r.event(app.EventAgentStarted).Data.(*app.AgentStarted)
	r.event(app.EventTurnStarted)
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := r.code(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if err := syscall.Kill(started.PID, 0); err != syscall.ESRCH {
		t.Errorf("the agent is still there: %v", err)
	}
}

func TestAPermissionIsGivenOrNot(t *testing.T) {
	for flag, want := range map[string]string{"--deny": "I did not run it", "--allow=once": "You allowed"} {
		t.Run(flag, func(t *testing.T) {
			h := newHome(t)
			r := h.demo("approve", "--json")
			id := r.asks(app.KindApproval).ID
			if _, errs := h.run(exitUsage, "answer", id, "--text", "yes"); !strings.Contains(errs, "--allow") {
				t.Errorf("a text: %q", errs)
			}
			h.run(exitDone, "answer", id, flag)
			if code := r.code(); code != exitDone || !strings.Contains(r.out.String(), want) {
				t.Errorf("exit code %d, %s", code, r.out)
			}
		})
	}
}

func TestFieldsAreAnsweredByName(t *testing.T) {
	h := newHome(t)
	r := h.demo("elicit", "--json")
	asked := r.asks(app.KindElicitation)
	h.run(exitDone, "answer", asked.ID, "--set", "title=My page", "--set", "colour=green", "--set", "footer=true")
	if code := r.code(); code != exitDone || !strings.Contains(r.out.String(), "title My page, colour green, footer true") {
		t.Errorf("exit code %d, %s", code, r.out)
	}
}

// The words for people: the agent's on standard output, all else beside it.
func TestOutputForPeople(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page")
	r.says(r.err, "parley answer ")
	id := await(r, r.err, func(text string) (string, bool) {
		_, rest, _ := strings.Cut(text, "parley answer ")
		id, _, ok := strings.Cut(rest, " ")
		return id, ok
	})
	h.run(exitDone, "answer", id, "--text", "Moin")
	if code := r.code(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if out := r.out.String(); !strings.Contains(out, "page") || strings.Contains(out, "parley answer") || strings.Contains(out, "{") {
		t.Errorf("standard output: %q", out)
	}
	if !strings.Contains(h.hello(), "Moin") || !strings.Contains(r.err.String(), "answered on the command line: Moin") {
		t.Errorf("page %q, standard error %q", h.hello(), r.err)
	}
}

// A conversation is there after its back end has ended, goes on, and comes out
// as text.
func TestASessionGoesOn(t *testing.T) {
	h := newHome(t)
	if code := h.demo("say first words").code(); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	out, _ := h.run(exitDone, "sessions", "list", "--json")
	var s app.Session
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if out, _ := h.run(exitDone, "sessions", "show", s.ID); !strings.Contains(out, h.work) {
		t.Errorf("show: %q", out)
	}
	if out, _ := h.run(exitDone, "sessions", "resume", shortID(s.ID), "say", "second", "words"); !strings.Contains(out, "second words") || strings.Contains(out, "first words") {
		t.Errorf("resume: %q", out)
	}
	text, _ := h.run(exitDone, "sessions", "export", s.ID)
	if strings.Count(text, "## You") != 2 || !strings.Contains(text, "first words") || !strings.Contains(text, "second words") {
		t.Errorf("export: %q", text)
	}
	out, _ = h.run(exitDone, "sessions", "export", s.ID, "--json")
	list := events(t, out)
	for i, e := range list {
		if e.Seq != int64(i+1) || strings.Contains(out, "parley_interaction_context") {
			t.Fatalf("event %d has number %d; or the context block is in the export", i+1, e.Seq)
		}
	}
}

// The back end is killed while an agent waits: the question is not lost, and
// its late answer is the agent's next message. The command that gives it is the
// back end meanwhile, and stays until the agent is done.
func TestAnAnswerAfterACrash(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	id := r.asks(app.KindClarify).ID
	agent := r.event(app.EventAgentStarted).Data.(*app.AgentStarted).PID
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-r.ended
	if out, _ := h.run(exitDone, "questions"); out != "" {
		t.Errorf("still waiting: %q", out)
	}
	if err := syscall.Kill(agent, 0); err != syscall.ESRCH {
		t.Errorf("the agent outlived its back end: %v", err)
	}
	if out, _ := h.run(exitDone, "questions", "--moved-on"); !strings.Contains(out, shortID(id)) || !strings.Contains(out, "cancelled") {
		t.Errorf("moved on: %q", out)
	}
	late := h.start("answer", id, "--choose", "Welcome back")
	late.says(late.out, `"late":true`)
	if code := late.code(); code != exitDone || strings.Count(late.out.String(), "\n") != 1 {
		t.Errorf("exit code %d, reply %q", code, late.out)
	}
	if !strings.Contains(h.hello(), "Welcome back") {
		t.Errorf("the page says %q", h.hello())
	}
	if _, errs := h.run(exitResolved, "answer", id, "--choose", "Good day"); !strings.Contains(errs, "answered late on the command line") {
		t.Errorf("once more: %q", errs)
	}
	out, _ := h.run(exitDone, "sessions", "list", "--json")
	var s app.Session
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	text, _ := h.run(exitDone, "sessions", "export", s.ID)
	if !strings.Contains(text, "answered late on the command line: Welcome back") || strings.Count(text, "## You") != 2 {
		t.Errorf("export: %s", text)
	}
}
