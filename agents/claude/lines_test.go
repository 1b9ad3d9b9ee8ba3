package claude_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
)

// id is the id of a message that the adapter wrote.
func id(t *testing.T, message json.RawMessage) string {
	t.Helper()
	var l struct {
		ID string `json:"uuid"`
	}
	if err := json.Unmarshal(message, &l); err != nil || l.ID == "" {
		t.Fatalf("%s: %v", message, err)
	}
	return l.ID
}

func fate(id, state string) string {
	return fmt.Sprintf(`{"type":"command_lifecycle","command_uuid":"%s","state":"%s"}`, id, state)
}

const (
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"","terminal_reason":"completed"}`
	ownResult  = `{"type":"result","subtype":"success","is_error":false,"result":"","terminal_reason":"completed","origin":{"kind":"task-notification"}}`
	requesting = `{"type":"system","subtype":"status","status":"requesting"}`
)

func ends(p *puppet) []agents.Ended { return agenttest.All[agents.Ended](p.host.Events()) }

// The fate of messages decides when a turn is over.
func TestWhenATurnIsOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		play func(p *puppet, prompt string)
		want []agents.Stop
	}{
		{"its result", func(p *puppet, m string) {
			p.say(fate(m, "queued"))
			p.say(fate(m, "started"))
			p.say(resultLine)
			p.say(fate(m, "completed"))
		}, []agents.Stop{agents.StopDone}},
		{"result of background work before it has begun", func(p *puppet, m string) {
			p.say(fate(m, "queued"))
			p.say(requesting)
			p.say(ownResult)
		}, nil},
		{"taken into a turn of background work", func(p *puppet, m string) {
			p.say(fate(m, "queued"))
			p.say(requesting)
			p.say(fate(m, "started"))
			p.say(fate(m, "completed"))
			p.say(ownResult)
		}, []agents.Stop{agents.StopDone}},
		{"dropped before it has begun", func(p *puppet, m string) {
			p.say(fate(m, "queued"))
			p.say(fate(m, "cancelled"))
		}, []agents.Stop{agents.StopStopped}},
		{"refused", func(p *puppet, m string) { p.say(fate(m, "refused")) }, []agents.Stop{agents.StopFailed}},
		{"dropped while background work is done", func(p *puppet, m string) {
			p.say(requesting)
			p.say(fate(m, "queued"))
			p.say(fate(m, "cancelled"))
			p.say(ownResult)
		}, []agents.Stop{agents.StopDone}},
		{"a message into it that becomes a turn of its own", func(p *puppet, m string) {
			p.say(fate(m, "started"))
			s := p.steer()
			p.say(fate(s, "queued"))
			p.say(resultLine)
			p.sync()
			if len(ends(p)) != 0 {
				p.t.Error("over too early")
			}
			p.say(fate(m, "completed"))
			p.say(fate(s, "started"))
			p.say(resultLine)
			p.say(fate(s, "completed"))
		}, []agents.Stop{agents.StopDone}},
		{"a message into it that is dropped", func(p *puppet, m string) {
			p.say(fate(m, "started"))
			s := p.steer()
			p.say(fate(s, "queued"))
			p.say(resultLine)
			p.say(fate(s, "cancelled"))
		}, []agents.Stop{agents.StopDone}},
		{"put back and done later", func(p *puppet, m string) {
			p.say(fate(m, "started"))
			p.say(fate(m, "queued"))
			p.say(resultLine)
			p.sync()
			if len(ends(p)) != 0 {
				p.t.Error("over too early")
			}
			p.say(fate(m, "started"))
			p.say(resultLine)
		}, []agents.Stop{agents.StopDone}},
		{"an older version, which tells no fates", func(p *puppet, _ string) {
			p.say(requesting)
			p.say(ownResult)
			p.say(resultLine)
		}, []agents.Stop{agents.StopDone}},
		{"a result that nobody waits for", func(p *puppet, m string) {
			p.say(fate(m, "started"))
			p.say(resultLine)
			p.say(resultLine)
		}, []agents.Stop{agents.StopDone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := openPuppet(t)
			c.play(p, id(t, p.prompt("hello")))
			p.sync()
			var got []agents.Stop
			for _, e := range ends(p) {
				got = append(got, e.Stop)
				if e.Unrequested {
					t.Error("the end of a person's turn is told as one of the CLI's own")
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("ended as %v, want %v", got, c.want)
			}
			if n := len(agenttest.All[agents.TurnBegan](p.host.Events())); n != 0 {
				t.Errorf("%d turns began by themselves", n)
			}
		})
	}
}

func (p *puppet) steer() string {
	p.t.Helper()
	if err := p.agent.Steer(p.t.Context(), agents.Turn{Text: "more"}); err != nil {
		p.t.Fatal(err)
	}
	return id(p.t, p.next())
}

// A turn that nobody requested begins and ends; a message can be put into it.
func TestTurnOfItsOwn(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.say(requesting)
	p.say(requesting)
	p.sync()
	s := p.steer()
	p.say(fate(s, "started"))
	p.say(ownResult)
	p.sync()
	events := p.host.Events()
	if began, over := agenttest.All[agents.TurnBegan](events), ends(p); len(began) != 1 || len(over) != 1 || !over[0].Unrequested {
		t.Errorf("%d began, ended as %+v", len(began), over)
	}
	if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "one"}); err != nil {
		t.Error(err)
	}
	p.next()
	if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "two"}); err == nil {
		t.Error("a second turn began in the first")
	}
}

// Lines of every shape are survived, and kept where they were not understood.
func TestOddLines(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.prompt("hello")
	secret := "pctx_" + strings.Repeat("a", 43)
	odd := []string{
		`{"type":null}`, `{"type":7}`, `{}`, `{"type":"assistant","message":[]}`, `{"type":"stream_event","event":5}`,
		`{"type":"user","message":"x"}`, `{"type":"result","is_error":"yes"}`, `{"type":"news","id":"` + secret + `"}`,
		`plain words`, `[1,2]`, `{"type":"control_request","request_id":"r1"}`,
		`{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","input":"no object","tool_name":7}}`,
		`{"type":"control_request","request_id":"r3","request":{"subtype":"mystery"}}`,
		`{"type":"control_request","request_id":"r4","request":{"subtype":"request_user_dialog"}}`,
		`{"type":"control_request","request_id":"r5","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[]}}}`,
		`{"type":"control_request","request_id":"r6","request":{"subtype":"elicitation","mcp_server_name":"m","requested_schema":{"properties":{"a":{"type":"object"}}}}}`,
	}
	silent := []string{
		`{"type":"keep_alive"}`, `{"type":"system","subtype":"brand_new"}`, `{"type":"user","message":{"content":null}}`,
		`{"type":"assistant","message":{"content":[{"type":"text"},{"type":"odd"},{"type":"tool_use"}]}}`,
		`{"type":"control_cancel_request","request_id":"nobody"}`, `{"type":"control_response","response":{"request_id":"nobody"}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":99,"delta":{"type":"text_delta","text":"x"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_start","index":-1,"content_block":{"type":"text"}}}`,
		``, "\r", "\ufeff",
	}
	for _, l := range append(silent, odd...) {
		p.say(l)
	}
	answers := map[string]string{}
	for range 5 {
		l := p.next()
		var a struct {
			Response struct {
				RequestID string `json:"request_id"`
			} `json:"response"`
		}
		if err := json.Unmarshal(l, &a); err != nil {
			t.Fatal(err)
		}
		answers[a.Response.RequestID] = string(l)
	}
	p.sync()
	for id, part := range map[string]string{"r1": "error", "r2": "deny", "r3": "not supported", "r5": "deny", "r6": "decline"} {
		live.WantIn(t, "the answer to "+id, answers[id], part)
	}
	unknown := agenttest.All[agents.Unknown](p.host.Events())
	if len(unknown) != len(odd) {
		t.Errorf("%d lines were kept, want %d:\n%s", len(unknown), len(odd), agenttest.Describe(p.host.Events()))
	}
	if len(ends(p)) != 0 {
		t.Error("one of them ended the turn")
	}
	p.say(resultLine)
	p.sync()
	if len(ends(p)) != 1 {
		t.Error("the turn did not end after them")
	}
	agenttest.CheckEvents(t, p.host.Events()) // no context id among them
}

// Results come back in another order than their calls, from two calls of the
// same tool; a context id that the model repeats piece by piece stays hidden.
func TestOrderAndRedaction(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.prompt("hello")
	secret := "pctx_" + strings.Repeat("Zz9_", 10) + "abc"
	event := func(e string) { p.say(`{"type":"stream_event","event":` + e + `}`) }
	event(`{"type":"message_start","message":{"id":"m1"}}`)
	event(`{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`)
	text := "the id " + secret + " is mine"
	for _, r := range text {
		event(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, string(r)))
	}
	p.say(fmt.Sprintf(`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":%q}]}}`, text))
	for _, tool := range []string{"a", "b"} {
		p.say(fmt.Sprintf(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"say %s %s"}}]}}`, tool, tool, secret))
	}
	for _, tool := range []string{"b", "a"} {
		p.say(fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":"%s said %s"}]}}`, tool, tool, secret))
	}
	p.say(resultLine)
	p.sync()
	events := p.host.Events()
	agenttest.CheckEvents(t, events)
	if got := agenttest.Said(events); got != agents.Redact(text) || contains(got, secret) {
		t.Errorf("said %q", got)
	}
	for _, e := range agenttest.All[agents.ToolEnded](events) {
		if e.Output != agents.Redact(e.ID+" said "+secret) {
			t.Errorf("%s ended with %q", e.ID, e.Output)
		}
	}
}

// A request is withdrawn by the CLI, asked twice under one id, and open when
// the output ends.
func TestWithdrawnQuestions(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.prompt("hello")
	url := func(id string) string {
		return `{"type":"control_request","request_id":"` + id + `","request":{"subtype":"elicitation","mcp_server_name":"m","message":"Look there","mode":"url","url":"https://example.org/x"}}`
	}
	p.say(url("e1"))
	p.say(url("e1"))
	ask := p.host.NextAsk()
	if ask.URL != "https://example.org/x" || ask.Server != "m" {
		t.Errorf("asked %+v", ask.Interaction)
	}
	p.say(`{"type":"control_cancel_request","request_id":"e1"}`)
	<-ask.Ctx.Done()
	if cause := context.Cause(ask.Ctx); !errors.Is(cause, agents.ErrWithdrawn) {
		t.Errorf("withdrawn because of %v", cause)
	}
	p.next() // the answer that nobody waits for
	p.say(url("e2"))
	ask = p.host.NextAsk()
	ask.Answer(agents.Outcome{Reason: "response", Action: "accept"})
	visited := string(p.next())
	live.WantIn(t, "a visit to a page", visited, `"accept"`)
	if strings.Contains(visited, "content") {
		t.Errorf("a visit to a page sends %s", visited)
	}

	p.say(url("e3"))
	ask = p.host.NextAsk()
	p.end()
	<-ask.Ctx.Done()
	if cause := context.Cause(ask.Ctx); !errors.Is(cause, agents.ErrClosed) {
		t.Errorf("withdrawn because of %v", cause)
	}
	events := p.host.EndOfTurn(0)
	if end := events[len(events)-1].(agents.Ended); end.Stop != agents.StopFailed || end.Problem.Code != "exited" {
		t.Errorf("ended as %+v", end)
	}
	if err := p.agent.Prompt(t.Context(), agents.Turn{Text: "more"}); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := p.agent.Interrupt(t.Context()); !errors.Is(err, agents.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// A rate limit is told with the time at which it resets, also with the failed
// turn.
func TestRateLimitResets(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.prompt("hello")
	p.say(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1900000000}}`)
	p.say(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1900000000}}`)
	p.say(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1900000000}}`)
	p.say(`{"type":"assistant","error":"rate_limit","is_api_error_message":true,"message":{"id":"x","content":[{"type":"text","text":"You've hit your limit"}]}}`)
	p.say(`{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your limit"}`)
	p.sync()
	notices := agenttest.All[agents.Notice](p.host.Events())
	if len(notices) != 2 || notices[0].Level != "warning" || notices[1].Level != "error" || notices[1].Advice == "" {
		t.Errorf("notices %+v", notices)
	}
	if e := ends(p)[0]; e.Problem.Code != "rate_limited" || e.Problem.ResetAt.Unix() != 1900000000 {
		t.Errorf("ended as %+v", e.Problem)
	}
}

func FuzzLines(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	// One of each kind: the fuzzer begins with all seeds, and slowly.
	particular := regexp.MustCompile(`:"[^"]*[^a-z_"][^"]*"|[0-9]+`)
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			kind := particular.ReplaceAllString(string(line), "")
			if len(line) < 2000 && !seen[kind] {
				seen[kind] = true
				f.Add(line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			p := openPuppetFor(t, agenttest.NewHostInBubble(t))
			p.prompt("hello")
			p.say(string(data))
			p.say(`{"type":"control_request","request_id":"sync","request":{"subtype":"hook_callback","input":{}}}`)
			for !strings.Contains(string(p.next()), `"sync"`) {
			}
		})
	})
}

// A hook tells of a session before the conversation has one, with an id of its own.
func TestOnlyTheInitNamesTheConversation(t *testing.T) {
	t.Parallel()
	p := openPuppet(t)
	p.prompt("hello")
	p.say(`{"type":"system","subtype":"hook_started","hook_id":"h","hook_event":"SessionStart","session_id":"of-a-hook"}`)
	p.say(`{"type":"system","subtype":"hook_response","hook_id":"h","outcome":"success","session_id":"of-a-hook"}`)
	p.say(`{"type":"system","subtype":"init","session_id":"of-the-conversation","model":"m"}`)
	p.say(`{"type":"system","subtype":"hook_started","hook_id":"i","hook_event":"Stop","session_id":"of-a-hook"}`)
	p.say(resultLine)
	p.host.EndOfTurn(0)
	var ids []string
	for _, s := range agenttest.All[agents.Started](p.host.Events()) {
		if s.NativeID != "" {
			ids = append(ids, s.NativeID)
		}
	}
	if len(ids) != 1 || ids[0] != "of-the-conversation" {
		t.Errorf("the conversation is named %q", ids)
	}
}
