package doctor_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary as an agent: a small loop that speaks ACP on its standard input
// and output, asks a model over Chat Completions and calls the tools of the MCP
// servers that it was handed. Its first argument says what is wrong with it.
const (
	good         = "good"
	deafToStops  = "deaf-to-stops"  // goes on after session/cancel
	endsCalls    = "ends-calls"     // ends a call that waits after two seconds
	blind        = "blind"          // does not show tools of MCP servers to its model
	neverAsks    = "never-asks"     // runs commands without a permission
	neverRuns    = "never-runs"     // refuses commands by itself
	forgets      = "forgets"        // loads a session and knows nothing of it
	neverResumes = "never-resumes"  // says at its start that it takes up no session
	losesAnswers = "loses-answers"  // tells its model something else than the tool's result
	exitsAtOnce  = "exits-at-once"  // with a word on stderr
	diesInTurn   = "dies-in-turn"   // with a word on stderr
	garbage      = "prints-garbage" // and nothing else
	hangs        = "hangs"          // reads and says nothing
	speechless   = "speechless"     // takes a message and says nothing
	wantsLogin   = "wants-login"    // opens no session without one
)

type rpc struct {
	ID     *json.RawMessage `json:"id,omitempty"`
	Method string           `json:"method,omitempty"`
	Params json.RawMessage  `json:"params,omitempty"`
	Result any              `json:"result,omitempty"`
	Error  any              `json:"error,omitempty"`
}

type object = map[string]any

// acpAgent is one such agent.
type acpAgent struct {
	how string

	mu      sync.Mutex // guards writing and the fields below
	cancel  context.CancelFunc
	waiting map[string]chan json.RawMessage
	next    int

	session string
	cwd     string
	said    []object // the conversation, as its model is told
	tools   map[string]*mcp.ClientSession
	offered []object
}

func runAgent(how string) int {
	a := &acpAgent{how: how, waiting: map[string]chan json.RawMessage{}, tools: map[string]*mcp.ClientSession{}}
	switch how {
	case exitsAtOnce:
		fmt.Fprintln(os.Stderr, "cannot find module 'left-pad'")
		return 3
	case garbage:
		fmt.Println("Welcome to the agent!\n> ")
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			for _, t := range a.tools {
				t.Close()
			}
			return 0
		}
		var m rpc
		if how == hangs || how == garbage || json.Unmarshal(line, &m) != nil {
			continue
		}
		a.take(m)
	}
}

func (a *acpAgent) take(m rpc) {
	switch m.Method {
	case "":
		a.mu.Lock()
		ch := a.waiting[string(*m.ID)]
		a.mu.Unlock()
		result, _ := json.Marshal(m.Result)
		ch <- result
	case "session/cancel":
		a.mu.Lock()
		cancel := a.cancel
		a.mu.Unlock()
		if cancel != nil && a.how != deafToStops {
			cancel()
		}
	case "session/prompt":
		if a.how == diesInTurn {
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		}
		ctx, cancel := context.WithCancel(context.Background())
		a.mu.Lock()
		a.cancel = cancel
		a.mu.Unlock()
		go func() {
			defer cancel()
			stop := "end_turn"
			if err := a.prompt(ctx, m.Params); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			if ctx.Err() != nil {
				stop = "cancelled"
			}
			a.write(rpc{ID: m.ID, Result: object{"stopReason": stop}})
		}()
	default:
		if m.ID == nil {
			return
		}
		result, err := a.serve(m)
		if err != nil {
			a.write(rpc{ID: m.ID, Error: object{"code": -32000, "message": err.Error()}})
			return
		}
		a.write(rpc{ID: m.ID, Result: result})
	}
}

func (a *acpAgent) write(m any) {
	data, _ := json.Marshal(m)
	a.mu.Lock()
	defer a.mu.Unlock()
	os.Stdout.Write(bytes.Replace(append(data, '\n'), []byte("{"), []byte(`{"jsonrpc":"2.0",`), 1))
}

// ask sends a request to Parley and waits for its result.
func (a *acpAgent) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	a.mu.Lock()
	a.next++
	id := json.RawMessage(fmt.Sprint(a.next))
	ch := make(chan json.RawMessage, 1)
	a.waiting[string(id)] = ch
	a.mu.Unlock()
	p, _ := json.Marshal(params)
	a.write(rpc{ID: &id, Method: method, Params: p})
	select {
	case r := <-ch:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *acpAgent) update(u object) {
	p, _ := json.Marshal(object{"sessionId": a.session, "update": u})
	a.write(rpc{Method: "session/update", Params: p})
}

func (a *acpAgent) serve(m rpc) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
		Servers   []struct {
			Name, Command string
			Args          []string
			Env           []struct{ Name, Value string }
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return nil, err
	}
	switch m.Method {
	case "initialize":
		return object{"protocolVersion": 1, "agentCapabilities": object{"loadSession": a.how != neverResumes},
			"authMethods": []object{{"id": "key", "name": "Key"}}}, nil
	case "session/new":
		a.session = "s-1"
	case "session/load":
		a.session = p.SessionID
		if a.how != forgets {
			data, err := os.ReadFile(a.file())
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(data, &a.said); err != nil {
				return nil, err
			}
		}
	default:
		return object{}, nil
	}
	if a.how == wantsLogin {
		return nil, errors.New("Authentication required")
	}
	a.cwd = p.Cwd
	for _, s := range p.Servers {
		cmd := exec.Command(s.Command, s.Args...)
		cmd.Env = os.Environ()
		for _, v := range s.Env {
			cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
		}
		c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			return nil, err
		}
		list, err := c.ListTools(context.Background(), nil)
		if err != nil {
			return nil, err
		}
		for _, tool := range list.Tools {
			a.tools[tool.Name] = c
			if a.how != blind {
				a.offer(tool.Name)
			}
		}
	}
	a.offer("shell")
	return object{"sessionId": a.session}, nil
}

func (a *acpAgent) offer(name string) {
	a.offered = append(a.offered, object{"type": "function", "function": object{"name": name, "parameters": object{"type": "object"}}})
}

func (a *acpAgent) file() string { return filepath.Join(os.Getenv("HOME"), a.session+".json") }

func (a *acpAgent) prompt(ctx context.Context, params json.RawMessage) error {
	var p struct{ Prompt []struct{ Text string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	if a.how == speechless {
		<-ctx.Done()
		return nil
	}
	var texts []string
	for _, b := range p.Prompt {
		texts = append(texts, b.Text)
	}
	a.said = append(a.said, object{"role": "user", "content": strings.Join(texts, "\n")})
	for {
		message, err := a.think(ctx)
		if err != nil {
			return err
		}
		a.said = append(a.said, message)
		calls, _ := message["tool_calls"].([]any)
		if len(calls) == 0 {
			a.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": message["content"]}})
			data, err := json.Marshal(a.said)
			if err != nil {
				return err
			}
			return os.WriteFile(a.file(), data, 0o600)
		}
		for _, c := range calls {
			call := c.(object)
			f := call["function"].(object)
			text := a.call(ctx, call["id"].(string), f["name"].(string), f["arguments"].(string))
			a.said = append(a.said, object{"role": "tool", "tool_call_id": call["id"], "content": text})
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// think asks the model.
func (a *acpAgent) think(ctx context.Context) (object, error) {
	body, _ := json.Marshal(object{"model": "m", "messages": a.said, "tools": a.offered})
	req, err := http.NewRequestWithContext(ctx, "POST", os.Getenv("MODEL_URL")+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer struct{ Choices []struct{ Message object } }
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Choices) == 0 {
		return nil, fmt.Errorf("the model said %q: %v", data, err)
	}
	return answer.Choices[0].Message, nil
}

// call calls a tool and returns what the model is told of it.
func (a *acpAgent) call(ctx context.Context, id, name, arguments string) string {
	var input object
	if err := json.Unmarshal([]byte(arguments), &input); err != nil {
		return err.Error()
	}
	a.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": name, "status": "in_progress", "rawInput": input})
	defer a.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"})
	if name == "shell" {
		return a.shell(ctx, id, input)
	}
	if a.how == endsCalls && strings.Contains(arguments, "How long") {
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		ctx = limited
	}
	result, err := a.tools[name].CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: input})
	switch {
	case err != nil:
		return "the call ended: " + err.Error()
	case a.how == losesAnswers:
		return "done"
	}
	var texts []string
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (a *acpAgent) shell(ctx context.Context, id string, input object) string {
	command := input["command"].(string)
	if a.how == neverRuns {
		return "commands are forbidden here"
	}
	if a.how != neverAsks {
		reply, err := a.ask(ctx, "session/request_permission", object{
			"sessionId": a.session, "toolCall": object{"toolCallId": id, "title": command, "kind": "execute", "rawInput": input},
			"options": []object{{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "no", "name": "No", "kind": "reject_once"}},
		})
		if err != nil || !strings.Contains(string(reply), `"yes"`) {
			return "refused"
		}
	}
	words := strings.Fields(command)
	cmd := exec.CommandContext(ctx, words[0], slices.Clone(words[1:])...)
	cmd.Dir = a.cwd
	out, err := cmd.CombinedOutput()
	return fmt.Sprintf("%s %v", out, err)
}
