package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/mcp/bridge"
	"parley/mcp/server"
)

// TestWaitingQuestionHoldsUpNothing: everything else is answered meanwhile, and
// the question still gets its answer.
func TestWaitingQuestionHoldsUpNothing(t *testing.T) {
	c := start(t, everything)
	c.send(initialize)
	c.answerTo("0")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.call("1", "parley_clarify", ask)
	q := c.question()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	c.answerTo("2")
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	c.answerTo("3")
	c.call("4", "parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`)
	if r := c.resultOf("4"); r.IsError {
		t.Errorf("plan: %s", r.Content[0].Text)
	}
	c.send(`{"jsonrpc":"2.0","id":5,"method":"no/such/method"}`)
	if m := c.answerTo("5"); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("unknown method: %+v", m)
	}
	q.end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "Ahoy", Selected: []string{"Ahoy"}}}
	if r := c.resultOf("1"); !strings.Contains(r.Content[0].Text, "Ahoy") {
		t.Errorf("the question: %s", r.Content[0].Text)
	}
}

// TestManyQuestionsAtOnce: more than any pool of workers.
func TestManyQuestionsAtOnce(t *testing.T) {
	const n = 150
	c := start(t, everything)
	for i := range n {
		c.call(fmt.Sprint(i), "parley_clarify", fmt.Sprintf(`{"context_id":"c","question":"question %d"}`, i))
	}
	for range n {
		q := c.question()
		q.end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "to " + q.Question}}
	}
	for range n {
		m := c.next()
		if want := fmt.Sprintf(`"to question %s"`, m.ID); !strings.Contains(string(m.Result), want) {
			t.Errorf("request %s got %s", m.ID, m.Result)
		}
	}
}

// TestCancelEndsTheCallInSilence: the app hears that it was withdrawn and
// nothing more is said about it, not even when an answer comes at that moment.
func TestCancelEndsTheCallInSilence(t *testing.T) {
	c := start(t, everything)
	for _, id := range []string{"1", `"one"`, "9007199254740993"} {
		c.call(id, "parley_clarify", ask)
		q := c.question()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"AbortError"}}`, id)
		within(t, "the withdrawal", q.dropped)
		if !errors.Is(q.cause, bridge.ErrWithdrawn) {
			t.Errorf("withdrawn because of %v", q.cause)
		}
		c.quiet(id)
	}
}

// TestCancelRightBehindTheCall: before it has reached anybody.
func TestCancelRightBehindTheCall(t *testing.T) {
	c := start(t, everything)
	for range 200 {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"parley_clarify","arguments":%s}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ask)
		c.quiet("1")
		select {
		case q := <-c.app.asked: // it had reached the app, which must hear of it
			within(t, "the withdrawal", q.dropped)
		default:
		}
	}
}

// TestCancelOfAnAnsweredCallIsIgnored: some CLIs send one after every success.
func TestCancelOfAnAnsweredCallIsIgnored(t *testing.T) {
	c := start(t, everything)
	for id, params := range map[string]string{
		"1": `{"requestId":1}`, "2": `{"requestId":"never"}`, "3": `{}`, "4": `{"requestId":null}`, "5": `[]`, "6": `{"requestId":{"a":1}}`,
	} {
		c.call(id, "parley_clarify", ask)
		c.question().end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "Ahoy"}}
		c.resultOf(id)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":%s}`, params)
		c.quiet(id)
	}
	c.call("7", "parley_clarify", ask)
	c.question().end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "Ahoy"}}
	c.resultOf("7")
}

// TestRequestThatComesTwiceIsOneQuestion; another id with the same text is
// another question.
func TestRequestThatComesTwiceIsOneQuestion(t *testing.T) {
	c := start(t, everything)
	c.call("1", "parley_clarify", ask)
	c.call("1", "parley_clarify", ask)
	first := c.question()
	c.call(`"1"`, "parley_clarify", ask)
	second := c.question()
	if len(c.app.asked) > 0 {
		t.Error("the same request was asked twice")
	}
	first.end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "first"}}
	if r := c.resultOf("1"); !strings.Contains(r.Content[0].Text, "first") {
		t.Errorf("got %s", r.Content[0].Text)
	}
	c.quiet("1")
	second.end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "second"}}
	if r := c.resultOf(`"1"`); !strings.Contains(r.Content[0].Text, "second") {
		t.Errorf("got %s", r.Content[0].Text)
	}
	c.call("1", "parley_clarify", ask) // the id is free again
	c.question().end <- reply{result: bridge.ClarifyResult{Reason: "timeout"}}
	c.resultOf("1")
}

func TestEndOfInputEndsQuestionsAndTheServer(t *testing.T) {
	c := start(t, everything)
	c.call("1", "parley_clarify", ask)
	q := c.question()
	_ = c.in.Close()
	within(t, "the withdrawal", q.dropped)
	if errors.Is(q.cause, bridge.ErrWithdrawn) {
		t.Error("the app was told of a cancel, though the CLI went away")
	}
	within(t, "the end", c.ended)
	if c.err != nil {
		t.Errorf("ended with %v", c.err)
	}
}

func TestEndOfContextEndsQuestionsAndTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFakeApp()
	c := startWith(t, ctx, everything, f, f)
	c.call("1", "parley_clarify", ask)
	q := c.question()
	cancel()
	within(t, "the withdrawal", q.dropped)
	within(t, "the end", c.ended)
	if c.err != nil {
		t.Errorf("ended with %v", c.err)
	}
}

// TestRequestsInFrontOfTheEndAreAnswered: as in `printf … | parley-mcp`.
func TestRequestsInFrontOfTheEndAreAnswered(t *testing.T) {
	c := start(t, everything)
	c.send(initialize + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.call("2", "parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`)
	_ = c.in.Close()
	got := map[string]bool{}
	for line := range c.lines {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Error != nil || strings.Contains(line, "isError") {
			t.Errorf("got %s", line)
		}
		got[string(m.ID)] = true
	}
	if len(got) != 3 {
		t.Errorf("answered %v, want 0, 1 and 2", got)
	}
}

func TestServerIsReadyOnceItsToolsAreListed(t *testing.T) {
	c := start(t, everything)
	c.send(initialize)
	c.answerTo("0")
	if len(c.app.ready) > 0 {
		t.Error("ready before the tools were listed")
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.answerTo("1")
	r, _ := within(t, "ready", c.app.ready)
	if len(r.Tools) != 3 || r.ClientName != "test-cli" || r.Protocol != "2025-06-18" {
		t.Errorf("told %+v", r)
	}
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.332"},"io.modelcontextprotocol/clientCapabilities":{}}`

// TestDiscoverWithoutInitialize: what Claude Code 2.1.332 speaks. Its
// subscription stays open and holds up neither calls nor the end.
func TestDiscoverWithoutInitialize(t *testing.T) {
	c := start(t, everything)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{%s}}`, modern)
	var d struct {
		SupportedVersions []string
		Instructions      string
	}
	m := c.answerTo("0")
	if m.Error != nil || json.Unmarshal(m.Result, &d) != nil {
		t.Fatalf("discover: %+v %s", m.Error, m.Result)
	}
	if len(d.SupportedVersions) == 0 || d.SupportedVersions[0] != "2026-07-28" || !strings.Contains(d.Instructions, "parley_clarify") {
		t.Errorf("discovered %+v", d)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, modern)
	if m := c.next(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Errorf("subscription: %+v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{%s}}`, modern)
	c.answerTo("2")
	if r, _ := within(t, "ready", c.app.ready); r.ClientName != "claude-code" || r.Protocol != "2026-07-28" {
		t.Errorf("told %+v", r)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"parley_clarify","arguments":%s,%s}}`, ask, modern)
	c.question().end <- reply{result: bridge.ClarifyResult{Reason: "response", Response: "Ahoy"}}
	if r := c.resultOf("3"); !strings.Contains(r.Content[0].Text, "Ahoy") {
		t.Errorf("got %s", r.Content[0].Text)
	}
	_ = c.in.Close()
	c.answerTo("1") // the subscription ends with the input, it isn't left hanging
	within(t, "the end", c.ended)
}

func TestOddMessages(t *testing.T) {
	c := start(t, everything)
	for _, m := range []struct {
		line string
		code int // of the error that answers it, 0 for no answer
	}{
		{``, 0}, {`  `, 0}, {"\r", 0},
		{`{"jsonrpc":"2.0","id":77,"result":{}}`, 0},
		{`{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"m"}}`, 0},
		{`{"jsonrpc":"2.0","method":"notifications/unknown"}`, 0},
		{`nonsense`, -32700},
		{`{"jsonrpc":"2.0","id":1,`, -32700},
		{`[]`, -32700},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32700},
		{`"text"`, -32700},
		{`{"jsonrpc":"2.0","id":5}`, -32601},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[]}`, -32600},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`, -32602},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"parley_clarify","_meta":"x"}}`, -32600},
	} {
		c.send("%s", m.line)
		if m.code == 0 {
			c.quiet("77")
			continue
		}
		if got := c.next(); got.Error == nil || got.Error.Code != m.code {
			t.Errorf("%s: %+v, want error %d", m.line, got, m.code)
		}
	}
	c.send("\ufeff" + `{"jsonrpc":"2.0","id":6,"method":"ping"}` + "\r")
	c.answerTo("6")
}

// TestLongLines: what is too long for a question is refused like anything else.
// (The longest line is sent to the real program, which is built without checks.)
func TestLongLines(t *testing.T) {
	c := start(t, everything)
	for _, n := range []int{65_535, 65_536, 65_537, 1_048_577} {
		c.call("1", "parley_clarify", fmt.Sprintf(`{"context_id":"c","question":%q}`, strings.Repeat("x", n)))
		if e := c.refusalOf("1"); e.Field != "question" || e.Got != fmt.Sprintf("%d characters", n) {
			t.Errorf("%d bytes: %+v", n, e)
		}
	}
}

// TestServerWithoutAnApp: it starts, lists and refuses with the reason.
func TestServerWithoutAnApp(t *testing.T) {
	_, err := bridge.LoadCredential("")
	c := startWith(t, t.Context(), everything, nil, server.Refuse(err))
	c.send(initialize)
	c.answerTo("0")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if m := c.answerTo("1"); !strings.Contains(string(m.Result), "parley_clarify") {
		t.Errorf("listed %s", m.Result)
	}
	c.call("2", "parley_clarify", ask)
	if e := c.refusalOf("2"); e.Code != bridge.CodeUnavailable || !strings.Contains(e.Message, "without a credential") {
		t.Errorf("got %+v", e)
	}
	c.call("3", "parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`)
	if e := c.refusalOf("3"); e.Code != bridge.CodeUnavailable {
		t.Errorf("got %+v", e)
	}
}
