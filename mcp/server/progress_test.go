package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/mcp/bridge"
)

type progress struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
}

func (c *cli) progress() progress {
	c.t.Helper()
	m := c.next()
	var p progress
	if m.Method != "notifications/progress" || json.Unmarshal(m.Params, &p) != nil {
		c.t.Fatalf("no progress: %+v", m)
	}
	return p
}

// TestProgressForCallsWithAToken: it rises, carries the token as it came (0 is
// one), comes at most once a second, and ends with the answer.
func TestProgressForCallsWithAToken(t *testing.T) {
	for _, token := range []string{`0`, `"tok-1"`} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			c := start(t, everything)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":%s},"name":"parley_clarify","arguments":%s}}`, token, ask)
			q := c.question()
			first, second := c.progress(), c.progress()
			if string(first.Token) != token || string(second.Token) != token {
				t.Errorf("progress %+v, then %+v", first, second)
			}
			if second.Progress-first.Progress < 1 { // it counts seconds
				t.Errorf("two notes within a second: %v, %v", first.Progress, second.Progress)
			}
			q.end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "Ahoy"}}
			c.resultOf("1")
			select {
			case line := <-c.lines:
				t.Errorf("after the answer: %s", line)
			case <-time.After(2500 * time.Millisecond): // the next note would have been due
			}
		})
	}
}

func TestNoProgressWithoutATokenOrAfterACancel(t *testing.T) {
	t.Parallel()
	c := start(t, everything)
	for id, meta := range map[string]string{"1": `{}`, "2": `{"progressToken":null}`, "3": `null`} {
		c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"_meta":%s,"name":"parley_clarify","arguments":%s}}`, id, meta, ask)
		c.question()
	}
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{"progressToken":9},"name":"parley_clarify","arguments":%s}}`, ask)
	c.question()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	select {
	case line := <-c.lines:
		t.Errorf("got %s", line)
	case <-time.After(2500 * time.Millisecond): // the first note would have been due
	}
}

// TestCallLimitOfTheAppEndsACall as a timeout, and the app sees it go.
func TestCallLimitOfTheAppEndsACall(t *testing.T) {
	f := newFakeApp()
	f.hello = func() (bridge.HelloReply, error) {
		return bridge.HelloReply{Protocol: 1, CallLimitMS: 1}, nil
	}
	c := startWith(t, t.Context(), everything, f, f)
	for i := range 20 {
		id := fmt.Sprint(i)
		c.call(id, "parley_clarify", ask)
		if r := c.resultOf(id); r.IsError || !strings.Contains(r.Content[0].Text, `"reason":"timeout"`) {
			t.Errorf("got %s", r.Content[0].Text)
		}
		within(t, "the withdrawal", c.question().dropped)
	}
}
