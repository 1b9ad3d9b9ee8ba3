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
	peer    *peer
	host    agents.Host
	decoder *decoder // the reader's
	free    []string // tools of ours that need no permission, as "server/tool"
	failure *turnError

	mu       sync.Mutex // guards the fields below
	thread   string     // "" until the CLI has begun or found it
	mode     agents.Mode
	model    string
	effort   *string
	writable writable // the person's own settings for commands that may write
	turn     *turn    // nil when none is open
	asks     map[string]openAsk
	closed   bool // by Close
	over     bool // the CLI has ended
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
	c.withdrawAll(agents.ErrClosed)
	c.peer.close()
	select {
	case <-c.peer.written:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end the input: %w", context.Cause(ctx))
	}
}

// handle takes one message.
func (c *conversation) handle(m message, line []byte) {
	switch {
	case m.Method == "":
		c.peer.replied(m)
	case len(m.ID) > 0:
		c.requested(m, line)
	default:
		c.notified(m, line)
	}
}

func (c *conversation) notified(m message, line []byte) {
	switch m.Method {
	case "turn/started", "turn/completed":
		var n turnNote
		if json.Unmarshal(m.Params, &n) != nil {
			c.emit(unknown(line))
			return
		}
		switch {
		case n.Thread != c.decoder.thread && m.Method == "turn/completed":
			c.withdrawThread(n.Thread)
			c.emit(c.decoder.kidEnded(n.Thread, n.Turn.Status))
		case n.Thread != c.decoder.thread:
		case m.Method == "turn/started":
			c.turnStarted(n.Turn.ID)
		default:
			c.turnCompleted(n)
		}
	case "error":
		var n errorNote
		if json.Unmarshal(m.Params, &n) != nil {
			c.emit(unknown(line))
			return
		}
		c.fault(n)
	case "serverRequest/resolved":
		var n struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &n) == nil {
			c.withdraw(string(n.ID))
		}
	default:
		c.mu.Lock()
		c.decoder.stopped = c.turn != nil && c.turn.stopped
		c.mu.Unlock()
		c.emit(c.decoder.decode(m.Method, m.Params, line))
	}
}

func (c *conversation) turnStarted(id string) {
	c.mu.Lock()
	own := c.turn == nil
	if own {
		c.turn = newTurn()
	}
	again := c.turn.stopped && c.turn.id == id
	c.knowLocked(id)
	if again {
		_ = c.interruptLocked() // the first may have come before there was anything to stop
	}
	c.mu.Unlock()
	c.failure = nil
	if own {
		c.host.Emit(agents.TurnBegan{Reason: name + " went on by itself after background work."})
	}
}

// turnCompleted ends a turn.
func (c *conversation) turnCompleted(n turnNote) {
	c.mu.Lock()
	if c.turn == nil || c.turn.id != "" && c.turn.id != n.Turn.ID {
		c.mu.Unlock()
		return // it belongs to nothing that anybody saw begin
	}
	stopped := c.turn.stopped
	ended := c.endLocked()
	c.mu.Unlock()

	c.decoder.stopped = stopped || n.Turn.Status == "interrupted"
	if stopped {
		c.withdrawAll(agents.ErrTurnStopped)
	} else {
		c.withdrawAll(agents.ErrTurnEnded)
	}
	c.emit(c.decoder.cut(c.decoder.thread))
	if len(c.decoder.used) > 0 {
		total := c.decoder.sum()
		ended.Usage = &total
	}
	ended.Native = n.Turn.Status
	switch n.Turn.Status {
	case "completed":
		ended.Stop = agents.StopDone
	case "interrupted":
		ended.Stop = agents.StopStopped
	default:
		fault := turnError{Message: "the turn failed"}
		if c.failure != nil {
			fault = *c.failure
		}
		if n.Turn.Error != nil {
			fault = *n.Turn.Error
		}
		p := problem(fault, &c.decoder.limit)
		ended.Stop, ended.Problem = stopOf(p), &p
	}
	c.failure = nil
	c.host.Emit(ended)
}

// endLocked closes the open turn and returns its end, still without a reason. A
// message that is on its way begins another.
func (c *conversation) endLocked() agents.Ended {
	t := c.turn
	if t.id == "" {
		close(t.told)
	}
	c.turn = nil
	unrequested := !t.requested
	if t.pending && t.id != "" { // the CLI was in a turn of its own
		c.turn = newTurn()
		c.turn.requested, c.turn.pending, c.turn.stopped = true, true, t.stopped
		unrequested = true
	}
	return agents.Ended{Unrequested: unrequested}
}

// fault notes an error of the provider. One that the CLI tries to get over is
// told at once, any other explains the end of the turn.
func (c *conversation) fault(n errorNote) {
	if !n.WillRetry {
		if n.Thread == c.decoder.thread {
			c.failure = &n.Error
		}
		return
	}
	p := problem(n.Error, &c.decoder.limit)
	c.host.Emit(agents.Notice{Level: "warning", Code: "api_retry", Text: p.Title + " Trying again.", Advice: agents.Redact(n.Error.Message)})
}

// ended runs when the CLI's output has ended.
func (c *conversation) ended() {
	c.mu.Lock()
	c.over = true
	var end *agents.Ended
	if c.turn != nil {
		stopped := c.turn.stopped || c.closed
		c.turn.pending = false
		e := c.endLocked()
		end = &e
		if stopped {
			end.Stop = agents.StopStopped
		} else {
			end.Stop = agents.StopFailed
			end.Problem = &agents.Problem{Code: "exited", Title: name + " ended in the middle of the turn.", Advice: "Send the message again to start it anew."}
		}
	}
	c.mu.Unlock()
	c.withdrawAll(agents.ErrClosed)
	c.peer.over()
	c.emit(c.decoder.cutAll())
	if end != nil {
		c.host.Emit(*end)
	}
}

func (c *conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}

func closed(while string) error { return fmt.Errorf("%s: %w", while, agents.ErrClosed) }
