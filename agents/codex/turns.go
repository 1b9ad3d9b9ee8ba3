package codex

import (
	"encoding/json"

	"parley/agents"
)

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
			c.asks.WithdrawOf(n.Thread, agents.ErrTurnEnded)
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
	case "mcpServer/startupStatus/updated":
		var n serverNote
		if json.Unmarshal(m.Params, &n) != nil {
			c.emit(unknown(line))
			return
		}
		c.emit(c.decoder.server(n))
		c.server(n)
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
		c.asks.WithdrawAll(agents.ErrTurnStopped)
	} else {
		c.asks.WithdrawAll(agents.ErrTurnEnded)
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
	c.stirServers()
	c.asks.WithdrawAll(agents.ErrClosed)
	c.peer.Over()
	c.emit(c.decoder.cutAll())
	if end != nil {
		c.host.Emit(*end)
	}
}
