package acpclient

import (
	"context"
	"encoding/json"
	"errors"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
)

// ask puts a request of the agent to the person and answers it. cancelled is
// the answer when the turn ends first. It is called by the reader and returns at
// once.
func (c *Conversation) ask(id json.RawMessage, in agents.Interaction, answer func(agents.Outcome) any, cancelled any) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c.mu.Lock()
	over := c.closed || c.turn != nil && c.turn.stopped
	_, twice := c.asks[string(id)]
	if !over && !twice {
		c.asks[string(id)] = cancel
	}
	c.mu.Unlock()
	if twice { // the same request once more; it gets its one answer
		cancel(nil)
		return
	}
	if over { // it was on its way when the person stopped the turn
		c.settle(id, agents.ErrTurnStopped, nil, cancelled)
		cancel(nil)
		return
	}
	go func() {
		outcome := c.host.Ask(ctx, in)
		c.mu.Lock()
		delete(c.asks, string(id))
		c.mu.Unlock()
		c.settle(id, context.Cause(ctx), answer(outcome), cancelled)
		cancel(nil)
	}()
}

// settle answers a request.
func (c *Conversation) settle(id json.RawMessage, cause error, answer, cancelled any) {
	switch {
	case cause == nil:
		c.peer.reply(id, answer)
	case errors.Is(cause, agents.ErrWithdrawn):
		c.peer.refuse(id, acp.NewRequestCancelled(nil))
	default:
		c.peer.reply(id, cancelled)
	}
}

// withdraw ends all open requests.
func (c *Conversation) withdraw(cause error) {
	c.mu.Lock()
	asks := c.asks
	c.asks = map[string]context.CancelCauseFunc{}
	c.mu.Unlock()
	for _, cancel := range asks {
		cancel(cause)
	}
}

// withdrawOne ends the request that the agent takes back.
func (c *Conversation) withdrawOne(id string) {
	c.mu.Lock()
	cancel := c.asks[id]
	delete(c.asks, id)
	c.mu.Unlock()
	if cancel != nil {
		cancel(agents.ErrWithdrawn)
	}
}
