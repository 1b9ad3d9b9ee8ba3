package opencode

import (
	"context"
	"net/http"
	"net/url"

	"parley/agents"
)

// openAsk is a request that waits for a person.
type openAsk struct {
	session string
	cancel  context.CancelCauseFunc
}

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
	ctx, cancel := context.WithCancelCause(context.Background())
	c.mu.Lock()
	if _, twice := c.asks[id]; twice { // it gets its one answer
		c.mu.Unlock()
		cancel(nil)
		return
	}
	c.asks[id] = openAsk{session: session, cancel: cancel}
	switch {
	case c.over || c.closed:
		cancel(agents.ErrClosed)
	case c.turn != nil && c.turn.stopped:
		cancel(agents.ErrTurnStopped)
	}
	c.mu.Unlock()
	go func() {
		defer cancel(nil)
		o := c.host.Ask(ctx, in)
		c.mu.Lock()
		_, open := c.asks[id]
		delete(c.asks, id)
		c.mu.Unlock()
		if open { // one that was taken back has its answer, or ends with its turn
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
	c.mu.Lock()
	a, open := c.asks[id]
	delete(c.asks, id)
	cause := agents.ErrWithdrawn
	if c.turn != nil && c.turn.stopped {
		cause = agents.ErrTurnStopped
	}
	c.mu.Unlock()
	if open {
		a.cancel(cause)
	}
}

// withdrawSession ends what a sub-agent asked that is done.
func (c *conversation) withdrawSession(id string) {
	c.withdrawWhere(agents.ErrTurnEnded, func(a openAsk) bool { return a.session == id })
}

func (c *conversation) withdrawAll(cause error) {
	c.withdrawWhere(cause, func(openAsk) bool { return true })
}

func (c *conversation) withdrawWhere(cause error, which func(openAsk) bool) {
	c.mu.Lock()
	var cancels []context.CancelCauseFunc
	for id, a := range c.asks {
		if which(a) {
			cancels = append(cancels, a.cancel)
			delete(c.asks, id)
		}
	}
	c.mu.Unlock()
	for _, cancel := range cancels {
		cancel(cause)
	}
}
