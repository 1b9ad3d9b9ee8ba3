package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// reads is what the model reads of a question. Some CLIs write a line of their
// own above it.
func (h *claudeHome) reads(call string) clarified {
	h.t.Helper()
	told := h.told(call)
	_, body, _ := strings.Cut(told.Text, "{")
	var c clarified
	if err := json.Unmarshal([]byte("{"+body), &c); err != nil || told.IsError {
		h.t.Fatalf("the model read %q (error %v): %v", told.Text, told.IsError, err)
	}
	return c
}

// gotNothing checks what the model reads of a question that nobody answered.
func (h *claudeHome) gotNothing(call, reason string) {
	h.t.Helper()
	got := h.reads(call)
	if got.Reason != reason || got.Response != "" || len(got.Selected) != 0 || !strings.Contains(got.Note, "not approval") {
		h.t.Errorf("the model read %+v", got)
	}
	namesNone(h.t, h.told(call).Text, "Postgres", "SQLite")
}

func cellTimedOut(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("I leave it.")))
	h.deadline("60")
	r := f.begin(h, "timeout", "build it")
	r.asks(app.KindClarify)
	r.waitsOn(50 * time.Second)
	r.done()
	h.gotNothing("q1", "timeout")
}

func cellWaitsLong(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")))
	h.deadline("600")
	r := f.begin(h, "310 s wait", "build it")
	asked := r.asks(app.KindClarify)
	r.waitsOn(310 * time.Second)
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	r.done()
	if got := h.reads("q1"); got.Reason != "response" || got.Response != "SQLite" {
		t.Errorf("the model read %+v", got)
	}
}

// tree lists the names of the processes that were started in the person's home,
// Parley's own back end and commands left out.
func (h *claudeHome) tree() []string {
	h.t.Helper()
	return slices.DeleteFunc(marked(h.t, "HOME="+h.user+"\x00"), func(name string) bool { return name == "parley" || name == "ahead" })
}

func (h *claudeHome) nothingLeft() {
	h.t.Helper()
	for limit := time.Now().Add(patience); len(h.tree()) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			h.t.Fatalf("left behind: %v", h.tree())
		}
	}
}

// The CLI is killed while a question waits: the turn fails with a reason, the
// question is cancelled, and the next message starts the agent anew.
func cellKilledCLI(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("ask one", "s1", "Which database?", "Postgres", "SQLite"), onSaying("go on", fakemodel.Text("I go on.")),
		onResult("s1", fakemodel.Text("Withdrawn.")))
	f.serves(h)
	r := f.begin(h, "kill -9 of the CLI", "ask one")
	asked := r.asks(app.KindClarify)
	for _, pid := range processes(t, f.program, "HOME="+h.user+"\x00") {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	if code := r.code(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if end := r.turnEnded(); end.Status != app.TurnFailed || end.Problem == nil || end.Problem.Title == "" || end.Problem.Advice == "" {
		t.Errorf("ended %+v %+v", end, end.Problem)
	}
	kept, err := h.client().Interaction(t.Context(), asked.ID)
	if err != nil || kept.Outcome == nil || kept.Outcome.Reason != app.ReasonCancelled || !kept.MovedOn() {
		t.Errorf("recorded %+v, %v", kept.Outcome, err)
	}
	h.nothingLeft()
	f.goesOn(h, asked.SessionID, "go on", "ask one")
}

// The back end is killed while a question waits: nothing of the tree is left,
// and after the next start the conversation goes on with the question's end on
// record.
func cellKilledApp(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("remember a plum", "q1", "Which database?", "Postgres", "SQLite"), onSaying("what was it", fakemodel.Text("A plum.")),
		onResult("q1", fakemodel.Text("Withdrawn.")))
	server := h.start("serve") // with the person's keys: what came with a session is not kept
	server.says(server.out, "/link/")
	asked := f.begin(h, "kill -9 of the app", "remember a plum").asks(app.KindClarify)
	if err := server.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-server.ended
	h.nothingLeft()
	server = h.start("serve")
	server.says(server.out, "/link/")
	kept, err := h.client().Interaction(t.Context(), asked.ID)
	if err != nil || kept.Outcome == nil || kept.Outcome.Reason != app.ReasonCancelled || kept.Outcome.Cause != app.CauseRestart || !kept.MovedOn() {
		t.Errorf("recorded %+v, %v", kept.Outcome, err)
	}
	f.goesOn(h, asked.SessionID, "what was it", "remember a plum")
}

// goesOn sends a message to a session whose process is gone: another one takes
// up what was said, or the person is told that this cannot be.
func (f family) goesOn(h *claudeHome, session app.SessionID, words, before string) {
	h.t.Helper()
	r := h.start("sessions", "resume", session, words, "--json")
	if f.forgets {
		if code := r.code(); code != exitFailed || !strings.Contains(r.out.String(), "cannot continue an earlier session") {
			h.t.Errorf("exit code %d:\n%s", code, r.out)
		}
		return
	}
	r.done()
	if r := h.asked(words); !strings.Contains(r.Everything(), before) {
		h.t.Error("the model no longer knows what was said")
	}
}

func cellElicitation(t *testing.T, f family) {
	h := newAgent(t, f, onSaying("order one", f.use("e1", "own", "order", map[string]any{})), onResult("e1", fakemodel.Text("Ordered.")))
	f.own(h)
	r := f.begin(h, "elicitation", "order one")
	h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
	asked := r.asks(app.KindElicitation)
	if asked.Server != "own" || len(asked.Questions) != 2 || asked.Question != "Which shirt?" {
		t.Errorf("asked %+v", asked)
	}
	h.run(exitDone, "answer", asked.ID, "--set", "size=4", "--set", "colour=blue")
	r.done()
	if told := h.told("e1").Text; !strings.Contains(told, `"action":"accept"`) || !strings.Contains(told, `"size":4`) || !strings.Contains(told, `"colour":"blue"`) {
		t.Errorf("told %q", told)
	}
}

func cellImage(t *testing.T, f family) {
	h := newAgent(t, f, onSaying("what is it", fakemodel.Text("A dot.")))
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.user, "dot.png")
	h.write(path, string(dot))
	f.serves(h)
	tape := apptest.Follow(t, h.client())
	s, err := h.client().CreateSession(t.Context(), api.NewSession{
		Agent: f.name, Cwd: h.work, Prompt: "what is it", Attachments: []app.Attachment{{Name: "dot.png", Mime: "image/png", Path: path}}, Env: h.secrets(f),
	})
	if err != nil {
		t.Fatal(err)
	}
	tape.Wait("the end of the turn", func(e app.Event) bool { return e.SessionID == s.ID && e.Type == app.EventTurnCompleted })
	seen := false
	for _, m := range h.asked("what is it").Messages {
		for _, p := range m.Parts {
			seen = seen || p.Type == "image"
		}
	}
	if !seen {
		t.Error("the picture did not reach the model")
	}
}

// secrets are the person's keys, as `parley run` sends them along.
func (h *claudeHome) secrets(f family) map[string]string {
	env := map[string]string{}
	for _, k := range f.keys {
		env[k] = h.get(k)
	}
	return env
}

// Two sessions in one folder ask, both wait, and each gets its own answer.
func cellTwoSessions(t *testing.T, f family) {
	h := newAgent(t, f,
		f.onAsking("ask one", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("The first goes on.")),
		f.onAsking("ask two", "q2", "Which port?", "5432", "5433"), onResult("q2", fakemodel.Text("The second goes on.")))
	f.serves(h)
	// One after the other: OpenCode makes its database at its first start in a home,
	// and of two that do so at once one ends by itself.
	one := f.begin(h, "two sessions in one folder", "ask one")
	first := one.asks(app.KindClarify)
	two := f.begin(h, "two sessions in one folder", "ask two")
	second := two.asks(app.KindClarify)
	if first.SessionID == second.SessionID || first.Question != "Which database?" || second.Question != "Which port?" {
		t.Errorf("asked %+v and %+v", first, second)
	}
	h.run(exitDone, "answer", second.ID, "--choose", "5433")
	two.done()
	h.run(exitDone, "answer", first.ID, "--choose", "SQLite")
	one.done()
	if a, b := h.reads("q1"), h.reads("q2"); a.Response != "SQLite" || b.Response != "5433" {
		t.Errorf("the models read %+v and %+v", a, b)
	}
}

// A sub-agent that was told the true context id is refused, and nothing is shown.
func cellSubAgent(t *testing.T, f family) {
	var context atomic.Value
	afterDelegating := onResult("a1", fakemodel.Text("Then I ask nothing."))
	if f.waits != nil {
		afterDelegating = onResult("a1", f.waits("w1"))
	}
	h := newAgent(t, f,
		fakemodel.Step{When: fakemodel.UserSays("third turn"), Answer: func(r fakemodel.Request) fakemodel.Reply {
			context.Store(contextOf(r))
			return f.delegate("a1", "SUBWORK")
		}},
		fakemodel.Step{When: fakemodel.UserSays("SUBWORK"), Answer: func(fakemodel.Request) fakemodel.Reply {
			return f.ask("a2", context.Load().(string), "Which one?", "This", "That")
		}},
		onResult("a2", fakemodel.Text("I could not ask.")),
		afterDelegating, onResult("w1", fakemodel.Text("Then I ask nothing.")),
	)
	r := f.begin(h, "sub-agent", "third turn")
	r.done()
	if told := h.told("a2"); !strings.Contains(told.Text, cmp.Or(f.kept, "sub-agent may not")) {
		t.Errorf("the sub-agent read %+v", told)
	}
	if strings.Contains(r.out.String(), ".requested") {
		t.Errorf("something was asked: %s", r.out)
	}
}

// The person's own files are as they were, byte for byte, and their server is
// offered to the model beside ours.
func cellFilesUnchanged(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")))
	theirs := f.own(h)
	// Some CLIs note in their own files which repositories they trust.
	if out, err := exec.Command("git", "init", "-q", h.work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	before := sums(t, theirs)
	r := f.begin(h, "person's files unchanged", "build it")
	asked := r.asks(app.KindClarify)
	if tree := h.tree(); !slices.Contains(tree, filepath.Base(os.Args[0])) { // this test binary is their server
		t.Errorf("the person's own server does not run: %v", tree)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	r.done()
	for name, sum := range sums(t, theirs) {
		if sum != before[name] {
			text, _ := os.ReadFile(name)
			t.Errorf("%s was changed: %s", name, text)
		}
	}
}

// While a question waits, no process has a secret in its arguments.
func cellNoSecretInArgv(t *testing.T, f family) {
	h := newAgent(t, f, f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")))
	f.own(h)
	r := f.begin(h, "no secret in argv", "build it")
	asked := r.asks(app.KindClarify)
	secrets := []string{serverSecret}
	for _, k := range f.keys {
		secrets = append(secrets, h.get(k))
	}
	secrets = append(secrets, tokenIn(t, apptest.HomeIn(t, h.get("PARLEY_HOME")).Runs()))
	read := 0
	for _, pid := range processes(t, "", "HOME="+h.user+"\x00") {
		argv, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err != nil {
			continue // it has just ended
		}
		read++
		for _, s := range secrets {
			if s != "" && strings.Contains(string(argv), s) {
				t.Errorf("a secret is in %q", strings.ReplaceAll(string(argv), "\x00", " "))
			}
		}
	}
	if read < 4 { // parley, parley-run, the CLI, parley-mcp
		t.Errorf("only %d processes were looked at", read)
	}
	h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
	r.done()
}
