package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/agents"
	"parley/agents/jsonl"
)

// conversation is a live conversation. It implements agents.Agent.
type conversation struct {
	peer    *jsonl.Peer
	host    agents.Host
	decoder *decoder // the reader's
	gate    gate
	asks    agents.Requests // the dialogs that are open

	mu      sync.Mutex // guards the fields below
	started agents.Started
	told    bool // started was emitted
	mode    agents.Mode
	turn    *turn // nil when none is open
	older   bool  // a generation that does not tell when a run is settled
	closed  bool  // by Close
	over    bool  // the CLI has ended
}

// turn is the open turn as Parley sees it.
type turn struct {
	requested bool // a Prompt has a part in it
	pending   bool // the command that begins it is not answered yet
	own       bool // the CLI began it by itself
	stopped   bool // a person asked it to stop
	aborted   bool // the CLI says that it was
	ending    bool // its run is over; only the sums are awaited
}

var _ agents.Agent = (*conversation)(nil)

var errInTurn = errors.New("the agent is still in a turn")

// compactCommand is the one command of the CLI's terminal that is a command of
// its protocol; extensions, prompts and skills are called by a prompt.
const compactCommand = "/compact"

// Prompt begins a turn.
func (c *conversation) Prompt(_ context.Context, t agents.Turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, pictures, err := input(t, c.mode)
	switch {
	case err != nil:
		return err
	case c.over || c.closed:
		return closed("send a message")
	case c.turn == nil:
		c.turn = &turn{}
	case c.turn.requested:
		return errInTurn
	}
	open := c.turn
	open.requested, open.pending = true, true
	// During a run of its own the CLI puts the message behind what it does.
	send, onReply := command{Type: "prompt", Message: text, Images: pictures, Behavior: "followUp"}, c.began
	if words, ok := strings.CutPrefix(t.Text, compactCommand); ok && (words == "" || words[0] == ' ') && len(t.Files) == 0 {
		send, onReply = command{Type: "compact", Words: strings.TrimSpace(words)}, c.compacted
	}
	if err := c.request(send, onReply); err != nil {
		c.turn = nil
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// request sends a command; onReply gets its data.
func (c *conversation) request(send command, onReply jsonl.Reply) error {
	return c.peer.Request(func(id string) any { send.ID = id; return send }, onReply)
}

// call is request and waits for the answer.
func (c *conversation) call(ctx context.Context, send command, accepted func(json.RawMessage) error) error {
	return c.peer.Call(ctx, func(id string) any { send.ID = id; return send }, accepted)
}

// Steer puts a message into the running turn: the model reads it once the calls
// that it waits for are done. It returns when the CLI has taken it.
func (c *conversation) Steer(ctx context.Context, t agents.Turn) error {
	c.mu.Lock()
	text, pictures, err := input(t, c.mode)
	open, over := c.turn, c.over || c.closed
	c.mu.Unlock()
	switch {
	case err != nil:
		return err
	case over:
		return closed("send a message")
	case open == nil:
		return errors.New("no turn is under way")
	}
	if err := c.call(ctx, command{Type: "steer", Message: text, Images: pictures}, nil); err != nil {
		return fmt.Errorf("send a message into the turn: %w", err)
	}
	return nil
}

// Interrupt asks the running turn to stop. Without one it does nothing.
func (c *conversation) Interrupt(context.Context) error {
	c.mu.Lock()
	over, open := c.over || c.closed, c.turn
	if open != nil {
		open.stopped = true
	}
	c.mu.Unlock()
	switch {
	case over:
		return closed("interrupt")
	case open == nil:
		return nil
	}
	// The CLI would wait for an open dialog for ever, and go on with messages that
	// it has not begun with.
	c.withdrawAll(agents.ErrTurnStopped)
	return c.abort()
}

func (c *conversation) abort() error {
	for _, what := range []string{"clear_queue", "abort"} {
		// The turn's end says what became of it.
		if err := c.request(command{Type: what}, func(json.RawMessage, error) {}); err != nil {
			return err
		}
	}
	return nil
}

// SetMode changes the permission mode from the next call of a tool on.
func (c *conversation) SetMode(_ context.Context, m agents.Mode) error {
	if !slices.Contains(modes, m) {
		return agents.ErrUnsupported
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.closed {
		return closed("change the permission mode")
	}
	c.mode = m
	return nil
}

// Close ends the CLI's input. It returns once everything queued is written or
// ctx ends.
func (c *conversation) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.withdrawAll(agents.ErrClosed)
	return c.peer.Close(ctx)
}

func (c *conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
