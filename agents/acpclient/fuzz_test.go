package acpclient_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"parley/agents"
	"parley/agents/agenttest"
)

// FuzzTurn lets an agent say anything in the midst of a turn, then end it. The
// turn ends once, and what holds for every agent's events holds.
func FuzzTurn(f *testing.F) {
	recorded, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("no recorded lines: %v", err)
	}
	for _, path := range recorded {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var received []string
		for line := range strings.Lines(string(data)) {
			if line, ok := strings.CutPrefix(strings.TrimSpace(line), `{"recv":`); ok {
				received = append(received, strings.TrimSuffix(line, "}"))
			}
		}
		f.Add(strings.Join(received, "\n"))
	}
	f.Add(`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n" + `{"id":3,"error":null}`)
	f.Add(`{"jsonrpc":"2.0","id":"x","method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":[]}}}`)
	f.Add(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"t","status":"completed","content":[null,1,{"type":"diff"}]}}}`)
	f.Fuzz(func(t *testing.T, said string) {
		synctest.Test(t, func(t *testing.T) {
			host := agenttest.NewHostInBubble(t)
			agent := talkFor(t, host, func(f *fake, p rpc) {
				f.send(said)
				f.answer(p, `{"stopReason":"end_turn"}`)
			})
			turn(t, agent, host)
			agent.Close(t.Context())
			if ends := agenttest.All[agents.Ended](host.Events()); len(ends) != 1 {
				t.Errorf("the turn ended %d times", len(ends))
			}
		})
	})
}
