package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/agents"
	"parley/mcp"
)

// How a form ends a run, measured with 2.1.332 and 2.1.197: a PreToolUse hook
// that answers "defer" lets the other calls of the same message run, then ends
// the turn as tool_deferred without another request to the model. Started again
// with that conversation, the CLI fires the hook for the call at once and
// without a message; "allow" runs it, and the model gets its result with
// "Continue from where you left off." A message that is sent meanwhile waits
// and becomes a turn of its own. In the old process the next message would find
// the call's result missing, so that one is ended.

// formTool is our form tool as the CLI calls it.
const formTool = interactionPrefix + mcp.ToolForm

// asideLimit is how long the CLI may take to make the call again that it put
// aside. It does so as soon as its MCP servers are up; one that lost the call
// (it was killed before it had noted it) never does.
const asideLimit = 30 * time.Second

// aside is a call that an earlier process of the CLI put aside.
type aside struct {
	id    string        // "" when there is none
	begun chan struct{} // closed once its turn is open

	// Guarded by the conversation's mutex.
	made  bool
	limit *time.Timer // nil until its turn is open
}

var errResumed = errors.New("the conversation has gone on with it already")

// form decides on a call of the form tool, on a goroutine of its own.
func (c *conversation) form(request string, in hookInput) {
	if in.ToolUseID != "" && in.ToolUseID == c.aside.id {
		select {
		case <-c.aside.begun:
		case <-c.gone:
			return
		}
		c.mu.Lock()
		c.aside.made = true
		c.mu.Unlock()
		c.peer.respond(request, decided("allow", ""))
		return
	}
	if c.host.Defer(context.Background(), agents.FormCall{ToolID: in.ToolUseID, Input: in.Input}) {
		c.peer.respond(request, decided("defer", ""))
		return
	}
	c.peer.respond(request, hookAnswer{})
}

func decided(decision, reason string) hookAnswer {
	return hookAnswer{Output: &hookDecision{Event: "PreToolUse", Decision: decision, Reason: reason}}
}

// resume begins a turn with the call that was put aside.
func (c *conversation) resume(t agents.Turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.closed {
		return closed("resume a call")
	}
	if c.aside.limit != nil {
		return fmt.Errorf("resume a call: %w", errResumed)
	}
	if err := c.turns.resume(); err != nil {
		return fmt.Errorf("resume a call: %w", err)
	}
	close(c.aside.begun)
	c.aside.limit = time.AfterFunc(asideLimit, func() { c.asideLost(t) })
	return nil
}

// asideLost sends the input as a message when the CLI has not made the call.
func (c *conversation) asideLost(t agents.Turn) {
	c.mu.Lock()
	waits := !c.aside.made && !c.over && !c.closed && c.turns.open != nil
	c.mu.Unlock()
	if !waits {
		return
	}
	err := c.say(t, func(s *turns, id string) error {
		s.steer(id)
		return nil
	})
	if err != nil {
		_ = c.Interrupt(context.Background()) // the end of its process says why
		return
	}
	c.host.Emit(agents.CallLost{ToolID: c.aside.id})
}

// hookInput is what a hook is told of a call.
type hookInput struct {
	AgentID   string          `json:"agent_id"`
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"tool_input"`
}
