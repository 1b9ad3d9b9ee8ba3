package fakemodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/agents/fakemodel"
)

// complete sends one request of the Chat Completions API and returns the body.
func complete(t *testing.T, s *fakemodel.Server, stream, messages string) (status int, body string, broken error) {
	t.Helper()
	resp, err := http.Post(s.URL()+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m1","stream":`+stream+`,"messages":`+messages+`,
		"tools":[{"type":"function","function":{"name":"run","description":"runs","parameters":{"type":"object"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

const chatHello = `[{"role":"system","content":"be good"},{"role":"developer","content":"be brief"},
	{"role":"user","content":[{"type":"text","text":"hello"},{"type":"image_url","image_url":{"url":"data:"}}]}]`

type chatMessage struct {
	Content   string
	Reasoning string `json:"reasoning_content"`
	Calls     []struct {
		Index    int
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

type chatUsage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
	Cached struct {
		Tokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// The pieces of a stream, put together as a client does, and the answer as a
// whole say the same.
func TestChatTellsEveryKindOfBlock(t *testing.T) {
	reply := fakemodel.Reply{Usage: fakemodel.Usage{Input: 10, Output: 3, CacheRead: 5}, Blocks: []fakemodel.Block{
		fakemodel.Thinking("hm"), fakemodel.TextBlock("Good morning, 问题🤔, and all that goes with it."),
		fakemodel.ToolUse("c1", "run", `{"a":1}`), fakemodel.ToolUse("c2", "look", `{}`),
	}}
	s := start(t, fakemodel.Step{When: fakemodel.UserSays("hello"), Times: 2, Reply: reply})

	var got chatMessage
	var used chatUsage
	finish, done := "", false
	_, body, _ := complete(t, s, "true", chatHello)
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var c struct {
			Choices []struct {
				Delta  chatMessage
				Finish string `json:"finish_reason"`
			}
			Usage *chatUsage
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Usage != nil {
			used = *c.Usage
		}
		for _, choice := range c.Choices {
			got.Content += choice.Delta.Content
			got.Reasoning += choice.Delta.Reasoning
			finish += choice.Finish
			for _, call := range choice.Delta.Calls {
				if call.Index == len(got.Calls) {
					got.Calls = append(got.Calls, call)
				} else {
					got.Calls[call.Index].Function.Arguments += call.Function.Arguments
				}
			}
		}
	}
	if !done || finish != "tool_calls" {
		t.Errorf("ended by %q, last line %v", finish, done)
	}

	var whole struct {
		Choices []struct {
			Message chatMessage
			Finish  string `json:"finish_reason"`
		}
		Usage chatUsage
	}
	_, body, _ = complete(t, s, "false", chatHello)
	if err := json.Unmarshal([]byte(body), &whole); err != nil || len(whole.Choices) != 1 || whole.Choices[0].Finish != finish {
		t.Fatalf("%v: %s", err, body)
	}
	for how, m := range map[string]chatMessage{"in pieces": got, "whole": whole.Choices[0].Message} {
		if m.Content != reply.Blocks[1].Text || m.Reasoning != "hm" || len(m.Calls) != 2 || m.Calls[0].ID != "c1" ||
			m.Calls[0].Function.Name != "run" || m.Calls[0].Function.Arguments != `{"a":1}` || m.Calls[1].Function.Arguments != `{}` {
			t.Errorf("%s: %+v", how, m)
		}
	}
	if want := (chatUsage{Input: 15, Output: 3, Cached: whole.Usage.Cached}); used != want || whole.Usage != want || want.Cached.Tokens != 5 {
		t.Errorf("used %+v and %+v", used, whole.Usage)
	}
	r := s.Requests()[0]
	if r.System != "be good\nbe brief" || r.LastUserText() != "hello" || r.Messages[0].Parts[1].Type != "image" || len(r.Tools) != 1 || r.Tools[0].Name != "run" {
		t.Errorf("request %+v", r)
	}
}

func TestChatReadsResultsOfCalls(t *testing.T) {
	s := start(t, fakemodel.Step{When: fakemodel.HasResult("c2"), Reply: fakemodel.Text("done")})
	_, body, _ := complete(t, s, "false", `[{"role":"user","content":"go"},
		{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[
			{"id":"c1","type":"function","function":{"name":"run","arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"run","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"blue"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"red"}]}]`)
	if !strings.Contains(body, `"content":"done"`) || !strings.Contains(body, `"finish_reason":"stop"`) {
		t.Errorf("answered %s", body)
	}
	r := s.Requests()[0]
	if p, _ := r.ToolResult("c1"); p.Text != "blue" {
		t.Errorf("result %+v", p)
	}
	if p, _ := r.ToolResult("c2"); p.Text != "red" {
		t.Errorf("result %+v", p)
	}
	if p := r.Messages[1].Parts; len(p) != 3 || p[0].Type != "thinking" || p[1].ID != "c1" || string(p[1].Input) != `{"a":1}` {
		t.Errorf("the model's own %+v", p)
	}
}

func TestChatFaults(t *testing.T) {
	inStream := fakemodel.ContextFull()
	inStream.Blocks = []fakemodel.Block{fakemodel.TextBlock("begun")}
	s := start(t, fakemodel.Step{Reply: fakemodel.Unauthorized()}, fakemodel.Step{Reply: fakemodel.RateLimited(7*time.Second, time.Time{})},
		fakemodel.Step{Reply: inStream}, fakemodel.Step{Reply: fakemodel.Reply{Blocks: []fakemodel.Block{fakemodel.TextBlock("Good morning")}, CutAfter: 2}})
	for _, want := range []struct {
		status int
		says   string
		broken bool
	}{
		{401, `"code":"authentication_error"`, false}, {429, `rate_limit_error`, false}, {200, `data: {"error":{"code":"context_length_exceeded"`, false},
		{200, `Good`, true}, {400, `fits no step`, false}, // the script is at its end
	} {
		status, body, err := complete(t, s, "true", chatHello)
		if status != want.status || !strings.Contains(body, want.says) || (err != nil) != want.broken {
			t.Errorf("status %d, %v: %s; want %+v", status, err, body, want)
		}
	}
}

// What DSH says in its user's name comes after what that said, and counts for
// nothing.
func TestRemarksOfDSH(t *testing.T) {
	s := start(t, fakemodel.Step{When: fakemodel.UserSays("build it"), Times: fakemodel.Always, Reply: fakemodel.Text("done")})
	for _, remark := range []string{"Current runtime context: a computer", `<system-reminder>\nThe following workspace instructions may be relevant.\n</system-reminder>`} {
		status, body, _ := complete(t, s, "false", `[{"role":"user","content":"build it"},{"role":"user","content":"`+remark+`"}]`)
		if status != http.StatusOK {
			t.Errorf("after %q: %s", remark, body)
		}
	}
}
