package opencode_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/opencode"
)

// A question that comes twice under one id is one question, with one answer; the
// same under another id is another.
func TestAQuestionThatComesTwice(t *testing.T) {
	asked := func(id string) string {
		return `{"event":{"type":"question.asked","properties":{"id":"` + id + `","sessionID":"ses_1","questions":[{"question":"Which?","header":"h","options":[{"label":"A","description":""}]}]}}}` + "\n"
	}
	reply := func(id string) string {
		return `{"send":"POST /question/` + id + `/reply"}` + "\n" + `{"answer":"POST /question/` + id + `/reply","status":200,"body":true}` + "\n"
	}
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	if err := os.WriteFile(path, []byte(opening+asked("q")+asked("q")+asked("r")+reply("q")+reply("r")+closing), 0o600); err != nil {
		t.Fatal(err)
	}
	conn, run, _ := play(t, path)
	host := agenttest.NewHost(t)
	agent, err := opencode.New().Open(t.Context(), conn, agents.SessionSpec{Cwd: "/w", RunDir: run, OwnServers: true}, host)
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Prompt(t.Context(), agents.Turn{ID: "1", Text: "go"}); err != nil {
		t.Fatal(err)
	}
	first, second := host.NextAsk(), host.NextAsk() // the second comes after both of the first
	first.Answer(agents.Outcome{Reason: "dismissed"})
	second.Answer(agents.Outcome{Reason: "dismissed"})
	host.Until("end of the turn", agenttest.Saw[agents.Ended])
	<-conn.Done
	if err := agent.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := host.Asks(); n != 2 {
		t.Errorf("the person was asked %d times", n)
	}
}
