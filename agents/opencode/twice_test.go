package opencode_test

import (
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
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
	tape := opening + asked("q") + asked("q") + asked("r") + reply("q") + reply("r") + closing
	host := holdTape(t, []byte(tape), func(host *agenttest.Host) {
		first, second := host.NextAsk(), host.NextAsk() // the second comes after both of the first
		first.Answer(agents.Outcome{Reason: "dismissed"})
		second.Answer(agents.Outcome{Reason: "dismissed"})
	})
	if n := host.Asks(); n != 2 {
		t.Errorf("the person was asked %d times", n)
	}
}
