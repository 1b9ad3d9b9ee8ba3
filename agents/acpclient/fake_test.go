package acpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/agents/agenttest"
	"parley/agents/jsonl"
)

// fake is the agent's side of a connection, driven by the test line by line.
type fake struct {
	t     *testing.T
	lines *jsonl.Reader
	out   *io.PipeWriter
	in    *io.PipeReader
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

func newFake(t *testing.T) (*fake, agents.Conn) {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	t.Cleanup(func() { fromClient.Close(); toClient.Close() })
	return &fake{t, jsonl.NewReader(fromClient), toClient, fromClient}, agents.Conn{In: in, Out: out}
}

// next reads the client's next line, which must be of this method ("" is an
// answer).
func (f *fake) next(method string) rpc {
	line, err := f.lines.Next()
	if err != nil {
		f.t.Errorf("waiting for %q: %v", method, err)
		return rpc{}
	}
	var m rpc
	if err := json.Unmarshal(line.Data, &m); err != nil || m.Method != method {
		f.t.Errorf("the client sent %s, not %q (%v)", line.Data, method, err)
	}
	return m
}

// send writes a line as it is.
func (f *fake) send(line string) {
	if _, err := io.WriteString(f.out, line+"\n"); err != nil {
		f.t.Errorf("the client does not listen: %v", err)
	}
}

func (f *fake) answer(m rpc, result string) {
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (f *fake) fail(m rpc, code int, text string) {
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text))
}

func (f *fake) update(update string) {
	f.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + update + `}}`)
}

func (f *fake) say(text string) {
	raw, _ := json.Marshal(text)
	f.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(raw) + `}}`)
}

// greet answers the opening of a new session.
func (f *fake) greet() {
	f.answer(f.next("initialize"), `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}}}`)
	f.answer(f.next("session/new"), `{"sessionId":"s1"}`)
}

const permissionOptions = `"options":[{"optionId":"y","kind":"allow_once","name":"Yes"},{"optionId":"n","kind":"reject_once","name":"No"}]`

func (f *fake) askPermission(id int, toolCall string) {
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":%s,%s}}`, id, toolCall, permissionOptions))
}

// talk opens a conversation with a fake that has greeted and runs script on the
// first prompt, which it is handed; then the fake waits for the end of its input
// and ends.
func talk(t *testing.T, script func(f *fake, prompt rpc)) (*acpclient.Conversation, *agenttest.Host) {
	t.Helper()
	host := agenttest.NewHost(t)
	return talkFor(t, host, script), host
}

// talkFor is talk for a host of the caller's.
func talkFor(t *testing.T, host *agenttest.Host, script func(f *fake, prompt rpc)) *acpclient.Conversation {
	t.Helper()
	f, conn := newFake(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer f.out.Close()
		f.greet()
		script(f, f.next("session/prompt"))
		for {
			if _, err := f.lines.Next(); err != nil {
				return
			}
		}
	}()
	agent, err := acpclient.Open(t.Context(), conn, spec(), host, acpclient.Config{
		Name: "Fake", Modes: map[agents.Mode]string{agents.ModeAsk: "", agents.ModePlan: "read"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		agent.Close(t.Context())
		f.in.Close()
		<-done
		agenttest.CheckEvents(t, host.Events())
	})
	return agent
}

func spec() agents.SessionSpec { return agents.SessionSpec{Cwd: "/somewhere", Mode: agents.ModeAsk} }

// turn prompts and returns the events of the turn.
func turn(t *testing.T, agent agents.Agent, host *agenttest.Host) []agents.Event {
	t.Helper()
	n := len(host.Events())
	prompt(t, agent)
	return host.EndOfTurn(n)
}

func prompt(t *testing.T, agent agents.Agent) {
	t.Helper()
	if err := agent.Prompt(t.Context(), agents.Turn{ID: "turn", Text: "go"}); err != nil {
		t.Fatal(err)
	}
}

func lastEnded(t *testing.T, events []agents.Event) agents.Ended {
	t.Helper()
	ended, ok := events[len(events)-1].(agents.Ended)
	if !ok {
		t.Fatalf("no end:\n%s", agenttest.Describe(events))
	}
	return ended
}

var contextID = "pctx_" + strings.Repeat("x", 43)
