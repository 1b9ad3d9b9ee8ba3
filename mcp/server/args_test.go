package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/mcp/bridge"
)

// TestArgumentsThatAreRefused: each names field, limit and what came, and
// nothing reaches the app. (Lengths are the bridge's and tested there.)
func TestArgumentsThatAreRefused(t *testing.T) {
	c := start(t, everything)
	for _, a := range []struct{ tool, arguments, field, got string }{
		{"parley_clarify", `{"question":"q"}`, "context_id", "nothing"},
		{"parley_clarify", `{"context_id":null,"question":"q"}`, "context_id", "nothing"},
		{"parley_clarify", `{"context_id":7,"question":"q"}`, "context_id", "a number"},
		{"parley_clarify", `{"context_id":"c"}`, "question", "nothing"},
		{"parley_clarify", `{"context_id":"c","question":["q"]}`, "question", "a list"},
		{"parley_clarify", `{"context_id":"c","question":{"text":"q"}}`, "question", "an object"},
		{"parley_clarify", `{"context_id":"c","question":true}`, "question", "true or false"},
		{"parley_clarify", `{"context_id":"c","question":"  "}`, "question", "a blank text"},
		{"parley_clarify", `{"context_id":"c","question":"q","header":1}`, "header", "a number"},
		{"parley_clarify", `{"context_id":"c","question":"q","multi_select":"true"}`, "multi_select", "a text"},
		{"parley_clarify", `{"context_id":"c","question":"q","multi_select":1}`, "multi_select", "a number"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":"a, b"}`, "choices", "a text"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":{"a":1}}`, "choices", "an object"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":["a",2]}`, "choices[1]", "a number"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":["a",null]}`, "choices[1]", "null"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":["a",{"label":"b"}]}`, "choices[1]", "an object"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":["a"," "]}`, "choices[1]", "a blank text"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":["a"]}`, "options[0]", "a text"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":[{}]}`, "options[0].label", "nothing"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":[{"label":1}]}`, "options[0].label", "a number"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":[{"label":"a","description":1}]}`, "options[0].description", "a number"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":[{"label":"a","recommended":"yes"}]}`, "options[0].recommended", "a text"},
		{"parley_clarify", `{"context_id":"c","question":"q","options":[{"label":"a","preview":[]}]}`, "options[0].preview", "a list"},
		{"parley_clarify", `{"context_id":"c","question":"q","choices":["a"],"options":[{"label":"b"}]}`, "choices", "both choices and options"},
		{"parley_clarify", `[]`, "arguments", "a list"},
		{"parley_clarify", `"question"`, "arguments", "a text"},
		{"parley_clarify", `null`, "context_id", "nothing"},
		{"parley_update_plan", `{"plan":[]}`, "context_id", "nothing"},
		{"parley_update_plan", `{"context_id":"c"}`, "plan", "nothing"},
		{"parley_update_plan", `{"context_id":"c","plan":[]}`, "plan", "0 steps"},
		{"parley_update_plan", `{"context_id":"c","plan":"read, write"}`, "plan", "a text"},
		{"parley_update_plan", `{"context_id":"c","plan":["read"]}`, "plan[0]", "a text"},
		{"parley_update_plan", `{"context_id":"c","plan":[{"id":1,"step":"s","status":"pending"}]}`, "plan[0].id", "a number"},
		{"parley_update_plan", `{"context_id":"c","plan":[{"id":"1","status":"pending"}]}`, "plan[0].step", "nothing"},
		{"parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s"}]}`, "plan[0].status", "nothing"},
		{"parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s","status":"doing"}]}`, "plan[0].status", `"doing"`},
		{"parley_update_plan", `{"context_id":"c","explanation":[],"plan":[{"id":"1","step":"s","status":"pending"}]}`, "explanation", "a list"},
	} {
		c.call("1", a.tool, a.arguments)
		e := c.refusalOf("1")
		if e.Code != bridge.CodeInvalidArgument || e.Field != a.field || !strings.HasPrefix(e.Got, a.got) {
			t.Errorf("%s: refused as %s with field %q, got %q; want field %q, got %q", a.arguments, e.Code, e.Field, e.Got, a.field, a.got)
		}
		if e.Limit == "" || !strings.Contains(e.Message, e.Field) || !strings.Contains(e.Message, e.Limit) || !strings.Contains(e.Message, e.Got) {
			t.Errorf("%s: the message does not teach: %s", a.arguments, e.Message)
		}
	}
	if n := len(c.app.asked) + len(c.app.plans); n > 0 {
		t.Errorf("%d refused calls reached the app", n)
	}
}

func TestArgumentsThatAreAccepted(t *testing.T) {
	c := start(t, everything)
	for _, a := range []struct {
		arguments string
		want      bridge.ClarifyRequest
	}{
		{`{"context_id":" c ","question":" q "}`, bridge.ClarifyRequest{}},
		{`{"context_id":"c","question":"q","choices":null,"options":null,"header":null,"multi_select":null}`, bridge.ClarifyRequest{}},
		{`{"context_id":"c","question":"q","choices":[],"options":[]}`, bridge.ClarifyRequest{}},
		{`{"context_id":"c","question":"q","session_id":"other","run_id":7,"unknown":{"a":[1]}}`, bridge.ClarifyRequest{}},
		{`{"context_id":"c","question":"q","choices":["b"," a ","b"],"options":[]}`, bridge.ClarifyRequest{Options: []bridge.Option{{Label: "b"}, {Label: "a"}}}},
		{`{"context_id":"c","question":"q","multi_select":true,"header":"h","options":[{"label":"a","description":"d","recommended":true,"preview":"  p","value":9},{"label":"b","recommended":null}]}`,
			bridge.ClarifyRequest{MultiSelect: true, Header: "h", Options: []bridge.Option{{Label: "a", Description: "d", Recommended: true, Preview: "  p"}, {Label: "b"}}}},
	} {
		c.call("1", "parley_clarify", a.arguments)
		q := c.question()
		q.end <- reply{result: bridge.ClarifyResult{Reason: "timeout"}}
		c.resultOf("1")
		a.want.ContextID, a.want.Question = "c", "q"
		got := q.ClarifyRequest
		got.FromChoices = false
		if len(got.Options) == 0 {
			got.Options = nil
		}
		if diff := cmp.Diff(a.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.arguments, diff)
		}
	}
}

func TestMetaIsPassedOn(t *testing.T) {
	c := start(t, everything)
	meta := `{"claudecode/toolUseId":"toolu_1","x":{"parent_thread_id":"t"},"n":12345678901234567890}`
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":%s,"name":"parley_clarify","arguments":%s}}`, meta, ask)
	if got := c.question().Meta; got != meta {
		t.Errorf("the app got %s, want %s", got, meta)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":%s,"name":"parley_update_plan","arguments":{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}}}`, meta)
	if p, _ := within(t, "a plan", c.app.plans); p.Meta != meta {
		t.Errorf("the app got %s with a plan", p.Meta)
	}
}

// FuzzArguments: whatever a model sends, it gets a result of one of three
// kinds, and what reaches the app keeps its limits.
func FuzzArguments(f *testing.F) {
	f.Add("parley_clarify", ask)
	f.Add("parley_clarify", `{"context_id":"c","question":"q","options":[{"label":"a","preview":"x"}]}`)
	f.Add("parley_update_plan", `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`)
	f.Add("parley_clarify", `{"question":"\ud800","choices":[[[]]]}`)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		if (tool != "parley_clarify" && tool != "parley_update_plan") || !json.Valid([]byte(arguments)) {
			t.Skip("another tool, or no JSON: the protocol refuses it before")
		}
		c := start(t, everything)
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}})
		if err != nil {
			t.Fatal(err)
		}
		c.send("%s", line)
		answered := make(chan message, 1)
		go func() { answered <- c.answerTo("1") }()
		select {
		case q := <-c.app.asked:
			if _, err := q.Checked(); err != nil {
				t.Errorf("the app got a question over its limits: %v", err)
			}
			q.end <- reply{result: bridge.ClarifyResult{Reason: "timeout"}}
		case p := <-c.app.plans:
			if _, err := p.Checked(); err != nil {
				t.Errorf("the app got a plan over its limits: %v", err)
			}
		case m := <-answered:
			var r toolResult
			if err := json.Unmarshal(m.Result, &r); err != nil || !r.IsError || !strings.Contains(string(r.Structured), "invalid_argument") {
				t.Errorf("neither asked nor refused: %+v %s", m.Error, m.Result)
			}
			return
		}
		if m, _ := within(t, "an answer", answered); m.Error != nil {
			t.Errorf("error: %+v", m.Error)
		}
	})
}
