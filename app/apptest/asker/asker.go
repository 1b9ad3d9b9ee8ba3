// Package asker asks through the real parley-mcp in the place of an agent. The
// demo agent runs and is silent; a test uses the context id and the server that
// it was given, so that the test knows to the microsecond when a tool is called.
// It must not hold what looks at the question: that is what tests differ in. An
// Asker belongs to the goroutine of the test it was made with.
package asker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/mcp"
)

// Programs is a folder of Parley's programs in which the demo agent's input is
// copied to a file, and its output can be added to.
type Programs struct {
	Dir string

	given string   // what the agent has read
	says  *os.File // a pipe into its output
}

// Listen makes such a folder of the programs in from, for one agent.
func Listen(tb testing.TB, from string) *Programs {
	tb.Helper()
	p := &Programs{Dir: tb.TempDir()}
	p.given = filepath.Join(p.Dir, "given")
	pipe := filepath.Join(p.Dir, "says")
	if err := mkfifo(pipe); err != nil {
		tb.Fatal(err)
	}
	says, err := os.OpenFile(pipe, os.O_RDWR, 0) // waits for nobody at the other end
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { says.Close() })
	p.says = says
	for _, name := range []string{"parley-mcp", "parley-run"} {
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(p.Dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	parley := filepath.Join(from, "parley")
	script := fmt.Sprintf("#!/bin/sh\n[ \"$3\" = --version ] && exec '%[1]s' \"$@\"\ncat '%[2]s' &\ntee '%[3]s' | '%[1]s' \"$@\"\nkill $!\n",
		parley, pipe, p.given)
	if err := os.WriteFile(filepath.Join(p.Dir, "parley"), []byte(script), 0o700); err != nil {
		tb.Fatal(err)
	}
	return p
}

// Asker asks in one turn, which goes on for as long as it likes.
type Asker struct {
	Session app.SessionID

	tb      testing.TB
	in      io.Writer
	out     *bufio.Reader
	context string
	meta    string // names the tool call as Claude Code does, or says nothing
	calls   int
}

// Start begins a session and takes its agent's place. The back end must have been
// opened on the programs. An agent that is announced has told of its tool call in
// its stream before it makes it, as agents do; else each question is held for a
// moment, since what the agent said before belongs on its card.
func Start(tb testing.TB, c *api.Client, p *Programs, announced bool) *Asker {
	tb.Helper()
	s, err := c.CreateSession(tb.Context(), api.NewSession{Agent: "demo", Prompt: "quiet", Fast: true, Title: "One who asks"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = c.Close(context.Background(), s.ID) }) // also when the test failed before
	a := &Asker{Session: s.ID, tb: tb, meta: "{}"}
	given := p.heard(tb)
	a.context = given.context
	if announced {
		const call = "one-who-asks"
		_, err := fmt.Fprintf(p.says, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call","toolCallId":%q,"title":"Ask","kind":"other","status":"in_progress"}}}`+"\n",
			given.session, call)
		if err != nil {
			tb.Fatal(err)
		}
		a.meta = fmt.Sprintf(`{"claudecode/toolUseId":%q}`, call)
	}
	a.connect(given.server)
	return a
}

// given is what an agent is told.
type given struct {
	session, context string
	server           server
}

type server struct {
	Command string
	Args    []string
	Env     []struct{ Name, Value string }
}

var contextID = regexp.MustCompile(`pctx_[A-Za-z0-9_-]{43}`)

// heard waits until the agent has its prompt.
func (p *Programs) heard(tb testing.TB) (g given) {
	tb.Helper()
	for end := time.Now().Add(apptest.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(p.given)
		if err != nil && !os.IsNotExist(err) {
			tb.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var m struct {
				Params struct {
					SessionID  string `json:"sessionId"`
					McpServers []server
				}
			}
			if json.Unmarshal([]byte(line), &m) != nil {
				continue // it is still being written
			}
			if len(m.Params.McpServers) == 1 {
				g.server = m.Params.McpServers[0]
			}
			if m.Params.SessionID != "" {
				g.session = m.Params.SessionID
			}
		}
		if g.context = contextID.FindString(string(text)); g.context != "" && g.session != "" {
			return g
		}
	}
	tb.Fatal("the agent was given no prompt")
	return g
}

// connect starts a parley-mcp of its own with what the agent was given.
func (a *Asker) connect(s server) {
	a.tb.Helper()
	cmd := exec.Command(s.Command, s.Args...)
	for _, v := range s.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		a.tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		a.tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		a.tb.Fatal(err)
	}
	a.tb.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			a.tb.Error(err)
		}
	})
	a.in, a.out = in, bufio.NewReader(out)
	a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"asker","version":"1"}}}`)
	a.Result()
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	a.send(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`)
	a.Result()
}

func (a *Asker) send(line string) {
	a.tb.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.tb.Fatal(err)
	}
}

// Ask calls the asking tool and returns when it did. Its answer is to be read
// with Result before the next call.
func (a *Asker) Ask(question string, choices ...string) time.Time {
	a.tb.Helper()
	a.calls++
	arguments, err := json.Marshal(map[string]any{"context_id": a.context, "question": question, "choices": choices})
	if err != nil {
		a.tb.Fatal(err)
	}
	called := time.Now()
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","_meta":%s,"arguments":%s}}`,
		a.calls, mcp.ToolClarify, a.meta, arguments))
	return called
}

// Result waits for the result of the last call and returns its line.
func (a *Asker) Result() string {
	a.tb.Helper()
	for {
		line, err := a.out.ReadString('\n')
		if err != nil || strings.Contains(line, `"isError":true`) || strings.Contains(line, `"error":`) {
			a.tb.Fatalf("answer %q, %v", line, err)
		}
		if strings.Contains(line, `"result":`) {
			return line
		}
	}
}

// Plan makes a plan of one step. Its result is to be read with Result; it comes
// before that of a question which waits.
func (a *Asker) Plan(step string) {
	a.tb.Helper()
	a.calls++
	arguments, err := json.Marshal(map[string]any{"context_id": a.context, "plan": []any{map[string]any{"id": "1", "step": step, "status": "in_progress"}}})
	if err != nil {
		a.tb.Fatal(err)
	}
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}`, a.calls, mcp.ToolUpdatePlan, arguments))
}
