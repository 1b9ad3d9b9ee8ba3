package pi

import (
	"encoding/json"
	"errors"

	"parley/agents"
)

// handle takes one record.
func (c *conversation) handle(h head, line []byte) {
	switch h.Type {
	case "response":
		c.replied(h.ID, line)
	case "extension_ui_request":
		c.dialog(line)
	case "agent_start":
		c.runBegan()
	case "agent_settled":
		var n settledNote
		_ = json.Unmarshal(line, &n) // without the word it was not
		c.runEnded(n.Aborted)
	case "agent_end":
		c.runPaused()
	default:
		c.mu.Lock()
		c.decoder.stopped = c.turn != nil && c.turn.stopped
		c.mu.Unlock()
		c.emit(c.decoder.decode(h.Type, line))
		if h.Type == "message_end" && c.decoder.spoke {
			c.tellID()
		}
	}
}

// replied hands an answer to whoever waits for it.
func (c *conversation) replied(id string, line []byte) {
	var a answer
	if json.Unmarshal(line, &a) != nil {
		c.emit(unknown(line))
		return
	}
	var err error
	if !a.Success {
		err = &commandError{a.Error}
	}
	if !c.peer.Replied(id, a.Data, err) {
		c.emit(unknown(line))
	}
}

// began takes the answer to a prompt.
func (c *conversation) began(data json.RawMessage, err error) {
	var said struct {
		Disposition string `json:"disposition"` // started, queued, handled; older versions don't say
	}
	if err == nil {
		_ = json.Unmarshal(data, &said)
	}
	c.mu.Lock()
	t := c.turn
	if t == nil || !t.pending {
		c.mu.Unlock()
		return
	}
	t.pending = false
	c.older = err == nil && said.Disposition == ""
	c.mu.Unlock()
	switch {
	case errors.Is(err, agents.ErrClosed):
		// the end of the CLI's output says the rest
	case err != nil:
		p := problem(err.Error())
		c.finish(agents.Ended{Stop: stopOf(p), Problem: &p})
	case said.Disposition == "handled":
		c.sum() // an extension has done it; no run follows
	}
}

// compacted takes the answer to a compaction, which comes when it is done.
func (c *conversation) compacted(_ json.RawMessage, err error) {
	c.mu.Lock()
	t := c.turn
	if t == nil || !t.pending {
		c.mu.Unlock()
		return
	}
	t.pending = false
	stopped := t.stopped
	c.mu.Unlock()
	switch {
	case errors.Is(err, agents.ErrClosed):
	case err != nil && !stopped:
		p := agents.Problem{Code: "failed", Title: name + " could not sum up the conversation.", Advice: "Read what it said.", Evidence: agents.LastLines(err.Error())}
		c.finish(agents.Ended{Stop: agents.StopFailed, Problem: &p})
	default:
		c.sum()
	}
}

// runBegan notes that the model is at work.
func (c *conversation) runBegan() {
	c.mu.Lock()
	own := c.turn == nil
	if own {
		c.turn = &turn{own: true}
	}
	c.turn.ending = false
	stopped := c.turn.stopped
	c.mu.Unlock()
	c.decoder.runBegan()
	if own {
		c.host.Emit(agents.TurnBegan{Reason: "An extension of " + name + " went on by itself."})
	}
	if stopped {
		_ = c.abort() // the first may have come before there was anything to stop
	}
}

// runPaused runs at the end of a run after which the CLI may still go on by
// itself. Newer generations say when it is over; an older one is asked.
func (c *conversation) runPaused() {
	c.mu.Lock()
	ask := c.older && c.turn != nil
	c.mu.Unlock()
	if !ask {
		return
	}
	runs := c.decoder.signs
	_ = c.request(command{Type: "get_state"}, func(data json.RawMessage, err error) {
		var s state
		if err != nil || json.Unmarshal(data, &s) != nil {
			return // the end of its output says the rest
		}
		if c.decoder.signs == runs && !s.Streaming && !s.Compacting {
			c.runEnded(c.decoder.last.StopReason == "aborted")
		}
	})
}

// runEnded ends the turn: what is open is cut, then the sums are asked for.
func (c *conversation) runEnded(aborted bool) {
	c.mu.Lock()
	t := c.turn
	if t == nil {
		c.mu.Unlock()
		return // it belongs to nothing that anybody saw begin
	}
	t.aborted = aborted
	stopped := t.stopped
	c.mu.Unlock()
	cause := agents.ErrTurnEnded
	if stopped {
		cause = agents.ErrTurnStopped
	}
	c.withdrawAll(cause)
	c.decoder.stopped = stopped || aborted
	c.emit(c.decoder.cut())
	c.sum()
}

// sum asks what the session has used and ends the turn with it.
func (c *conversation) sum() {
	c.mu.Lock()
	c.turn.ending = true
	c.mu.Unlock()
	_ = c.request(command{Type: "get_session_stats"}, func(data json.RawMessage, err error) {
		c.mu.Lock()
		t := c.turn
		if t == nil || !t.ending || errors.Is(err, agents.ErrClosed) {
			c.mu.Unlock()
			return // it went on, or its end is told elsewhere
		}
		stopped, aborted := t.stopped, t.aborted
		c.mu.Unlock()
		ended := agents.Ended{Stop: agents.StopDone, Native: c.decoder.last.StopReason}
		if usage, ok := usageOf(data); err == nil && ok {
			ended.Usage = &usage
		}
		switch last := c.decoder.last; {
		case stopped || aborted:
			ended.Stop = agents.StopStopped
		case last.StopReason == "error":
			p := problem(last.Error)
			ended.Stop, ended.Problem = stopOf(p), &p
		case last.StopReason == "length":
			ended.Stop, ended.Problem = agents.StopLimit, &agents.Problem{Code: "output_limit",
				Title: "The model's answer reached its limit and was cut off.", Advice: "Ask it to go on."}
		}
		c.finish(ended)
	})
}

// usageOf reads the sums.
func usageOf(data json.RawMessage) (agents.Usage, bool) {
	var s stats
	if json.Unmarshal(data, &s) != nil {
		return agents.Usage{}, false
	}
	in := s.Tokens.Input + s.Tokens.CacheWrite
	u := agents.Usage{Input: &in, Output: &s.Tokens.Output, Cached: &s.Tokens.CacheRead, CostUSD: &s.Cost}
	if s.Context != nil {
		u.ContextUsed, u.Window = s.Context.Tokens, &s.Context.Window
	}
	return u, true
}

// finish closes the open turn and tells its end. A message that is on its way
// begins another.
func (c *conversation) finish(ended agents.Ended) {
	c.mu.Lock()
	t := c.turn
	if t == nil {
		c.mu.Unlock()
		return
	}
	c.turn = nil
	ended.Unrequested = !t.requested
	if t.own && t.pending {
		c.turn = &turn{requested: true, pending: true, stopped: t.stopped}
		ended.Unrequested = true
	}
	c.mu.Unlock()
	c.decoder.last = message{}
	c.host.Emit(ended)
}

// ended runs when the CLI's output has ended.
func (c *conversation) ended() {
	c.mu.Lock()
	c.over = true
	open := c.turn != nil
	stopped := open && c.turn.stopped || c.closed
	if open {
		c.turn.pending = false
	}
	c.mu.Unlock()
	c.withdrawAll(agents.ErrClosed)
	c.peer.Over()
	c.emit(c.decoder.cut())
	end := agents.Ended{Stop: agents.StopStopped}
	if !stopped {
		end.Stop = agents.StopFailed
		end.Problem = &agents.Problem{Code: "exited", Title: name + " ended in the middle of the turn.", Advice: "Send the message again to start it anew."}
	}
	c.finish(end)
}
