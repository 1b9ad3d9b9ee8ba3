package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/agents"
)

// control takes a line of the CLI's side channel.
func (c *conversation) control(kind string, line []byte) {
	var l controlLine
	if json.Unmarshal(line, &l) != nil {
		c.emit(unknown(line))
		return
	}
	switch kind {
	case "control_response":
		c.peer.replied(l)
	case "control_cancel_request":
		c.withdraw(l.RequestID)
	default:
		c.requested(l, line)
	}
}

// requested answers what the CLI asks, or has a person answer it.
func (c *conversation) requested(l controlLine, line []byte) {
	var kind struct {
		Subtype string `json:"subtype"`
	}
	if json.Unmarshal(l.Request, &kind) != nil {
		c.emit(unknown(line))
		c.peer.respondError(l.RequestID, "the request could not be read")
		return
	}
	switch kind.Subtype {
	case "hook_callback":
		c.hook(l)
	case "can_use_tool":
		c.permission(l, line)
	case "elicitation":
		c.elicitation(l, line)
	case "request_user_dialog":
		// The protocol forbids to answer a dialog that was not offered.
		c.emit(unknown(line))
	default:
		c.emit(unknown(line))
		c.peer.respondError(l.RequestID, "not supported")
	}
}

// subagentHook is the name of the hook that keeps sub-agents from asking.
const subagentHook = "parley-subagent"

// initialize is our first request. It registers a hook on the asking tools: an
// MCP call does not tell a sub-agent from its parent, the hook's input does. The
// same hook has the CLI put a form's call aside.
func initialize(ours []string) initializeRequest {
	tools := append([]string{askTool}, ours...)
	return initializeRequest{Subtype: "initialize", Hooks: map[string][]hookMatcher{
		"PreToolUse": {{Matcher: strings.Join(tools, "|"), Callbacks: []string{subagentHook}}},
	}}
}

func (c *conversation) hook(l controlLine) {
	var r struct {
		Input hookInput `json:"input"`
	}
	// An input of another shape is that of a version which tells no sub-agents
	// apart; the call then goes its way.
	_ = json.Unmarshal(l.Request, &r)
	switch {
	case r.Input.AgentID != "":
		c.peer.respond(l.RequestID, decided("deny", subagentRefusal))
	case r.Input.ToolName == formTool:
		go c.form(l.RequestID, r.Input)
	default:
		c.peer.respond(l.RequestID, hookAnswer{})
	}
}

func (c *conversation) permission(l controlLine, line []byte) {
	var r request
	if json.Unmarshal(l.Request, &r) != nil {
		c.emit(unknown(line))
		c.peer.respond(l.RequestID, permissionAnswer{Behavior: "deny", Message: "The request could not be read, so nobody was asked."})
		return
	}
	if slices.Contains(c.free, r.ToolName) {
		// The rules of the launch do not count in plan mode, and a permission in
		// front of a question helps nobody.
		if r.AgentID != "" {
			c.peer.respond(l.RequestID, permissionAnswer{Behavior: "deny", Message: subagentRefusal})
			return
		}
		c.peer.respond(l.RequestID, permissionAnswer{Behavior: "allow", Input: r.Input})
		return
	}
	if r.ToolName != askTool {
		in := approval(r, c.decoder.cwd)
		if r.AgentID != "" {
			in.Parent = c.decoder.callOf(r.AgentID)
		}
		complete := func() { in.Approval.Diff = wouldChange(r.ToolName, readInput(r.Input)) } // reads a file
		c.ask(l.RequestID, in, complete, func(o agents.Outcome) any { return approvalAnswer(r, c.decoder.cwd, o) })
		return
	}
	in, ok := native(r)
	switch {
	case r.AgentID != "":
		c.peer.respond(l.RequestID, permissionAnswer{Behavior: "deny", Message: subagentRefusal})
	case !ok:
		c.emit(unknown(line))
		c.peer.respond(l.RequestID, permissionAnswer{Behavior: "deny", Message: "The question was empty, so nobody was asked."})
	default:
		c.ask(l.RequestID, in, nil, func(o agents.Outcome) any { return nativeAnswer(r, in.Fields, o) })
	}
}

func (c *conversation) elicitation(l controlLine, line []byte) {
	var r request
	err := json.Unmarshal(l.Request, &r)
	in, unaskable := elicitation(r)
	if err != nil || unaskable != nil {
		c.emit(unknown(line))
		c.emit([]agents.Event{agents.Notice{Level: "warning", Code: "elicitation_refused",
			Text: fmt.Sprintf("The MCP server %s asked for something that cannot be shown, and was refused.", r.Server)}})
		c.peer.respond(l.RequestID, elicitationAnswer{Action: "decline"})
		return
	}
	c.ask(l.RequestID, in, nil, func(o agents.Outcome) any {
		answer, err := elicited(in, o)
		if err != nil {
			c.host.Emit(agents.Notice{Level: "warning", Code: "elicitation_answer",
				Text: fmt.Sprintf("The answer was not sent to the MCP server %s: %v.", r.Server, err)})
		}
		return answer
	})
}

// ask puts a question to the person and sends the answer, on a goroutine of its
// own. complete, if it is not nil, runs there first and may take its time to
// complete what in points to.
func (c *conversation) ask(id string, in agents.Interaction, complete func(), answer func(agents.Outcome) any) {
	q := c.asks.Open(id, "")
	if q == nil {
		return
	}
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		q.Take()
		return
	}
	go func() {
		if complete != nil {
			complete()
		}
		outcome := c.host.Ask(q.Context(), in)
		q.Take()
		// After a withdrawal the CLI ignores it.
		c.peer.respond(id, answer(outcome))
	}()
}

// withdraw takes a question back that the CLI no longer asks.
func (c *conversation) withdraw(id string) {
	cause := agents.ErrWithdrawn
	c.mu.Lock()
	if c.turns.stopped() {
		cause = agents.ErrTurnStopped
	}
	c.mu.Unlock()
	c.asks.Withdraw(id, cause)
}
