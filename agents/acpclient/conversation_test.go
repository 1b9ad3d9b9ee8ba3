package acpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/agenttest"
)

// TestOrder floods the client with more updates than any queue would hold, each
// a little slow to handle, then asks and ends the turn: the question must come
// after all of them, and the end last.
func TestOrder(t *testing.T) {
	const flood = 3000
	agent, host := talk(t, func(f *fake, p rpc) {
		for range flood {
			f.say("word ")
		}
		f.askPermission(7, `{"toolCallId":"t1","title":"rm -rf","kind":"execute","rawInput":{"command":"rm -rf x"}}`)
		if m := f.next(""); string(m.Result) != `{"outcome":{"optionId":"y","outcome":"selected"}}` {
			t.Errorf("answered %s", m.Result)
		}
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		f.say("done")
		f.answer(p, `{"stopReason":"end_turn"}`)
		f.say("late")
	})
	prompt(t, agent)
	asked := host.NextAsk()
	if got := len(agenttest.Said(asked.Before)); got != len("word ")*flood {
		t.Errorf("asked when %d bytes had been said, not %d", got, len("word ")*flood)
	}
	want := &agents.Approval{Tool: "rm -rf", Title: "rm -rf", Command: "rm -rf x", Lasting: true, Detail: "rm -rf x",
		Scopes: []string{"allow_once"}, Input: json.RawMessage(`{"command":"rm -rf x"}`)}
	if diff := cmp.Diff(want, asked.Approval); diff != "" {
		t.Errorf("approval (-want +got):\n%s", diff)
	}
	asked.Answer(agents.Outcome{Reason: "response", Action: "allow_once"})
	events := host.EndOfTurn(0)
	if ended := lastEnded(t, events); ended.Stop != agents.StopDone {
		t.Errorf("ended %+v", ended)
	}
	host.Until("the late word", func(all []agents.Event) bool { return strings.HasSuffix(agenttest.Said(all), "donelate") })
}

// TestAnswers gives every end of a permission request and checks what the agent
// hears: only an allowing response allows.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		outcome agents.Outcome
		want    string
	}{
		{"allowed", agents.Outcome{Reason: "response", Action: "allow_once"}, "y"},
		{"denied", agents.Outcome{Reason: "response", Action: "deny", Note: "no"}, "n"},
		{"allowed beyond what was offered", agents.Outcome{Reason: "response", Action: "allow_always"}, "n"},
		{"answered without an action", agents.Outcome{Reason: "response"}, "n"},
		{"dismissed", agents.Outcome{Reason: "dismissed", Action: "allow_once"}, "n"},
		{"timed out", agents.Outcome{Reason: "timeout"}, "n"},
		{"not allowed to ask", agents.Outcome{Reason: "cancelled", Refused: "no person is here"}, "n"},
		{"cancelled", agents.Outcome{Reason: "cancelled"}, "cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := make(chan json.RawMessage, 1)
			agent, host := talk(t, func(f *fake, p rpc) {
				f.askPermission(0, `{"toolCallId":"only an id"}`)
				answer <- f.next("").Result
				f.answer(p, `{"stopReason":"end_turn"}`)
			})
			prompt(t, agent)
			host.NextAsk().Answer(tt.outcome)
			var got struct {
				Outcome struct{ Outcome, OptionID string }
			}
			if err := json.Unmarshal(<-answer, &got); err != nil {
				t.Fatal(err)
			}
			if got.Outcome.OptionID != tt.want && got.Outcome.Outcome != tt.want {
				t.Errorf("the agent heard %+v, want %s", got, tt.want)
			}
			host.EndOfTurn(0)
		})
	}
}

// TestInterruptIsSaidAgain stops a turn whose agent heard of the stop before it
// knew of the prompt: it hears of it once more, and the turn ends.
func TestInterruptIsSaidAgain(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.say("busy")
		f.next("session/cancel") // lost
		f.next("session/cancel")
		f.answer(p, `{"stopReason":"cancelled"}`)
	})
	prompt(t, agent)
	if err := agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended := lastEnded(t, host.EndOfTurn(0)); ended.Stop != agents.StopStopped {
		t.Errorf("ended %+v", ended)
	}
}

// TestInterruptAnswersOpenRequests stops a turn that waits for a person: the
// agent hears "cancelled", for a request that is on its way too, and the
// conversation goes on.
func TestInterruptAnswersOpenRequests(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"bash","kind":"execute"}`)
		f.say("so ")
		f.askPermission(1, `{"toolCallId":"t1"}`)
		f.next("session/cancel")
		if m := f.next(""); !strings.Contains(string(m.Result), `"cancelled"`) {
			t.Errorf("the open request was answered %s", m.Result)
		}
		f.askPermission(2, `{"toolCallId":"t2"}`)
		if m := f.next(""); !strings.Contains(string(m.Result), `"cancelled"`) {
			t.Errorf("the late request was answered %s", m.Result)
		}
		f.fail(p, -32603, "aborted") // as some agents do
		f.answer(f.next("session/prompt"), `{"stopReason":"end_turn"}`)
	})
	prompt(t, agent)
	asked := host.NextAsk()
	if err := agent.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := host.EndOfTurn(0)
	if ended := lastEnded(t, events); ended.Stop != agents.StopStopped || ended.Problem != nil {
		t.Errorf("ended %+v", ended)
	}
	if cause := context.Cause(asked.Ctx); !errors.Is(cause, agents.ErrTurnStopped) {
		t.Errorf("the question was withdrawn because of %v", cause)
	}
	if tool, _ := agenttest.Find[agents.ToolEnded](events); tool.Status != "cancelled" {
		t.Errorf("the tool ended %+v", tool)
	}
	var cut bool
	for _, text := range agenttest.All[agents.Text](events) {
		cut = cut || text.Done && text.Partial && text.Text == "so "
	}
	if !cut {
		t.Errorf("the cut-off message is not marked:\n%s", agenttest.Describe(events))
	}
	if ended := lastEnded(t, turn(t, agent, host)); ended.Stop != agents.StopDone {
		t.Errorf("the next turn ended %+v", ended)
	}
}

// TestSameRequestTwice sends one request twice: the person is asked once, and
// two requests with the same text are still two.
func TestSameRequestTwice(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.askPermission(1, `{"toolCallId":"t1"}`)
		f.askPermission(1, `{"toolCallId":"t1"}`)
		f.askPermission(2, `{"toolCallId":"t1"}`)
		f.next("")
		f.next("")
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	prompt(t, agent)
	first, second := host.NextAsk(), host.NextAsk() // the second comes after both of the first
	first.Answer(agents.Outcome{Reason: "dismissed"})
	second.Answer(agents.Outcome{Reason: "dismissed"})
	host.EndOfTurn(0)
	if n := host.Asks(); n != 2 {
		t.Errorf("the person was asked %d times", n)
	}
}

func TestAgentWithdrawsItsRequest(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.askPermission(5, `{"toolCallId":"t1"}`)
		f.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`)
		if m := f.next(""); m.Error == nil || m.Error.Code != -32800 {
			t.Errorf("answered %+v", m)
		}
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	prompt(t, agent)
	asked := host.NextAsk()
	host.EndOfTurn(0)
	if cause := context.Cause(asked.Ctx); !errors.Is(cause, agents.ErrWithdrawn) {
		t.Errorf("withdrawn because of %v", cause)
	}
}

// TestStrangeLines sends what no protocol knows in the midst of a turn. None of
// it ends the turn; what was not understood is passed on as Unknown.
func TestStrangeLines(t *testing.T) {
	strange := []string{
		`npm warn something`,
		`{"jsonrpc":"2.0"}`,
		`{"id":999,"result":{}}`,
		`{"id":null,"error":{"code":-32700,"message":"parse error"}}`,
		`[{"jsonrpc":"2.0","method":"session/update"}]`,
		`{"jsonrpc":"2.0","method":"no/such/notification"}`,
		`{"jsonrpc":"2.0","method":"session/update","params":null}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"brand_new","title":"x","toolCallId":"t"}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","title":"no id"}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":7,"title":"x"}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":null}}}`,
		strings.Repeat(`[`, 20000),
	}
	agent, host := talk(t, func(f *fake, p rpc) {
		for _, line := range strange {
			f.send(line)
		}
		f.send(`{"jsonrpc":"2.0","method":"_vendor/extension","params":{}}`)
		f.send(`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`)
		if m := f.next(""); m.Error == nil || m.Error.Code != -32601 {
			t.Errorf("a file was asked for and the answer is %+v", m)
		}
		f.update(`{"sessionUpdate":"agent_message_chunk","messageId":null,"content":{"type":"text","text":"问题🤔e\u0301","annotations":null}}`)
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	events := turn(t, agent, host)
	if got := agenttest.Said(events); got != "问题🤔e\u0301" {
		t.Errorf("said %q", got)
	}
	if got := len(agenttest.All[agents.Unknown](events)); got != len(strange) {
		t.Errorf("%d lines are unknown, want %d:\n%s", got, len(strange), agenttest.Describe(events))
	}
	if ended := lastEnded(t, events); ended.Stop != agents.StopDone {
		t.Errorf("ended %+v", ended)
	}
}

// TestLongLine sends an edit in one line of 10.6 MB, which is more than the SDK's
// connection would take.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", 10_600_000)
	agent, host := talk(t, func(f *fake, p rpc) {
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"write","kind":"edit"}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"diff","path":"/p","newText":"` + long + `"}]}`)
		f.say("after")
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	events := turn(t, agent, host)
	change, ok := agenttest.Find[agents.FileChanged](events)
	if !ok || change.Change != "added" || change.Added != -1 || change.Diff != "" {
		t.Errorf("changed %+v", change)
	}
	if got := agenttest.Said(events); got != "after" {
		t.Errorf("said %q", got)
	}
}

func TestToolsAndFiles(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.say("I edit ")
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit a.txt","kind":"edit","status":"pending","rawInput":{"id":12345678901234567890,"ctx":"` + contextID + `"}}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"e","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"one\n"}}]}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"e","content":[{"type":"content","content":{"type":"text","text":"one\ntwo\n"}}]}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"e","status":"completed","content":[{"type":"diff","path":"/d/a.txt","oldText":"a\nb\n- c\n","newText":"a\nB\n- c\nd\n"}]}`)
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"f","title":"Write","kind":"edit","status":"failed","content":[{"type":"diff","path":"/d/b.txt","newText":"x"}],"rawOutput":"disk full"}`)
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"g","title":"mcp__parley-interaction__parley_clarify","kind":"other"}`)
		f.say("done " + contextID)
		f.answer(p, `{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7}}`)
	})
	events := turn(t, agent, host)
	want := []agents.Event{
		agents.Text{MessageID: "turn/1", Text: "I edit "},
		agents.Text{MessageID: "turn/1", Text: "I edit ", Done: true},
		agents.ToolStarted{ID: "e", Name: "Edit a.txt", Kind: "edit", Title: "Edit a.txt", Input: json.RawMessage(`{"id":12345678901234567890,"ctx":"[context id]"}`)},
		agents.ToolProgress{ID: "e", Output: "one\n"},
		agents.ToolProgress{ID: "e", Output: "two\n"},
		agents.FileChanged{Path: "/d/a.txt", Change: "modified", Added: 2, Removed: 1, ToolID: "e",
			Diff: "--- a/d/a.txt\n+++ b/d/a.txt\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n - c\n+d\n"},
		agents.ToolEnded{ID: "e", Status: "ok", Output: "one\ntwo\n"},
		agents.ToolStarted{ID: "f", Name: "Write", Kind: "edit", Title: "Write"},
		agents.ToolEnded{ID: "f", Status: "failed", Output: "disk full"},
		agents.ToolStarted{ID: "g", Name: "mcp__parley-interaction__parley_clarify", Kind: "ask", Title: "mcp__parley-interaction__parley_clarify"},
		agents.Text{MessageID: "turn/2", Text: "done [context id]"},
		agents.Text{MessageID: "turn/2", Text: "done [context id]", Done: true},
		agents.ToolEnded{ID: "g", Status: "cancelled", Output: "The agent did not say how this ended."},
		agents.Ended{Stop: agents.StopDone, Native: "end_turn", Usage: &agents.Usage{Input: new(int64(5)), Output: new(int64(2))}},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestSubAgentsAndPlansAndModes(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		f.say("parent ")
		f.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"child","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"child"}}}}`)
		f.say("speaks")
		f.update(`{"sessionUpdate":"plan","entries":[{"content":"first","status":"completed","priority":"high"},{"content":"second","status":"odd"}]}`)
		f.update(`{"sessionUpdate":"current_mode_update","currentModeId":"yolo"}`)
		f.send(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"child","toolCall":{"toolCallId":"x"},` + permissionOptions + `}}`)
		f.next("")
		f.answer(p, `{"stopReason":"max_turn_requests"}`)
	})
	prompt(t, agent)
	asked := host.NextAsk()
	if asked.Parent != "child" {
		t.Errorf("asked by %q", asked.Parent)
	}
	asked.Answer(agents.Outcome{Reason: "dismissed"})
	events := host.EndOfTurn(0)
	said := map[string]string{}
	for _, text := range agenttest.All[agents.Text](events) {
		if text.Done {
			said[text.Parent] += text.Text
		}
	}
	if diff := cmp.Diff(map[string]string{"": "parent speaks", "child": "child"}, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	plan, _ := agenttest.Find[agents.Plan](events)
	want := agents.Plan{Steps: []agents.PlanStep{{ID: "1", Step: "first", Status: "completed"}, {ID: "2", Step: "second", Status: "pending"}}}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if notice, _ := agenttest.Find[agents.Notice](events); notice.Code != "mode_changed" {
		t.Errorf("notice %+v", notice)
	}
	if ended := lastEnded(t, events); ended.Stop != agents.StopLimit || ended.Problem == nil {
		t.Errorf("ended %+v", ended)
	}
}

// TestAgentEndsInTheMiddle ends the agent while it speaks, runs a tool and asks.
func TestAgentEndsInTheMiddle(t *testing.T) {
	agent, host := talk(t, func(f *fake, _ rpc) {
		f.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"bash"}`)
		f.say("half a sen")
		f.askPermission(1, `{"toolCallId":"t1"}`)
		f.out.Close()
	})
	events := turn(t, agent, host)
	ended := lastEnded(t, events)
	if ended.Stop != agents.StopFailed || ended.Problem == nil || ended.Problem.Code != "exited" {
		t.Errorf("ended %+v", ended)
	}
	if cause := context.Cause(host.NextAsk().Ctx); cause == nil {
		t.Error("the question is still open")
	}
	for name, err := range map[string]error{
		"Prompt":  agent.Prompt(t.Context(), agents.Turn{ID: "2", Text: "hello?"}),
		"SetMode": agent.SetMode(t.Context(), agents.ModePlan),
	} {
		if !errors.Is(err, agents.ErrClosed) {
			t.Errorf("%s on an ended conversation: %v", name, err)
		}
	}
}

// TestAgentThatDoesNotRead blocks the agent's input: whoever wants to stop it
// must not wait for it.
func TestAgentThatDoesNotRead(t *testing.T) {
	f, conn := newFake(t)
	go f.greet()
	agent, err := acpclient.Open(t.Context(), conn, spec(), agenttest.NewHost(t), acpclient.Config{Name: "Deaf"})
	if err != nil {
		t.Fatal(err)
	}
	prompt(t, agent) // written into a pipe that nobody reads any more
	if err := agent.Interrupt(t.Context()); err != nil {
		t.Errorf("Interrupt: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := agent.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	f.out.Close()
}

func TestPromptBlocks(t *testing.T) {
	dir := t.TempDir()
	picture, notes := filepath.Join(dir, "a b.png"), filepath.Join(dir, "notes.txt")
	for _, path := range []string{picture, notes} {
		if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sent := make(chan json.RawMessage, 1)
	agent, host := talk(t, func(f *fake, p rpc) {
		sent <- p.Params
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	block := "<parley_interaction_context>" + contextID + "</parley_interaction_context>"
	err := agent.Prompt(t.Context(), agents.Turn{ID: "1", Text: "look", Context: block, Files: []agents.Attachment{
		{Name: "a b.png", Mime: "image/png", Path: picture}, {Name: "notes.txt", Mime: "text/plain", Path: notes}}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Prompt []map[string]any `json:"prompt"`
	}
	if err := json.Unmarshal(<-sent, &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"type": "text", "text": "look"},
		{"type": "image", "mimeType": "image/png", "data": "ZGF0YQ=="},
		{"type": "resource_link", "name": "notes.txt", "mimeType": "text/plain", "uri": "file://" + notes},
		{"type": "text", "text": block},
	}
	if diff := cmp.Diff(want, got.Prompt); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	host.EndOfTurn(0)
	if err := agent.Prompt(t.Context(), agents.Turn{ID: "2", Files: []agents.Attachment{{Name: "gone", Path: filepath.Join(dir, "gone")}}}); err == nil {
		t.Error("a file that does not exist was sent")
	}
}

// TestEnds gives every end that a turn may have.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		reason string // of the answer, "" for an error
		code   int
		stop   agents.Stop
		says   string // the problem's code
	}{
		{"end_turn", 0, agents.StopDone, ""},
		{"cancelled", 0, agents.StopStopped, ""},
		{"max_tokens", 0, agents.StopLimit, "limit"},
		{"max_turn_requests", 0, agents.StopLimit, "limit"},
		{"refusal", 0, agents.StopRefused, "refused"},
		{"a reason of the future", 0, agents.StopDone, ""},
		{"", -32603, agents.StopFailed, "failed"},
		{"", -32000, agents.StopFailed, "not_logged_in"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			agent, host := talk(t, func(f *fake, p rpc) {
				if tt.reason == "" {
					f.fail(p, tt.code, "no")
				} else {
					f.answer(p, `{"stopReason":"`+tt.reason+`"}`)
				}
			})
			ended := lastEnded(t, turn(t, agent, host))
			code := ""
			if ended.Problem != nil {
				code = ended.Problem.Code
			}
			if ended.Stop != tt.stop || code != tt.says || ended.Native != tt.reason {
				t.Errorf("ended %+v with problem %+v", ended, ended.Problem)
			}
		})
	}
}

func TestContentThatIsNoText(t *testing.T) {
	agent, host := talk(t, func(f *fake, p rpc) {
		for _, block := range []string{
			`{"type":"resource_link","name":"spec","uri":"file:///s"}`,
			`{"type":"resource","resource":{"uri":"file:///r","text":"inside"}}`,
			`{"type":"resource","resource":{"uri":"file:///b","blob":"AA=="}}`,
			`{"type":"image","data":"AA==","mimeType":"image/png"}`,
			`{"type":"hologram"}`,
			`"no block"`,
		} {
			f.update(`{"sessionUpdate":"agent_message_chunk","content":` + block + `}`)
		}
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	if got, want := agenttest.Said(turn(t, agent, host)), "[spec](file:///s)insidefile:///b[image]"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// TestSecondPromptWaits sends a prompt into a running turn, which the owner of
// the conversation must not do.
func TestSecondPromptWaits(t *testing.T) {
	release := make(chan struct{})
	agent, host := talk(t, func(f *fake, p rpc) {
		<-release
		f.answer(p, `{"stopReason":"end_turn"}`)
	})
	prompt(t, agent)
	if err := agent.Prompt(t.Context(), agents.Turn{ID: "2", Text: "and?"}); err == nil {
		t.Error("two turns at once")
	}
	close(release)
	host.EndOfTurn(0)
	if err := agent.Interrupt(t.Context()); err != nil {
		t.Errorf("Interrupt between turns: %v", err)
	}
}
