package acpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/agenttest"
	"parley/mcp"
)

var modes = map[agents.Mode]string{agents.ModeAsk: "", agents.ModePlan: "read"}

// open runs script as the agent and opens a conversation with it. The agent ends
// with the script.
func open(t *testing.T, ctx context.Context, spec agents.SessionSpec, script func(f *fake)) (*acpclient.Conversation, *agenttest.Host, error) {
	t.Helper()
	f, conn := newFake(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer f.out.Close()
		script(f)
	}()
	host := agenttest.NewHost(t)
	agent, err := acpclient.Open(ctx, conn, spec, host, acpclient.Config{Name: "Fake", Modes: modes})
	t.Cleanup(func() {
		if err == nil {
			agent.Close(t.Context())
		}
		f.in.Close()
		<-done
	})
	return agent, host, err
}

func TestOpenTellsWhatItFound(t *testing.T) {
	spec := spec()
	spec.Model, spec.Effort = "large", "high"
	spec.Catalog = mcp.Catalog{
		{Name: "files", Transport: mcp.Stdio, Command: "/bin/files", Args: []string{"-x"}, Env: map[string]string{"K": "v"}, Cwd: "/elsewhere"},
		{Name: "web", Transport: mcp.HTTP, URL: "https://example.org/mcp", Headers: map[string]string{"Authorization": "Bearer x"}},
		{Name: "old", Transport: mcp.SSE, URL: "https://example.org/sse"},
	}
	var asked json.RawMessage
	var set [2]json.RawMessage
	_, host, err := open(t, t.Context(), spec, func(f *fake) {
		f.send("Loading settings…")
		f.answer(f.next("initialize"), `{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1.2.3"},"agentCapabilities":{"mcpCapabilities":{"http":true},"promptCapabilities":null},"authMethods":null}`)
		m := f.next("session/new")
		asked = m.Params
		f.answer(m, `{"sessionId":"s1","models":null,"configOptions":[{"id":"m","category":"model","type":"select","currentValue":"small"},{"id":"t","category":"thought_level"}]}`)
		for i := range set {
			m := f.next("session/set_config_option")
			set[i] = m.Params
			f.answer(m, `{}`)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(asked, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"cwd": "/somewhere", "mcpServers": []any{
		map[string]any{"name": "files", "command": "/bin/sh", "args": []any{"-c", `cd -- "$0" && exec "$@"`, "/elsewhere", "/bin/files", "-x"}, "env": []any{map[string]any{"name": "K", "value": "v"}}},
		map[string]any{"type": "http", "name": "web", "url": "https://example.org/mcp", "headers": []any{map[string]any{"name": "Authorization", "value": "Bearer x"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session/new (-want +got):\n%s", diff)
	}
	for i, want := range []string{`{"configId":"m","sessionId":"s1","value":"large"}`, `{"configId":"t","sessionId":"s1","value":"high"}`} {
		if string(set[i]) != want {
			t.Errorf("option %d: %s, want %s", i, set[i], want)
		}
	}
	wantEvents := []agents.Event{
		agents.Unknown{Raw: "Loading settings…"},
		agents.Notice{Level: "warning", Code: "mcp_transport_unsupported", Text: "Fake does not get the MCP server “old”: it cannot reach servers over sse."},
		agents.Started{NativeID: "s1", Model: "large", Version: "1.2.3"},
	}
	if diff := cmp.Diff(wantEvents, host.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestModelByItsOwnMethod(t *testing.T) {
	spec := spec()
	spec.Model, spec.Effort = "b", "high"
	_, host, err := open(t, t.Context(), spec, func(f *fake) {
		f.answer(f.next("initialize"), `{"protocolVersion":1}`)
		f.answer(f.next("session/new"), `{"sessionId":"s1","models":{"currentModelId":"a","availableModels":[{"modelId":"a"},{"modelId":"b"}]}}`)
		m := f.next("session/set_model")
		if string(m.Params) != `{"modelId":"b","sessionId":"s1"}` {
			t.Errorf("set_model %s", m.Params)
		}
		f.answer(m, `{}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if notice, _ := agenttest.Find[agents.Notice](host.Events()); notice.Code != "effort_ignored" {
		t.Errorf("notice %+v", notice)
	}
}

// TestResume takes up an old session in each way that an agent may offer. What
// was said before must not be said again.
func TestResume(t *testing.T) {
	replay := func(f *fake) {
		for i := range 100 {
			f.say(fmt.Sprintf("old answer %d", i))
			f.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"old%d","title":"parley_clarify","status":"pending","rawInput":{"question":"Which?"}}`, i))
			f.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"old%d","status":"completed","rawOutput":{"reason":"response","response":"A"}}`, i))
			f.update(`{"sessionUpdate":"plan","entries":[{"content":"old","priority":"high","status":"pending"}]}`)
		}
		f.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old input"}}`)
		f.say("old answer")
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"old","title":"old","status":"completed"}`)
	}
	for _, tt := range []struct {
		name   string
		able   string
		script func(f *fake)
	}{
		{"load", `"loadSession":true`, func(f *fake) {
			m := f.next("session/load")
			replay(f)
			f.answer(m, `{}`)
		}},
		{"resume", `"loadSession":true,"sessionCapabilities":{"resume":{}}`, func(f *fake) {
			f.answer(f.next("session/resume"), `{}`)
		}},
		{"resume that is not there after all", `"loadSession":true,"sessionCapabilities":{"resume":{}}`, func(f *fake) {
			f.fail(f.next("session/resume"), -32601, "no such method")
			m := f.next("session/load")
			replay(f)
			f.answer(m, `null`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := spec()
			spec.NativeID = "s1"
			agent, host, err := open(t, t.Context(), spec, func(f *fake) {
				f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{`+tt.able+`}}`)
				tt.script(f)
				p := f.next("session/prompt")
				f.say("new answer")
				f.answer(p, `{"stopReason":"end_turn"}`)
			})
			if err != nil {
				t.Fatal(err)
			}
			turn(t, agent, host)
			if got := agenttest.Said(host.Events()); got != "new answer" {
				t.Errorf("said %q", got)
			}
			if started := agenttest.All[agents.Started](host.Events()); len(started) != 1 || started[0].NativeID != "s1" {
				t.Errorf("started %+v", started)
			}
			if tools := agenttest.All[agents.ToolStarted](host.Events()); len(tools) != 0 {
				t.Errorf("tools of the past ran again: %+v", tools)
			}
			if n := host.Asks(); n != 0 {
				t.Errorf("%d questions of the past were asked again", n)
			}
		})
	}
}

// TestFork begins with a copy of another conversation, under the id that the
// agent gives it.
func TestFork(t *testing.T) {
	spec := spec()
	spec.NativeID, spec.Fork = "s0", true
	agent, host, err := open(t, t.Context(), spec, func(f *fake) {
		f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{},"resume":{}}}}`)
		m := f.next("session/fork")
		var p struct{ SessionID, Cwd string }
		if err := json.Unmarshal(m.Params, &p); err != nil || p.SessionID != "s0" || p.Cwd != spec.Cwd {
			t.Errorf("asked for %s", m.Params)
		}
		f.answer(m, `{"sessionId":"s1"}`)
		prompt := f.next("session/prompt")
		f.say("new answer")
		f.answer(prompt, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	turn(t, agent, host)
	if started := agenttest.All[agents.Started](host.Events()); len(started) != 1 || started[0].NativeID != "s1" {
		t.Errorf("started %+v", started)
	}
}

// An agent that does not announce it is not asked for a copy.
func TestForkNotAnnounced(t *testing.T) {
	spec := spec()
	spec.NativeID, spec.Fork = "s0", true
	_, _, err := open(t, t.Context(), spec, func(f *fake) {
		f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
	})
	if refused, ok := errors.AsType[*agents.PlanError](err); !ok || refused.Problem.Code != "cannot_fork" {
		t.Errorf("opened: %v", err)
	}
}

// TestOpenRefused meets agents that answer and cannot be talked to.
func TestOpenRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*agents.SessionSpec)
		script func(f *fake)
		code   string
		says   string
	}{
		{"not logged in", nil, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1}`)
			f.fail(f.next("session/new"), -32000, "Authentication required")
		}, "not_logged_in", "Fake is not logged in."},
		{"another version", nil, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":2}`)
		}, "too_old", "version 2"},
		{"an error", nil, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1}`)
			f.next("session/new")
			f.send(`{"jsonrpc":"2.0","id":2,"error":"just a text"}`)
		}, "broken", "open a session with Fake"},
		{"no way to resume", func(s *agents.SessionSpec) { s.NativeID = "s1" }, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1}`)
		}, "cannot_resume", "cannot continue"},
		{"unknown session", func(s *agents.SessionSpec) { s.NativeID = "s1" }, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			f.fail(f.next("session/load"), -32002, "sorry")
		}, "session_lost", "no longer has this conversation"},
		{"unknown session, in words", func(s *agents.SessionSpec) { s.NativeID = "s1" }, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			f.fail(f.next("session/load"), -32603, "Session not found: s1")
		}, "session_lost", "no longer has this conversation"},
		{"a session that does not load", func(s *agents.SessionSpec) { s.NativeID = "s1" }, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			f.fail(f.next("session/load"), -32603, "disk full")
		}, "broken", "resume the session of Fake"},
		{"a mode that is not offered", func(s *agents.SessionSpec) { s.Mode = agents.ModePlan }, func(f *fake) {
			f.answer(f.next("initialize"), `{"protocolVersion":1}`)
			f.answer(f.next("session/new"), `{"sessionId":"s1","modes":{"currentModeId":"write","availableModes":[{"id":"write"}]}}`)
		}, "refused_mode", "does not offer its mode “read”"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := spec()
			if tt.change != nil {
				tt.change(&spec)
			}
			_, _, err := open(t, t.Context(), spec, tt.script)
			refused, ok := errors.AsType[*agents.PlanError](err)
			if !ok || refused.Problem.Code != tt.code || !strings.Contains(refused.Problem.Title, tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestOpenFails meets programs that are no ACP agents.
func TestOpenFails(t *testing.T) {
	t.Run("ends at once", func(t *testing.T) {
		_, _, err := open(t, t.Context(), spec(), func(f *fake) { f.next("initialize") })
		if !errors.Is(err, agents.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("says nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		late := errors.New("too late")
		_, _, err := open(t, ctx, spec(), func(f *fake) {
			f.next("initialize")
			cancel(late)
		})
		if !errors.Is(err, late) {
			t.Errorf("got %v", err)
		}
	})
}

func TestModes(t *testing.T) {
	spec := spec()
	spec.Mode = agents.ModePlan
	agent, host, err := open(t, t.Context(), spec, func(f *fake) {
		f.answer(f.next("initialize"), `{"protocolVersion":1}`)
		f.answer(f.next("session/new"), `{"sessionId":"s1","modes":{"currentModeId":"write","availableModes":[{"id":"write"},{"id":"read"}]}}`)
		m := f.next("session/set_mode")
		if string(m.Params) != `{"modeId":"read","sessionId":"s1"}` {
			t.Errorf("set_mode %s", m.Params)
		}
		f.answer(m, `{}`)
		f.fail(f.next("session/set_mode"), -32603, "not now")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.SetMode(t.Context(), agents.ModeFull); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("a mode that the family does not have: %v", err)
	}
	if err := agent.Steer(t.Context(), agents.Turn{Text: "and this"}); !errors.Is(err, agents.ErrUnsupported) {
		t.Errorf("Steer: %v", err)
	}
	if err := agent.SetMode(t.Context(), agents.ModePlan); err != nil {
		t.Fatal(err)
	}
	host.Until("notice of the refusal", func(all []agents.Event) bool {
		notice, _ := agenttest.Find[agents.Notice](all)
		return notice.Code == "mode_refused" && notice.Level == "error"
	})
}

const elicitSchema = `{"type":"object","required":["name","colours","n"],"properties":{
	"name":{"type":"string","title":"Your name","minLength":1,"format":"email"},
	"level":{"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"],"default":"a"},
	"shade":{"type":"string","oneOf":[{"const":"l","title":"Light"},{"const":"d"}]},
	"colours":{"type":"array","items":{"enum":["red","blue"]}},
	"ok":{"type":"boolean","default":true},
	"n":{"type":"integer","minimum":1,"maximum":9}}}`

func TestElicitation(t *testing.T) {
	const create = `{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"sessionId":"s1","toolCallId":"t","mode":"form","message":"Who?","requestedSchema":` + elicitSchema + `}}`
	for _, tt := range []struct {
		name    string
		outcome agents.Outcome
		want    string
	}{
		{"accepted", agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{
			"name": {"x@y.z"}, "level": {"Beta"}, "colours": {"red", "blue"}, "ok": {"false"}, "n": {"3"}}},
			`{"action":"accept","content":{"colours":["red","blue"],"level":"b","n":3,"name":"x@y.z","ok":false}}`},
		{"declined", agents.Outcome{Reason: "response", Action: "decline"}, `{"action":"decline"}`},
		{"dismissed", agents.Outcome{Reason: "dismissed"}, `{"action":"cancel"}`},
		{"timeout", agents.Outcome{Reason: "timeout", Answers: map[string][]string{"n": {"3"}}}, `{"action":"cancel"}`},
		{"no person", agents.Outcome{Reason: "cancelled", Refused: "nobody"}, `{"action":"decline"}`},
		{"not a number", agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"n": {"three"}}}, `{"action":"cancel"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var answer json.RawMessage
			agent, host := talk(t, func(f *fake, p rpc) {
				f.send(strings.ReplaceAll(create, "\n", ""))
				answer = f.next("").Result
				f.answer(p, `{"stopReason":"end_turn"}`)
			})
			prompt(t, agent)
			asked := host.NextAsk()
			one, nine, length := 1.0, 9.0, 1
			want := agents.Interaction{Kind: agents.AskElicitation, ToolID: "t", Title: "Who?", Fields: []agents.Field{
				{ID: "name", Question: "Your name", Type: "text", Required: true, FreeText: true, Format: "email", MinLength: &length},
				{ID: "level", Question: "level", Type: "choice", Default: []string{"a"}, Options: []agents.Option{{Label: "Alpha", Value: "a"}, {Label: "Beta", Value: "b"}}},
				{ID: "shade", Question: "shade", Type: "choice", Options: []agents.Option{{Label: "Light", Value: "l"}, {Label: "d", Value: "d"}}},
				{ID: "colours", Question: "colours", Type: "choice", Multi: true, Required: true, Options: []agents.Option{{Label: "red", Value: "red"}, {Label: "blue", Value: "blue"}}},
				{ID: "ok", Question: "ok", Type: "boolean", Default: []string{"true"}},
				{ID: "n", Question: "n", Type: "integer", Required: true, Minimum: &one, Maximum: &nine},
			}}
			if diff := cmp.Diff(want, asked.Interaction); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			asked.Answer(tt.outcome)
			host.EndOfTurn(0)
			if string(answer) != tt.want {
				t.Errorf("answered %s, want %s", answer, tt.want)
			}
		})
	}
}

func TestElicitationByLinkAndUnshowable(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.send(`{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://example.org/login","elicitationId":"e1"}}`)
		if m := f.next(""); string(m.Result) != `{"action":"accept"}` {
			t.Errorf("a link that was opened was answered %s", m.Result)
		}
		f.send(`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"properties":{"deep":{"type":"object"}}}}}`)
		if m := f.next(""); !strings.Contains(string(m.Result), `"decline"`) {
			t.Errorf("a form that cannot be shown was answered %+v", m)
		}
		f.send(`{"jsonrpc":"2.0","id":6,"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"javascript:alert(1)","elicitationId":"e2"}}`)
		if m := f.next(""); !strings.Contains(string(m.Result), `"decline"`) {
			t.Errorf("a link that cannot be shown was answered %+v", m)
		}
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	prompt(t, agent)
	asked := host.NextAsk()
	if asked.URL != "https://example.org/login" || asked.Title != "Log in" {
		t.Errorf("asked %+v", asked.Interaction)
	}
	asked.Answer(agents.Outcome{Reason: "response", Action: "accept"})
	host.EndOfTurn(0)
}
