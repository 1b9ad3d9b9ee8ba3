package opencode

import (
	"time"

	"parley/agents"
)

// settleTime is how long the rest of a turn is waited for once the CLI says that
// it is idle, or that it did not begin. After a stop it says so before it tells
// what became of the call that ran; as a rule the rest comes at once.
const settleTime = 2 * time.Second

// trailTime is how long the CLI's own word for the end of a command is waited for
// once the command has its answer. On a busy computer the events trail the answer
// by seconds; a turn that ended before them would take theirs for another's.
const trailTime = 30 * time.Second

// stopWithin is how long the CLI may take to heed a stop. It does so in the one
// thread that does all else of its: a stop of 0.1 s took more than 5 s where many
// others wanted the processor.
const stopWithin = 30 * time.Second

// handle takes one event.
func (c *conversation) handle(r received) {
	switch r.Type {
	case "":
		c.emit(unknown(r.data))
	case "session.status":
		var e statusEvent
		if !decode(r.Properties, &e) {
			c.emit(unknown(r.data))
			return
		}
		c.status(e)
	case "session.idle":
		var e of
		if decode(r.Properties, &e) {
			c.idle(e.Session)
		}
	case "session.error":
		var e errorEvent
		if !decode(r.Properties, &e) {
			c.emit(unknown(r.data))
			return
		}
		c.failed(e)
	case "permission.asked":
		c.permission(r)
	case "question.asked":
		c.question(r)
	case "permission.replied", "question.replied", "question.rejected":
		var e settled
		if decode(r.Properties, &e) {
			c.withdraw(e.Request)
		}
	default:
		c.other(r)
	}
}

// other takes an event that is the decoder's.
func (c *conversation) other(r received) {
	d := c.decoder
	before := d.open
	c.mu.Lock()
	d.stopped = c.turn != nil && c.turn.stopped
	c.mu.Unlock()
	c.emit(d.decode(r.frame, r.data))
	if d.open != before && d.open != "" {
		c.fault = nil // the CLI goes on
	}
	if d.spoke.Model != "" {
		c.mu.Lock()
		c.model = d.spoke
		c.mu.Unlock()
	}
	c.mu.Lock()
	rest := c.turn != nil && c.turn.idle && !c.turn.owed
	c.mu.Unlock()
	if rest && !d.busy() {
		c.finish()
	}
}

// status hears that the CLI works, or waits to try again.
func (c *conversation) status(e statusEvent) {
	if !c.decoder.ours(e.Session) || e.Status.Type == "idle" {
		return
	}
	if e.Session == c.decoder.root {
		c.busy()
	}
	if e.Status.Type == "retry" {
		c.emit(c.decoder.retry(e))
	}
}

func (c *conversation) busy() {
	c.mu.Lock()
	own := c.turn == nil
	if own {
		c.turn = &turn{}
	}
	began := !c.turn.begun
	c.turn.begun = true
	if c.turn.owed || c.turn.answered {
		c.turn.idle = false // it was so in between
	}
	stop, trails := began && c.turn.stopped, c.turn.answered
	c.mu.Unlock()
	if began {
		c.fault = nil // an older one
		c.settle.Stop()
	}
	if trails {
		c.settle.Reset(trailTime)
	}
	if own {
		c.host.Emit(agents.TurnBegan{Reason: name + " went on by itself."})
	}
	if stop {
		go func() { _ = c.abort(c.ctx) }() // the turn's end says what became of it
	}
}

// idle hears that the CLI is done. It says so twice after a stop and after an
// error.
func (c *conversation) idle(id string) {
	if id != c.decoder.root {
		c.asks.WithdrawOf(id, agents.ErrTurnEnded)
		return
	}
	c.mu.Lock()
	if c.turn == nil || !c.turn.begun {
		c.mu.Unlock()
		return // it belongs to the turn before
	}
	again, owed := c.turn.idle, c.turn.owed
	c.turn.idle = true
	c.mu.Unlock()
	if owed {
		return // it may be idle in between
	}
	if again || !c.decoder.busy() {
		c.finish()
		return
	}
	c.settle.Reset(settleTime)
}

// failed notes an error. It explains the end of the turn, unless the CLI goes
// on.
func (c *conversation) failed(e errorEvent) {
	if e.Session != "" && e.Session != c.decoder.root {
		return // a sub-agent's; its call tells
	}
	c.mu.Lock()
	open := c.turn
	waits := open != nil && !open.begun
	c.mu.Unlock()
	if open == nil {
		return // it has come late
	}
	if c.fault == nil || c.fault.Name == aborted {
		c.fault = &e.Error
	}
	if waits {
		// A turn that cannot begin has no other end; one that does says so soon.
		c.settle.Reset(settleTime)
	}
}

// settled ends a turn whose rest did not come.
func (c *conversation) settled() {
	c.mu.Lock()
	ends := c.turn != nil && (c.turn.idle && !c.turn.owed || c.turn.answered || !c.turn.begun && c.fault != nil)
	c.mu.Unlock()
	if ends {
		c.finish()
	}
}

// finish ends the open turn.
func (c *conversation) finish() {
	c.settle.Stop()
	c.mu.Lock()
	t := c.turn
	c.turn = nil
	c.mu.Unlock()
	if t == nil {
		return
	}
	if t.stopped {
		c.asks.WithdrawAll(agents.ErrTurnStopped)
	} else {
		c.asks.WithdrawAll(agents.ErrTurnEnded)
	}
	d := c.decoder
	d.stopped, d.open = t.stopped, ""
	c.emit(d.cut(""))
	used := d.usage()
	ended := agents.Ended{Stop: agents.StopDone, Usage: &used, Unrequested: !t.requested}
	switch f := c.fault; {
	case t.stopped, f != nil && f.Name == aborted:
		ended.Stop = agents.StopStopped
	case f != nil:
		p := problem(*f)
		ended.Stop, ended.Problem = stopOf(p), &p
	}
	if c.fault != nil {
		ended.Native = c.fault.Name
	}
	c.fault = nil
	c.host.Emit(ended)
}

// isOver runs when there are no more events: the CLI has ended.
func (c *conversation) isOver() {
	c.cancel(agents.ErrClosed)
	c.settle.Stop()
	c.mu.Lock()
	c.over = true
	t, quiet := c.turn, c.closed
	c.turn = nil
	c.mu.Unlock()
	c.asks.WithdrawAll(agents.ErrClosed)
	c.emit(c.decoder.cut(""))
	if t == nil {
		return
	}
	end := agents.Ended{Stop: agents.StopStopped, Unrequested: !t.requested}
	if !t.stopped && !quiet {
		end.Stop = agents.StopFailed
		end.Problem = &agents.Problem{Code: "exited", Title: name + " ended in the middle of the turn.", Advice: "Send the message again to start it anew."}
	}
	c.host.Emit(end)
}
