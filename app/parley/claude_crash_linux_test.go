package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// marked lists the names of the processes that have a variable with this value
// in their environment.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(f), "stat"))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			continue
		}
		_, rest, _ := bytes.Cut(stat, []byte("("))
		name, _, _ := bytes.Cut(rest, []byte(")"))
		names = append(names, string(name))
	}
	return names
}

// kill -9 of the back end while one session waits for an answer, with a command
// of the CLI's shell running in sessions of its own, and another's model has
// fallen silent in the middle of a sentence: no process of either tree is left.
// After the next start the conversation is there with the question and its end,
// and goes on where it was.
func TestClaudeAfterKill9OfTheBackEnd(t *testing.T) {
	h := newClaude(t,
		onSaying("remember a plum", use("b1", "Bash", map[string]any{"command": "setsid sh -c 'setsid sleep 3601 & exec sleep 3602' >/dev/null 2>&1 &"})),
		fakemodel.Step{When: fakemodel.HasResult("b1"), Answer: asks("q1", "Which database?", "Postgres", "SQLite")},
		fakemodel.Step{When: fakemodel.UserSays("tell a tale"), Reply: fakemodel.Blocks(fakemodel.Block{Type: "text", Text: "Once upon a time", Until: t.Context().Done()})},
		onSaying("what was it", fakemodel.Text("It was a plum.")),
		onSaying("go on with it", fakemodel.Text("There was a bug.")),
		// parley-mcp hears of the end when parley-run does, and may still tell the
		// CLI before that is killed.
		onResult("q1", fakemodel.Text("It was withdrawn.")),
	)
	server := h.start("serve")
	server.says(server.out, "/link/")
	client := h.client()
	tape := apptest.Follow(t, client)
	mark := "mark-" + filepath.Base(h.get("PARLEY_HOME"))
	begin := func(prompt string) (app.Session, app.TurnID) {
		s, err := client.CreateSession(t.Context(), api.NewSession{Agent: "claude", Cwd: h.work, Prompt: prompt, Env: map[string]string{"MARK": mark}})
		if err != nil {
			t.Fatal(err)
		}
		e := tape.Wait("the turn", func(e app.Event) bool { return e.SessionID == s.ID && e.Type == app.EventTurnStarted })
		return s, e.TurnID
	}
	asking, turn := begin("remember a plum")
	if _, err := client.Answer(t.Context(), app.Answer{InteractionID: tape.Asked(turn, app.KindApproval).ID, Status: app.StatusAnswered, Action: app.ActionAllowOnce}); err != nil {
		t.Fatal(err)
	}
	asked := tape.Asked(turn, app.KindClarify)
	silent, _ := begin("tell a tale")
	tape.Wait("half of a sentence", func(e app.Event) bool { return e.SessionID == silent.ID && e.Type == app.EventMessageDelta })
	before, err := client.Session(t.Context(), asking.ID)
	if err != nil || before.NativeID == "" {
		t.Fatalf("session %+v, %v", before, err)
	}
	tree := marked(t, mark)
	if got := count(tree); got["claude"] != 2 || got["parley-mcp"] != 2 || got["sleep"] != 2 || got["parley-run"] != 2 {
		t.Fatalf("the trees are %v", tree)
	}

	began := time.Now()
	if err := server.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for len(marked(t, mark)) > 0 {
		if time.Since(began) > patience {
			t.Fatalf("left behind: %v", marked(t, mark))
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("%d processes of two trees: gone %d ms after the kill", len(tree), time.Since(began).Milliseconds())
	<-server.ended

	server = h.start("serve")
	server.says(server.out, "/link/")
	ended, err := h.client().Interaction(t.Context(), asked.ID)
	if err != nil || ended.Outcome == nil || ended.Outcome.Reason != app.ReasonCancelled || ended.Outcome.Cause != app.CauseRestart || !ended.MovedOn() {
		t.Errorf("recorded %+v, %v", ended.Outcome, err)
	}
	if out, _ := h.run(exitDone, "questions", "--moved-on"); !strings.Contains(out, shortID(asked.ID)) || !strings.Contains(out, "Which database?") {
		t.Errorf("moved on: %q", out)
	}
	for id, prompt := range map[app.SessionID]string{asking.ID: "what was it", silent.ID: "go on with it"} {
		s, err := h.client().Session(t.Context(), id)
		if err != nil || s.State != app.StateIdle || s.Live || s.LastStatus != app.TurnFailed {
			t.Errorf("session %+v, %v", s, err)
		}
		h.start("sessions", "resume", id, prompt, "--json").done()
		after, err := h.client().Session(t.Context(), id)
		if err != nil || after.NativeID != s.NativeID || after.NativeID == "" {
			t.Errorf("the agent's own id %q became %q, %v", s.NativeID, after.NativeID, err)
		}
	}
	for _, words := range [][2]string{{"what was it", "remember a plum"}, {"go on with it", "tell a tale"}} {
		read := h.asked(words[0])
		if !strings.Contains(read.Everything(), words[1]) {
			t.Errorf("asked %q, the model no longer knows %q", words[0], words[1])
		}
	}
}

func count(names []string) map[string]int {
	n := map[string]int{}
	for _, name := range names {
		n[name]++
	}
	return n
}
