package opencode

import (
	"net/http"
	"net/url"

	"parley/agents"
)

// permission puts a request for permission to the person.
func (c *conversation) permission(r received) {
	var e permissionEvent
	if !decode(r.Properties, &e) {
		c.emit(unknown(r.data))
		return
	}
	if !c.decoder.ours(e.Session) {
		return // whoever began it answers it
	}
	call, events := c.decoder.asking(e.Tool)
	c.emit(events)
	var of part
	if t := c.decoder.tools[call]; t != nil {
		of = t.part
	}
	in := approval(e, of, c.decoder.cwd)
	in.ToolID, in.Parent = call, c.decoder.parent(e.Session)
	if call != "" && in.Approval.Diff != "" {
		c.decoder.diffs[call] = in.Approval.Diff
	}
	c.ask(e.ID, e.Session, in, "/permission/"+url.PathEscape(e.ID)+"/reply", func(o agents.Outcome) any { return decided(o) })
}

// question puts the CLI's own question to the person. Without an answer the
// model reads why there is none: to reject the question would end the turn.
func (c *conversation) question(r received) {
	var e questionEvent
	if !decode(r.Properties, &e) || len(e.Questions) == 0 {
		c.emit(unknown(r.data))
		if e.ID != "" {
			go c.answer("/question/"+url.PathEscape(e.ID)+"/reject", nil)
		}
		return
	}
	if !c.decoder.ours(e.Session) {
		return
	}
	call, events := c.decoder.asking(e.Tool)
	c.emit(events)
	in := nativeQuestion(e)
	in.ToolID, in.Parent = call, c.decoder.parent(e.Session)
	c.ask(e.ID, e.Session, in, "/question/"+url.PathEscape(e.ID)+"/reply", func(o agents.Outcome) any { return answersTo(in.Fields, o) })
}

// ask puts a request to the person on a goroutine of its own and answers it.
func (c *conversation) ask(id, session string, in agents.Interaction, path string, answer func(agents.Outcome) any) {
	q := c.asks.Open(id, session)
	if q == nil {
		return
	}
	c.mu.Lock()
	switch {
	case c.over || c.closed:
		q.Abandon(agents.ErrClosed)
	case c.turn != nil && c.turn.stopped:
		q.Abandon(agents.ErrTurnStopped)
	}
	c.mu.Unlock()
	go func() {
		o := c.host.Ask(q.Context(), in)
		if q.Take() { // one that was taken back has its answer, or ends with its turn
			c.answer(path, answer(o))
		}
	}()
}

// answer gives the CLI an answer. One that it does not take leaves the call
// waiting, which a person has to know.
func (c *conversation) answer(path string, body any) {
	if err := c.server.call(c.ctx, http.MethodPost, path, body, nil); err != nil && c.ctx.Err() == nil {
		c.later(func() {
			c.host.Emit(agents.Notice{Level: "error", Code: "answer_lost", Text: name + " did not take the answer.", Advice: "Stop the turn and ask again."})
		})
	}
}

// withdraw ends the request that is settled: by our own answer, or because the
// CLI took it back.
func (c *conversation) withdraw(id string) {
	cause := agents.ErrWithdrawn
	c.mu.Lock()
	if c.turn != nil && c.turn.stopped {
		cause = agents.ErrTurnStopped
	}
	c.mu.Unlock()
	c.asks.Withdraw(id, cause)
}
