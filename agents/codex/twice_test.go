package codex_test

import (
	"io"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/codex"
	"parley/agents/jsonl"
)

// A request that comes twice under one id is one question; the same under another
// id is another.
func TestARequestThatComesTwice(t *testing.T) {
	request := func(id string) string {
		return `{"method":"item/commandExecution/requestApproval","id":` + id + `,"params":{"threadId":"` + fuzzThread + `","turnId":"T","itemId":"c","command":"make"}}` + "\n"
	}
	host := agenttest.HoldInBubble(t, codex.New("test"), agents.SessionSpec{Cwd: "/w"}, func(client *jsonl.Reader, out io.Writer) {
		play(client, out, request("7")+request("7")+request("8"))
	})
	if n := host.Asks(); n != 2 {
		t.Errorf("the person was asked %d times", n)
	}
}
