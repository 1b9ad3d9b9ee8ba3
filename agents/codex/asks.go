package codex

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley/agents"
	"parley/agents/elicit"
)

// requested answers what the CLI asks, or has a person answer it. Every request
// gets an answer: without one the turn would wait for ever.
func (c *conversation) requested(m message, line []byte) {
	var h head
	if json.Unmarshal(m.Params, &h) != nil {
		c.emit(unknown(line))
		c.peer.refuse(m.ID, "the request could not be read")
		return
	}
	parent := c.decoder.parent(h.Thread)
	switch m.Method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		var r approvalRequest
		if json.Unmarshal(m.Params, &r) != nil {
			c.emit(unknown(line))
			c.peer.respond(m.ID, decision{"decline"})
			return
		}
		started := item{}
		if t := c.decoder.tools[r.Item]; t != nil {
			started = t.item
		}
		in := approval(r, started, c.decoder.cwd)
		in.Parent = parent
		c.ask(m.ID, h, in, func(o agents.Outcome) any { return decision{decided(o)} })
	case "item/permissions/requestApproval":
		var r permissionsRequest
		if json.Unmarshal(m.Params, &r) != nil {
			c.emit(unknown(line))
			c.peer.respond(m.ID, permissionsAnswer{Permissions: json.RawMessage("{}"), Scope: "turn"})
			return
		}
		in := morePermissions(r)
		in.Parent = parent
		c.ask(m.ID, h, in, func(o agents.Outcome) any { return grant(r, o) })
	case "item/tool/requestUserInput":
		c.native(m, h, parent, line)
	case "mcpServer/elicitation/request":
		c.elicitation(m, h, parent, line)
	default:
		c.emit(unknown(line))
		c.peer.refuse(m.ID, "not supported")
	}
}

// native puts the CLI's own question to the person.
func (c *conversation) native(m message, h head, parent string, line []byte) {
	var r questions
	if json.Unmarshal(m.Params, &r) != nil || len(r.Questions) == 0 {
		c.emit(unknown(line))
		c.peer.respond(m.ID, answersTo(r, nil, agents.Outcome{Reason: "cancelled"}))
		return
	}
	in := nativeQuestion(r)
	in.Parent = parent
	c.ask(m.ID, h, in, func(o agents.Outcome) any { return answersTo(r, in.Fields, o) })
}

// elicitation puts the question of an MCP server to the person, or the request
// for permission to call one of its tools, which comes in the same form.
func (c *conversation) elicitation(m message, h head, parent string, line []byte) {
	var r elicitationRequest
	if json.Unmarshal(m.Params, &r) != nil {
		c.emit(unknown(line))
		c.peer.respond(m.ID, elicitationAnswer{Action: "cancel"})
		return
	}
	if r.Meta.Kind == toolApproval {
		if slices.Contains(c.free, r.Server+"/"+r.Meta.Tool) {
			// A permission in front of a question helps nobody.
			answer := elicitationAnswer{Action: "accept", Content: struct{}{}}
			if parent != "" {
				answer = elicitationAnswer{Action: "decline"}
			}
			c.peer.respond(m.ID, answer)
			return
		}
		in := mcpApproval(r)
		in.Parent = parent
		c.ask(m.ID, h, in, func(o agents.Outcome) any { return mcpDecided(o) })
		return
	}
	in := agents.Interaction{Kind: agents.AskElicitation, Parent: parent, Title: agents.Redact(r.Message), Server: r.Server}
	var err error
	if r.Mode == "url" {
		in.URL, err = r.URL, elicit.Link(r.URL)
	} else {
		in.Fields, err = elicit.Fields(r.Schema)
	}
	if err != nil {
		c.refused(m.ID, r, err)
		return
	}
	c.ask(m.ID, h, in, func(o agents.Outcome) any {
		if o.Reason != "response" || o.Action != "accept" {
			return notAccepted(o)
		}
		content, err := elicit.Content(in, o.Answers)
		if err != nil {
			c.host.Emit(agents.Notice{Level: "warning", Code: "elicitation",
				Text: "The question of the MCP server " + r.Server + " was cancelled: " + err.Error() + "."})
			return elicitationAnswer{Action: "cancel"}
		}
		return elicitationAnswer{Action: "accept", Content: content}
	})
}

func (c *conversation) refused(id json.RawMessage, r elicitationRequest, err error) {
	c.host.Emit(agents.Notice{Level: "warning", Code: "elicitation_refused",
		Text: "The MCP server " + r.Server + " asked for something that cannot be shown, and was refused: " + err.Error() + "."})
	c.peer.respond(id, elicitationAnswer{Action: "decline"})
}

// ask puts a request to the person on a goroutine of its own and answers it.
// What the CLI's answer has no room for, why there is no permission, follows as
// a message into the turn.
func (c *conversation) ask(id json.RawMessage, h head, in agents.Interaction, answer func(agents.Outcome) any) {
	q := c.asks.Open(string(id), h.Thread)
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
		// A request that was taken back has its answer; of one that ends with its
		// turn the CLI hears by the stop.
		if !q.Take() {
			return
		}
		if text := whyNot(in, o); text != "" && h.Thread == c.threadID() {
			c.say(h.Turn, text)
		}
		c.peer.respond(id, answer(o))
	}()
}

func (c *conversation) threadID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.thread
}

// sayLimit bounds the wait for the CLI to take words of ours.
const sayLimit = 2 * time.Second

// say puts words of ours into the running turn and waits until the CLI has taken
// them, so that they reach the model together with the answer that follows: it
// would begin a request without them, and break it off. When the turn has just
// ended, nobody needs them.
func (c *conversation) say(turn, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), sayLimit)
	defer cancel()
	_ = c.peer.call(ctx, "turn/steer", turnRequest{
		Thread: c.threadID(), Expected: turn, Input: []inputPart{{Type: "text", Text: text}},
	}, nil)
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
