package grok_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/grok"
	"parley/agents/jsonl"
	"parley/mcp"
)

// cli is Grok's side of a conversation, driven by the test.
type cli struct {
	t     *testing.T
	lines *jsonl.Reader
	out   io.Writer
}

// heard is a line of Parley's.
type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func (c *cli) next() (heard, bool) {
	line, err := c.lines.Next()
	if err != nil {
		return heard{}, false
	}
	var h heard
	if err := json.Unmarshal(line.Data, &h); err != nil {
		c.t.Errorf("heard %s", line.Data)
	}
	return h, true
}

func (c *cli) say(line string) {
	if _, err := io.WriteString(c.out, line+"\n"); err != nil {
		c.t.Error(err)
	}
}

func (c *cli) answer(h heard, result string) {
	c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, h.ID, result))
}

// talk opens a conversation in which the CLI makes one request during the turn
// and, when that is answered, ends it. It returns what opened the session, the
// answer, and the events.
func talk(t *testing.T, request string, person func(*agenttest.Host)) (opening, answer string, events []agents.Event) {
	t.Helper()
	fromParley, in := io.Pipe()
	out, toParley := io.Pipe()
	c := &cli{t, jsonl.NewReader(fromParley), toParley}
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer toParley.Close()
		var prompt heard
		for {
			h, ok := c.next()
			switch {
			case !ok:
				return
			case h.Method == "initialize":
				c.answer(h, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			case h.Method == "session/new":
				opening = string(h.Params)
				c.answer(h, `{"sessionId":"s1"}`)
			case h.Method == "session/set_mode":
				c.answer(h, `{}`)
				c.say(`{"jsonrpc":"2.0","method":"_x.ai/mcp_initialized","params":{"sessionId":"s1","mcpToolCount":3}}`)
			case h.Method == "session/prompt":
				prompt = h
				c.say(request)
			case h.Method == "":
				answer = string(h.Result)
				c.answer(prompt, `{"stopReason":"end_turn","_meta":{"inputTokens":7,"usage":{"inputTokens":20,"outputTokens":4,"cachedReadTokens":1}}}`)
			}
		}
	}()
	host := agenttest.NewHost(t)
	spec := agents.SessionSpec{Cwd: "/w", Mode: agents.ModeAsk, Catalog: mcp.Catalog{mcp.Interaction("/bin/parley-mcp", "/run/c.json", true, false, mcp.DefaultLimits())}}
	ctx, cancel := context.WithTimeout(t.Context(), agenttest.Limit)
	defer cancel()
	agent, err := grok.New("test").Open(ctx, agents.Conn{In: in, Out: out}, spec, host)
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Prompt(ctx, agents.Turn{ID: "turn", Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if person != nil {
		person(host)
	}
	events = host.EndOfTurn(0)
	_ = agent.Close(ctx)
	fromParley.Close()
	<-over
	return opening, answer, events
}

func says(o agents.Outcome) func(*agenttest.Host) {
	return func(h *agenttest.Host) { h.NextAsk().Answer(o) }
}

const (
	elicit   = `{"jsonrpc":"2.0","id":0,"method":"_x.ai/mcp/elicit","params":{"sessionId":"s1","toolCallId":"e","serverName":"own","message":"Which shirt?","mode":"form","requestedSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}}`
	ask      = `{"jsonrpc":"2.0","id":0,"method":"_x.ai/ask_user_question","params":{"sessionId":"s1","toolCallId":"q","questions":[{"question":"Which db?","options":[{"label":"PG","description":"d"},{"label":"SQ (Recommended)","description":"d"}],"multiSelect":null}],"mode":"default"}}`
	exitPlan = `{"jsonrpc":"2.0","id":0,"method":"_x.ai/exit_plan_mode","params":{"sessionId":"s1","toolCallId":"p","planContent":"# First"}}`
	options  = `"options":[{"optionId":"a","kind":"allow_always"},{"optionId":"o","kind":"allow_once"},{"optionId":"r","kind":"reject_once"}]`
	command  = `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","kind":"execute","title":"parley-interaction__parley_clarify","rawInput":{"variant":"Bash","command":"rm x","tool_name":"parley-interaction__parley_clarify"},"_meta":{"x.ai/tool":{"name":"run_terminal_command"}}},` + options + `}}`
	ours     = `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"parley-interaction__parley_clarify","rawInput":{"variant":"UseTool","tool_name":"parley-interaction__parley_clarify","tool_input":{}},"_meta":{"x.ai/tool":{"name":"use_tool"}}},` + options + `}}`
	theirs   = `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"own__parley_clarify","rawInput":{"variant":"UseTool","tool_name":"own__parley_clarify","tool_input":{}},"_meta":{"x.ai/tool":{"name":"use_tool"}}},` + options + `}}`
)

// What the CLI asks over its own methods reaches the person, and each end of a
// question reaches the CLI in its own shape.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		name, request string
		outcome       *agents.Outcome // nil: nobody may be asked
		want          string          // in the answer
		not           string
	}{
		{"form", elicit, &agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"1": {}, "size": {"4"}}}, `{"outcome":"accept","content":{"size":4}}`, ""},
		{"form declined", elicit, &agents.Outcome{Reason: "response", Action: "decline"}, `{"outcome":"decline"}`, ""},
		{"form closed", elicit, &agents.Outcome{Reason: "dismissed"}, `{"outcome":"cancel"}`, ""},
		{"form that lacks what it must have", elicit, &agents.Outcome{Reason: "response", Action: "accept", Answers: map[string][]string{"size": {"big"}}}, `{"outcome":"cancel"}`, ""},
		{"form that no card can hold", strings.Replace(elicit, `"type":"integer"`, `"type":"object"`, 1), nil, `{"outcome":"decline"}`, ""},
		{"link", strings.Replace(strings.Replace(elicit, `"form"`, `"url"`, 1), `"message"`, `"url":"https://x.test/y","message"`, 1), &agents.Outcome{Reason: "response", Action: "accept"}, `{"outcome":"accept"}`, ""},
		{"answered", ask, &agents.Outcome{Reason: "response", Answers: map[string][]string{"1": {"SQ", "in a file"}}}, `{"outcome":"accepted","answers":{"Which db?":["SQ (Recommended)","in a file"]}}`, ""},
		{"closed", ask, &agents.Outcome{Reason: "dismissed"}, "without answering", "PG"},
		{"blank", ask, &agents.Outcome{Reason: "response", Answers: map[string][]string{"1": {" "}}}, "without answering", "PG"},
		{"late", ask, &agents.Outcome{Reason: "timeout"}, "in time", "PG"},
		{"may not ask", ask, &agents.Outcome{Reason: "cancelled", Refused: "Nobody is there."}, "Nobody is there.", "PG"},
		{"plan approved", exitPlan, &agents.Outcome{Reason: "response", Action: "allow_once"}, `{"outcome":"approved"}`, ""},
		{"plan denied", exitPlan, &agents.Outcome{Reason: "response", Action: "deny", Note: "too big"}, `{"outcome":"cancelled","feedback":"too big"}`, ""},
		{"plan unseen", exitPlan, &agents.Outcome{Reason: "timeout"}, `{"outcome":"cancelled"}`, ""},
		{"command denied", command, &agents.Outcome{Reason: "response", Action: "deny", Note: "it is precious"}, `"optionId":"r"`, "is no approval"},
		{"command denied with the reason", command, &agents.Outcome{Reason: "response", Action: "deny", Note: "it is precious"}, "it is precious", ""},
		{"command that nobody saw", command, &agents.Outcome{Reason: "timeout"}, "is no approval", `"o"`},
		{"command allowed", command, &agents.Outcome{Reason: "response", Action: "allow_once"}, `{"outcome":{"optionId":"o","outcome":"selected"}}`, "followup"},
		{"our tool", ours, nil, `"optionId":"o"`, "followup"},
		{"another server's tool", theirs, &agents.Outcome{Reason: "dismissed"}, `"optionId":"r"`, ""},
		{"sub-agent", `{"jsonrpc":"2.0","id":0,"method":"_x.ai/hooks/run","params":{"hookCallbackId":"parley","toolName":"parley-interaction__parley_clarify","subagentType":"explore"}}`, nil, `{"decision":"deny","reason":"A sub-agent may not`, ""},
		{"the agent itself", `{"jsonrpc":"2.0","id":0,"method":"_x.ai/hooks/run","params":{"hookCallbackId":"parley","toolName":"parley-interaction__parley_clarify"}}`, nil, `{}`, "deny"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var person func(*agenttest.Host)
			if c.outcome != nil {
				person = says(*c.outcome)
			}
			_, answer, events := talk(t, c.request, person)
			if !strings.Contains(answer, c.want) || c.not != "" && strings.Contains(answer, c.not) {
				t.Errorf("answered %s", answer)
			}
			end := events[len(events)-1].(agents.Ended)
			if u := end.Usage; end.Stop != agents.StopDone || u == nil || *u.Input != 20 || *u.Output != 4 || *u.Cached != 1 {
				t.Errorf("ended %+v", end)
			}
		})
	}
}

// The session opens with the time limits of its servers, and with the hook that
// keeps our tools from sub-agents.
func TestOpening(t *testing.T) {
	opening, _, _ := talk(t, exitPlan, says(agents.Outcome{Reason: "dismissed"}))
	for _, want := range []string{`"mcpConfig":{"parley-interaction":{"toolTimeoutMs":3660000}}`, `"PreToolUse":[{"hookCallbackIds":["parley"],"matcher":"^parley-interaction__"}]`} {
		if !strings.Contains(opening, want) {
			t.Errorf("opened with %s, without %s", opening, want)
		}
	}
}

func TestPlan(t *testing.T) {
	in := agents.Install{Path: "/n/grok"}
	for mode, want := range map[agents.Mode][]string{
		agents.ModePlan:  {"/n/grok", "--no-auto-update", "agent", "--no-leader", "stdio"},
		agents.ModeAsk:   {"/n/grok", "--no-auto-update", "agent", "--no-leader", "stdio"},
		agents.ModeEdits: {"/n/grok", "--no-auto-update", "--permission-mode", "acceptEdits", "agent", "--no-leader", "stdio"},
		agents.ModeFull:  {"/n/grok", "--no-auto-update", "agent", "--no-leader", "--always-approve", "stdio"},
	} {
		launch, err := grok.New("test").Plan(in, agents.SessionSpec{Cwd: "/w", Mode: mode})
		if diff := cmp.Diff(want, launch.Argv); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", mode, err, diff)
		}
	}
}

// Looking leaves no traces where the CLI was never started, and asks nothing but
// its version there.
func TestInspect(t *testing.T) {
	home := t.TempDir()
	var ran []string
	list := "You are not authenticated.\n\nDefault model: grok-4.6\n\nAvailable models:\n  * grok-4.6 (default)\n  - grok-4.5\n"
	run := func(_ context.Context, argv, env []string) ([]byte, []byte, int, error) {
		ran = append(ran, argv[len(argv)-1])
		if argv[len(argv)-1] == "--version" {
			if env[len(env)-1] != "GROK_HOME="+os.DevNull {
				t.Error("asking for the version would fill the CLI's folder")
			}
			return []byte("grok 1.0.41 (4220f3b224a6)\n"), nil, 0, nil
		}
		return []byte(list), nil, 0, nil
	}
	look := func() agents.Install {
		return grok.New("test").Inspect(t.Context(), run, "/bin/grok", []string{"HOME=" + home})
	}
	if in := look(); in.Version != "1.0.41" || in.Login != agents.LoginUnknown || len(ran) != 1 {
		t.Errorf("found %+v by %v", in, ran)
	}
	if err := os.Mkdir(filepath.Join(home, ".grok"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".grok", "agent_id"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if in := look(); in.Login != agents.LoginNo || len(in.Models) != 2 || in.Models[1].ID != "grok-4.5" {
		t.Errorf("found %+v", in)
	}
	list = "Model 'fake' is using its own API key.\n\nAvailable models:\n  * fake (default)\n"
	if in := look(); in.Login != agents.LoginYes || len(in.Models) != 1 {
		t.Errorf("found %+v", in)
	}
}
