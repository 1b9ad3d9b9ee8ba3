package pi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/agents"
	"parley/agents/jsonl"
)

// openLimit is how long the CLI may take to get ready. It takes about a second
// on an idle machine.
const openLimit = 60 * time.Second

// Open implements agents.Adapter.
func (adapter) Open(ctx context.Context, conn agents.Conn, spec agents.SessionSpec, host agents.Host) (agents.Agent, error) {
	c := &conversation{
		peer: jsonl.NewPeer("parley-"), host: host, decoder: newDecoder(spec.Cwd), gate: newGate(spec),
		mode: cmp.Or(spec.Mode, agents.ModeAsk),
	}
	o := &opening{c: c}
	go c.peer.Write(conn.In)
	go func() {
		jsonl.NewReader(conn.Out).Each(o.take, o.skipped)
		c.ended()
	}()

	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	var s state
	err := c.call(ctx, command{Type: "get_state"}, func(raw json.RawMessage) error { return json.Unmarshal(raw, &s) })
	if err == nil && s.Model == nil {
		err = &agents.PlanError{Problem: notLoggedIn("")}
	}
	if err == nil {
		o.Opened()
		c.opened(s, spec.NativeID)
		return c, nil
	}
	_ = c.Close(ctx) // what matters is why it did not open
	return nil, o.failure(err)
}

// opened notes what the CLI said of itself. The id of a new conversation is told
// once there is something of it to come back to: the CLI writes it down with the
// model's first answer.
func (c *conversation) opened(s state, resumed string) {
	c.mu.Lock()
	c.started = agents.Started{NativeID: s.Session, Model: s.Model.Provider + "/" + s.Model.ID}
	c.mu.Unlock()
	if resumed != "" {
		c.tellID()
	}
}

// tellID tells the conversation's id, once.
func (c *conversation) tellID() {
	c.mu.Lock()
	told, started := c.told, c.started
	c.told = true
	c.mu.Unlock()
	if !told {
		c.host.Emit(started)
	}
}

// opening listens while the CLI starts: what it prints then that is not its
// protocol explains why it cannot be used.
type opening struct {
	agents.Opening
	c *conversation
}

// take takes a line.
func (o *opening) take(line jsonl.Line) {
	var h head
	if line.JSON && json.Unmarshal(line.Data, &h) == nil && h.Type != "" {
		o.c.handle(h, line.Data)
		return
	}
	o.Hear(line.Data)
	o.c.emit(unknown(line.Data))
}

func (o *opening) skipped(err *jsonl.TooLongError) {
	o.c.host.Emit(agents.LineTooLong(err))
}

// failure explains why the conversation did not open.
func (o *opening) failure(err error) error {
	if refused, ok := errors.AsType[*agents.PlanError](err); ok {
		return refused
	}
	if heard := o.Heard(); heard != "" {
		return agents.Garbage(name, "pi", heard)
	}
	return fmt.Errorf("greet %s: %w", name, err)
}
