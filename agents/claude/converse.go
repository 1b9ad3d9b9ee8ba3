package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"parley/agents"
)

// conversation is a live conversation. It implements agents.Agent.
type conversation struct {
	peer    peer
	host    agents.Host
	decoder *decoder // the reader's
	free    []string // tools of ours that need no permission, as the CLI calls them
	aside   aside
	asks    agents.Requests
	gone    chan struct{} // closed when the CLI's output has ended

	mu     sync.Mutex // guards the fields below
	turns  turns
	closed bool // by Close
	over   bool // the CLI has ended
}

var _ agents.Agent = (*conversation)(nil)

// Prompt begins a turn.
func (c *conversation) Prompt(_ context.Context, t agents.Turn) error {
	if t.Deferred && c.aside.id != "" {
		return c.resume(t)
	}
	return c.say(t, (*turns).prompt)
}

// Steer puts a message into the running turn. The CLI takes it up beside the
// next result of a call; when the turn has no more of them, it goes on with the
// message and the turn lasts until that is done.
func (c *conversation) Steer(_ context.Context, t agents.Turn) error {
	return c.say(t, func(s *turns, id string) error {
		if !s.steer(id) {
			return errors.New("no turn is under way")
		}
		return nil
	})
}

// say sends a message that enter has let into a turn.
func (c *conversation) say(t agents.Turn, enter func(*turns, string) error) error {
	content, err := messageContent(t)
	if err != nil {
		return err
	}
	id := uuid.NewString()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.closed {
		return closed("send a message")
	}
	if err := enter(&c.turns, id); err != nil {
		return err
	}
	// Queued under the mutex, so that no answer to it can come before its entry.
	if err := c.peer.Send(userLine{Type: "user", ID: id, Message: userMessage{Role: "user", Content: content}}); err != nil {
		c.turns.unsay(id)
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// Interrupt asks the running turn to stop. Without one it does nothing.
func (c *conversation) Interrupt(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.closed {
		return closed("interrupt")
	}
	if !c.turns.stop() {
		return nil
	}
	return c.peer.request(interruptRequest{Subtype: "interrupt", CancelQueued: true}, func(json.RawMessage, error) {})
}

// SetMode changes the permission mode and waits for the CLI's word. Full access
// cannot be had this way: the CLI must have been started with it.
func (c *conversation) SetMode(ctx context.Context, m agents.Mode) error {
	native, ok := modes[m]
	if !ok || m == agents.ModeFull {
		return agents.ErrUnsupported
	}
	err := c.peer.call(ctx, setModeRequest{Subtype: "set_permission_mode", Mode: native}, func(json.RawMessage) {
		c.decoder.mode = native // what the CLI says of it next is no news
	})
	if err != nil {
		return fmt.Errorf("change the permission mode: %w", err)
	}
	return nil
}

// Close ends the CLI's input. It returns once everything queued is written or
// ctx ends.
func (c *conversation) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.asks.WithdrawAll(agents.ErrClosed)
	return c.peer.Close(ctx)
}

// handle takes one line.
func (c *conversation) handle(line []byte) {
	var h head
	if json.Unmarshal(line, &h) != nil {
		c.emit(unknown(line))
		return
	}
	switch h.Type {
	case "control_request", "control_response", "control_cancel_request":
		c.control(h.Type, line)
		return
	case "command_lifecycle":
		var l lifecycleLine
		if json.Unmarshal(line, &l) == nil {
			c.fate(l)
		}
		return
	case "result":
		var l resultLine
		if json.Unmarshal(line, &l) != nil {
			c.emit(unknown(line))
			return
		}
		c.result(l)
		return
	}
	c.mu.Lock()
	began := working(h, line) && c.turns.activity()
	c.decoder.stopped = c.turns.stopped()
	c.mu.Unlock()
	if began {
		c.host.Emit(agents.TurnBegan{Reason: name + " went on by itself after background work."})
	}
	c.emit(c.decoder.decode(h, line))
}

func (c *conversation) fate(l lifecycleLine) {
	c.mu.Lock()
	ended := c.turns.fate(l.ID, l.State)
	c.mu.Unlock()
	c.end(ended)
}

// result ends one of the CLI's turns, and the turn as Parley sees it unless a
// message of it is still to come.
func (c *conversation) result(l resultLine) {
	result := c.decoder.result(l)
	c.emit(c.decoder.settle(l.Deferred.ID))
	c.mu.Lock()
	ended := c.turns.result(result, l.Origin.Kind == "task-notification")
	c.mu.Unlock()
	if ended == nil && result.Usage != nil {
		c.host.Emit(*result.Usage)
	}
	c.end(ended)
}

func (c *conversation) end(e *agents.Ended) {
	if e != nil {
		c.host.Emit(*e)
	}
}

// ended runs when the CLI's output has ended.
func (c *conversation) ended() {
	c.mu.Lock()
	c.over = true
	turn := c.turns.over(c.closed)
	if c.aside.limit != nil {
		c.aside.limit.Stop()
	}
	c.mu.Unlock()
	close(c.gone)
	c.asks.WithdrawAll(agents.ErrClosed)
	c.peer.Over()
	c.emit(c.decoder.cutAll())
	c.end(turn)
}

func (c *conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}
