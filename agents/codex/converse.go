package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"parley/agents"
)

// conversation is a live conversation. It implements agents.Agent.
type conversation struct {
	peer    peer
	host    agents.Host
	decoder *decoder   // the reader's
	failure *turnError // the reader's: why the turn will end, nil until the CLI told
	free    []string   // tools of ours that need no permission, as "server/tool"
	// served has capacity 1: something has become of a server.
	served chan struct{}
	asks   agents.Requests

	mu       sync.Mutex // guards the fields below
	thread   string     // "" until the CLI has begun or found it
	mode     agents.Mode
	model    string
	effort   *string
	writable writable        // the person's own settings for commands that may write
	turn     *turn           // nil when none is open
	starting map[string]bool // MCP servers that are not up yet, and have not failed
	closed   bool            // by Close
	over     bool            // the CLI has ended
}

// turn is the open turn as Parley sees it.
type turn struct {
	id        string        // the CLI's, "" until it told
	told      chan struct{} // closed once id is known, or the turn is over
	requested bool          // a Prompt has a part in it
	pending   bool          // the request that begins it is not answered yet
	stopped   bool          // a person asked it to stop
}

var _ agents.Agent = (*conversation)(nil)

var errInTurn = errors.New("the agent is still in a turn")

// turnStart begins a turn. What it says of sandbox, approvals and mode holds for
// all that follows.
type turnStart struct {
	Thread string        `json:"threadId"`
	Input  []inputPart   `json:"input"`
	Policy approvals     `json:"approvalPolicy"`
	Box    sandbox       `json:"sandboxPolicy"`
	Mode   collaboration `json:"collaborationMode"`
}

// collaboration is the CLI's plan mode, or its ordinary one.
type collaboration struct {
	Mode     string            `json:"mode"` // plan, default
	Settings collaborationSets `json:"settings"`
}

type collaborationSets struct {
	Model        string  `json:"model"`
	Effort       *string `json:"reasoning_effort"`
	Instructions *string `json:"developer_instructions"` // null is the CLI's own for that mode
}

type turnRequest struct {
	Thread   string      `json:"threadId"`
	Turn     string      `json:"turnId,omitempty"`
	Expected string      `json:"expectedTurnId,omitempty"`
	Input    []inputPart `json:"input,omitempty"`
}

// compactCommand is the one command of the CLI that its app server knows; there
// it is a request of its own.
const compactCommand = "/compact"

// Prompt begins a turn.
func (c *conversation) Prompt(_ context.Context, t agents.Turn) error {
	parts, err := inputParts(t)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over || c.closed:
		return closed("send a message")
	case c.turn == nil:
		c.turn = newTurn()
	case c.turn.requested:
		return errInTurn
	}
	open := c.turn
	open.requested, open.pending = true, true
	// Queued under the mutex, so that no answer to it can come before its entry.
	method, params := "turn/start", any(c.turnStartLocked(parts))
	if t.Text == compactCommand && len(t.Files) == 0 {
		method, params = "thread/compact/start", turnRequest{Thread: c.thread}
	}
	if err := c.peer.request(method, params, c.began); err != nil {
		c.turn = nil
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

func newTurn() *turn { return &turn{told: make(chan struct{})} }

func (c *conversation) turnStartLocked(parts []inputPart) turnStart {
	m := modes[c.mode]
	collab := collaboration{Mode: "default", Settings: collaborationSets{Model: c.model, Effort: c.effort}}
	if m.plan {
		collab.Mode = "plan"
	}
	box := sandbox{Type: m.sandbox}
	if m.sandbox == workspaceWrite {
		box.writableSandbox = writableSandbox(c.writable)
	}
	return turnStart{Thread: c.thread, Input: parts, Policy: m.policy, Box: box, Mode: collab}
}

// began takes the answer to the request that begins a turn.
func (c *conversation) began(result json.RawMessage, err error) {
	var answer turnNote
	if err == nil {
		_ = json.Unmarshal(result, &answer) // a compaction's answer names no turn; its beginning does
	}
	c.mu.Lock()
	if c.turn == nil || !c.turn.pending {
		c.mu.Unlock()
		return
	}
	c.turn.pending = false
	if err == nil {
		c.knowLocked(answer.Turn.ID)
		c.mu.Unlock()
		return
	}
	ended := c.endLocked()
	c.mu.Unlock()
	if errors.Is(err, agents.ErrClosed) {
		return // the end of the CLI's output says the rest
	}
	p := problem(turnError{Message: err.Error()}, &c.decoder.limit)
	ended.Stop, ended.Problem = agents.StopFailed, &p
	c.host.Emit(ended)
}

// knowLocked notes the CLI's id of the open turn, and stops the turn if a person
// wanted that before.
func (c *conversation) knowLocked(id string) {
	t := c.turn
	if id == "" || t.id == id {
		return
	}
	if t.id == "" {
		close(t.told)
	}
	t.id = id
	if t.stopped {
		c.interruptLocked()
	}
}

// Steer puts a message into the running turn: the model reads it once the call
// that it waits for is done. It returns when the CLI has taken it.
func (c *conversation) Steer(ctx context.Context, t agents.Turn) error {
	parts, err := inputParts(t)
	if err != nil {
		return err
	}
	c.mu.Lock()
	open, over := c.turn, c.over || c.closed
	c.mu.Unlock()
	switch {
	case over:
		return closed("send a message")
	case open == nil:
		return errors.New("no turn is under way")
	}
	select {
	case <-open.told:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.mu.Lock()
	request := turnRequest{Thread: c.thread, Expected: open.id, Input: parts}
	c.mu.Unlock()
	if err := c.peer.call(ctx, "turn/steer", request, nil); err != nil {
		return fmt.Errorf("send a message into the turn: %w", err)
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
	if c.turn == nil {
		return nil
	}
	c.turn.stopped = true
	if c.turn.id == "" {
		return nil // once it is known
	}
	return c.interruptLocked()
}

func (c *conversation) interruptLocked() error {
	// The turn's end says what became of it.
	return c.peer.request("turn/interrupt", turnRequest{Thread: c.thread, Turn: c.turn.id}, func(json.RawMessage, error) {})
}

// SetMode changes the permission mode from the next turn on.
func (c *conversation) SetMode(_ context.Context, m agents.Mode) error {
	if _, ok := modes[m]; !ok {
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
	c.asks.WithdrawAll(agents.ErrClosed)
	return c.peer.Close(ctx)
}

func (c *conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
