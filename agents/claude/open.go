package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/agents"
	"parley/agents/jsonl"
	"parley/mcp/inject"
)

// openLimit is how long the CLI may take to get ready. It takes under a second
// on an idle machine.
const openLimit = 60 * time.Second

// Open implements agents.Adapter.
func (adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	c := &conversation{
		peer: newPeer(), host: host, decoder: newDecoder(spec.Cwd),
		free:  inject.ClaudeAllow(managed(spec.Catalog)),
		aside: aside{id: spec.Deferred, begun: make(chan struct{})}, gone: make(chan struct{}),
	}
	if !spec.Fork { // a fork gets its id with the first turn, as a new conversation does
		c.decoder.said.NativeID = spec.NativeID
	}
	c.decoder.mode = modes[spec.Mode]
	o := &opening{c: c}
	go c.peer.Write(conn.In)
	go func() {
		jsonl.NewReader(conn.Out).Each(o.take, o.skipped)
		c.ended()
	}()

	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	err := c.peer.call(ctx, initialize(c.free), o.opened)
	if err == nil {
		return c, nil
	}
	_ = c.Close(ctx) // what matters is why it did not open
	return nil, o.failure(err)
}

// opening listens while the CLI starts: what it says then instead of answering
// explains why it cannot be used.
type opening struct {
	agents.Opening
	c *conversation

	mu   sync.Mutex // guards the field below
	lost string     // the CLI's own words for a conversation that cannot be taken up
}

// opened runs on the reader's goroutine, before any line after the answer.
func (o *opening) opened(result json.RawMessage) {
	o.Opened()
	var answer struct {
		Version string `json:"claude_code_version"`
		Mode    string `json:"current_permission_mode"`
	}
	_ = json.Unmarshal(result, &answer) // older versions say less
	d := o.c.decoder
	if answer.Mode != "" {
		d.mode = answer.Mode
	}
	d.said.Version = answer.Version
	if d.said.NativeID != "" { // a new conversation gets its id with the first turn
		o.c.host.Emit(d.said)
	}
}

// take takes a line.
func (o *opening) take(line jsonl.Line) {
	if line.JSON {
		o.handle(line.Data)
	} else {
		o.other(line.Data)
	}
}

// handle takes an object; before the CLI is up it looks for the reason of a
// failure.
func (o *opening) handle(line []byte) {
	if o.Up() {
		o.c.handle(line)
		return
	}
	var l struct {
		Type   string   `json:"type"`
		Errors []string `json:"errors"`
		Result string   `json:"result"`
		Error  bool     `json:"is_error"`
	}
	if json.Unmarshal(line, &l) == nil && l.Type == "result" && l.Error {
		o.mu.Lock()
		o.lost = cmp.Or(strings.Join(l.Errors, "\n"), l.Result)
		o.mu.Unlock()
		return
	}
	o.c.handle(line)
}

// other takes a line that is no object.
func (o *opening) other(line []byte) {
	o.Hear(line)
	o.c.emit(unknown(line))
}

func (o *opening) skipped(err *jsonl.TooLongError) {
	o.c.host.Emit(agents.LineTooLong(err))
}

// failure explains why the conversation did not open.
func (o *opening) failure(err error) error {
	o.mu.Lock()
	lost := agents.Redact(o.lost)
	o.mu.Unlock()
	heard := o.Heard()
	if reply, ok := errors.AsType[*replyError](err); ok {
		lost = cmp.Or(lost, reply.text)
	}
	if p, known := explain(cmp.Or(lost, heard)); known {
		return &agents.PlanError{Problem: p}
	}
	switch {
	case lost != "":
		return &agents.PlanError{Problem: agents.Problem{Code: "broken",
			Title: name + " did not begin the conversation.", Advice: "Read what it said.", Evidence: agents.LastLines(lost)}}
	case heard != "":
		return agents.Garbage(name, "claude", heard)
	default:
		return fmt.Errorf("greet %s: %w", name, err)
	}
}
