package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
)

// Conversation is a live conversation with one agent. It implements
// agents.Agent.
type Conversation struct {
	peer  peer
	in    io.Closer
	host  agents.Host
	name  string
	login string                 // a command that logs in, or ""
	modes map[agents.Mode]string // the agent's own ids

	extension Extension
	ready     chan struct{} // closed at Extension.Ready, by the reader; nil without one

	images bool // set while opening, then constant

	decoder *decoder // the reader's
	asks    agents.Requests

	mu        sync.Mutex // guards the fields below
	session   string     // the agent's own id, "" until it told
	replaying bool       // what comes now was said before; it is no event
	turn      *turn      // nil between turns
	closed    bool
	mode      chan struct{} // closed when the last change of mode was answered, nil before the first
}

// modeLimit bounds the wait of a prompt for the answer to a change of mode.
const modeLimit = 15 * time.Second

// turn is the running turn.
type turn struct {
	id      string
	stopped bool          // a person asked it to stop
	over    chan struct{} // closed when it has ended
}

// An interrupt is said again while its turn goes on: an agent that handles each
// message on a thread of its own may hear of the stop before the prompt, and
// then knows of nothing to stop. Measured with agents on the ACP Go SDK.
const (
	insistEvery = 1500 * time.Millisecond
	insistTimes = 3
)

var _ agents.Agent = (*Conversation)(nil)

// Prompt begins a turn, once the agent has answered a change of mode before it:
// an agent that handles each message on a thread of its own might begin in the
// mode that the person has just left. Measured with agents on the ACP Go SDK.
func (c *Conversation) Prompt(ctx context.Context, t agents.Turn) error {
	blocks, err := promptBlocks(t, c.images)
	if err != nil {
		return err
	}
	if err := c.modeAnswered(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	if c.turn != nil {
		c.mu.Unlock()
		return errors.New("the agent is still in a turn")
	}
	running := &turn{id: t.ID, over: make(chan struct{})}
	c.turn = running
	session := c.session
	c.mu.Unlock()

	err = c.peer.request(acp.AgentMethodSessionPrompt,
		acp.PromptRequest{SessionId: acp.SessionId(session), Prompt: blocks},
		func(result json.RawMessage, err error) { c.turnEnded(running, result, err) })
	if err != nil {
		c.leave(running)
	}
	return err
}

func (c *Conversation) modeAnswered(ctx context.Context) error {
	c.mu.Lock()
	answered := c.mode
	c.mu.Unlock()
	if answered == nil {
		return nil
	}
	limit := time.NewTimer(modeLimit)
	defer limit.Stop()
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limit.C:
		return fmt.Errorf("the agent has not answered a change of its permission mode for %v", modeLimit)
	}
}

// leave says that a turn is over; who says so first is heard.
func (c *Conversation) leave(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == t {
		c.turn = nil
		close(t.over)
	}
}

// turnEnded runs on the reader's goroutine, after all that came before the
// answer.
func (c *Conversation) turnEnded(t *turn, result json.RawMessage, err error) {
	c.enterTurn() // a turn without any update has not been entered yet
	c.mu.Lock()
	stopped, closed := t.stopped, c.closed
	c.mu.Unlock()

	ended := c.endOf(result, err, stopped || closed)
	if err == nil {
		c.decoder.addUsage(c.used(result))
	}
	if usage := c.decoder.usage; usage != (agents.Usage{}) {
		ended.Usage = &usage
	}
	events := c.decoder.finish(ended.Stop == agents.StopStopped || ended.Stop == agents.StopFailed)

	cause := agents.ErrTurnEnded
	if stopped {
		cause = agents.ErrTurnStopped
	}
	c.asks.WithdrawAll(cause)
	c.leave(t)
	c.emit(events)
	c.host.Emit(ended)
}

// used is what the answer that ends a turn says it used, nil when it says
// nothing.
func (c *Conversation) used(result json.RawMessage) *TurnUsage {
	if c.extension.Usage != nil {
		return c.extension.Usage(result)
	}
	var answer struct {
		Usage *TurnUsage `json:"usage"`
	}
	if json.Unmarshal(result, &answer) != nil {
		return nil
	}
	return answer.Usage
}

// Steer is not in the protocol.
func (c *Conversation) Steer(context.Context, agents.Turn) error { return agents.ErrUnsupported }

// Interrupt asks the running turn to stop. Requests that wait for a person are
// answered as cancelled, as the protocol wants.
func (c *Conversation) Interrupt(context.Context) error {
	c.mu.Lock()
	t, session := c.turn, c.session
	if t != nil {
		t.stopped = true
	}
	c.mu.Unlock()
	if t == nil {
		return nil
	}
	err := c.peer.notify(acp.AgentMethodSessionCancel, acp.CancelNotification{SessionId: acp.SessionId(session)})
	c.asks.WithdrawAll(agents.ErrTurnStopped)
	if err == nil {
		go c.insist(t, session)
	}
	return err
}

// insist says an interrupt again until its turn is over, the agent is gone, or
// saying it has been of no use.
func (c *Conversation) insist(t *turn, session string) {
	again := time.NewTicker(insistEvery)
	defer again.Stop()
	for range insistTimes {
		select {
		case <-t.over:
			return
		case <-c.peer.Done():
			return
		case <-again.C:
			if !c.stopAgain(t, session) {
				return
			}
		}
	}
}

// stopAgain reports whether the interrupt was said. The lock keeps the next
// prompt from going out before it, which it would then stop.
func (c *Conversation) stopAgain(t *turn, session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn == t && c.peer.notify(acp.AgentMethodSessionCancel, acp.CancelNotification{SessionId: acp.SessionId(session)}) == nil
}

// SetMode changes the mode. A refusal by the agent comes as a notice.
func (c *Conversation) SetMode(_ context.Context, m agents.Mode) error {
	native := c.modes[m]
	if native == "" { // it has no name for the mode that it starts in
		return agents.ErrUnsupported
	}
	answered := make(chan struct{})
	c.mu.Lock()
	c.mode = answered
	session := c.session
	c.mu.Unlock()
	err := c.peer.request(acp.AgentMethodSessionSetMode,
		acp.SetSessionModeRequest{SessionId: acp.SessionId(session), ModeId: acp.SessionModeId(native)},
		func(_ json.RawMessage, err error) {
			defer close(answered)
			switch {
			case err == nil:
				c.decoder.mode = native
				return
			case errors.Is(err, agents.ErrClosed):
				return
			}
			c.host.Emit(agents.Notice{
				Level: "error", Code: "mode_refused",
				Text:   fmt.Sprintf("%s did not change its permission mode: %v.", c.name, err),
				Advice: "It goes on in the mode it had.",
			})
		})
	if err != nil {
		close(answered)
	}
	return err
}

// Close ends the agent's input. It returns once everything queued is written or
// ctx ends.
func (c *Conversation) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.asks.WithdrawAll(agents.ErrClosed)
	if c.peer.Close(ctx) != nil {
		c.in.Close() // frees a write that the agent does not read
	}
	return nil
}

func (c *Conversation) sessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *Conversation) emit(events []agents.Event) {
	for _, e := range events {
		c.host.Emit(e)
	}
}

// enterTurn tells the decoder which turn is running. It runs on the reader's
// goroutine, before anything of a line is decoded.
func (c *Conversation) enterTurn() (replaying bool) {
	c.mu.Lock()
	t := c.turn
	replaying = c.replaying
	var id string
	var stopped bool
	if t != nil {
		id, stopped = t.id, t.stopped
	}
	c.mu.Unlock()
	if t == nil {
		return replaying
	}
	if !c.decoder.running {
		c.decoder.begin(id)
	}
	c.decoder.stopped = stopped
	return replaying
}

// notified implements listener.
func (c *Conversation) notified(method string, params json.RawMessage, line []byte) {
	replaying := c.enterTurn()
	switch {
	case method == acp.ClientMethodSessionUpdate:
		if !replaying {
			c.emit(c.decoder.update(params, line))
		}
	case method == "$/cancel_request":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(params, &p) == nil {
			c.asks.Withdraw(string(p.ID), agents.ErrWithdrawn)
		}
	case method == c.extension.Ready && method != "":
		select {
		case <-c.ready:
		default:
			close(c.ready)
		}
	case c.extension.Notified != nil && strings.HasPrefix(method, "_"):
		if !replaying {
			c.emit(c.extension.Notified(method, params))
		}
	case strings.HasPrefix(method, "_"), method == acp.ClientMethodElicitationComplete:
		// An extension of one vendor, which the protocol says to ignore; or the
		// end of a visit to a web page, which the person has answered for.
	default:
		c.unreadable(string(line))
	}
}

// requested implements listener. It decodes here, in the order of the lines, and
// asks on a goroutine of its own.
func (c *Conversation) requested(id json.RawMessage, method string, params json.RawMessage, line []byte) {
	c.enterTurn()
	switch method {
	case acp.ClientMethodSessionRequestPermission:
		var p permission
		if json.Unmarshal(params, &p) != nil {
			c.unreadable(string(line))
			c.peer.refuse(id, acp.NewInvalidParams(nil))
			return
		}
		events, in := c.decoder.permission(&p)
		c.emit(events)
		if c.allowed(id, params, &p) {
			return
		}
		c.ask(id, in, func(o agents.Outcome) any { return c.permitted(&p, o) }, permissionCancelled())
	case acp.ClientMethodElicitationCreate:
		var e elicitation
		err := json.Unmarshal(params, &e)
		in, ok := e.interaction(c.decoder.session)
		if err != nil {
			c.unreadable(string(line))
			c.peer.refuse(id, acp.NewInvalidParams(nil))
			return
		}
		if !ok {
			c.unshowable(id, line, elicitationDeclined())
			return
		}
		c.ask(id, in, func(o agents.Outcome) any { return e.answer(in, o) }, elicitationCancelled())
	default:
		c.extended(id, method, params, line)
	}
}

// unreadable implements listener.
func (c *Conversation) unreadable(line string) {
	c.enterTurn()
	c.emit(unknown(line))
}
