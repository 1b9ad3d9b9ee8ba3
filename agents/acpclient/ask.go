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
	q := c.asks.Open(string(id), "")
	if q == nil {
		return
	}
	c.mu.Lock()
	over := c.closed || c.turn != nil && c.turn.stopped
	c.mu.Unlock()
	if over { // it was on its way when the person stopped the turn
		q.Take()
		c.settle(id, agents.ErrTurnStopped, nil, cancelled)
		return
	}
	go func() {
		outcome := c.host.Ask(q.Context(), in)
		q.Take()
		c.settle(id, context.Cause(q.Context()), answer(outcome), cancelled)
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
