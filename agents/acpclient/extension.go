package acpclient

import (
	"encoding/json"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
)

// Extension is what one vendor adds to the protocol for its own agent. The zero
// value adds nothing. Its functions are called on the reader's goroutine, one at
// a time, and must not block.
type Extension struct {
	// Meta goes along with session/new, session/load and session/resume.
	Meta map[string]any
	// Ready is the notification after which the tools of the MCP servers are
	// there; "" where the agent sends none. Opening waits for it, within a limit.
	Ready string
	// UnlistedModes says that the agent takes modes which it does not list.
	UnlistedModes bool
	// Question decodes a request that is a question for the person; a nil Answer
	// is none of these. With an error the question cannot be shown: it is declined.
	Question func(method string, params json.RawMessage) (agents.Interaction, Answer, error)
	// Reply answers a request that needs no person, at once; false: it is none of
	// these. nil answers none.
	Reply func(method string, params json.RawMessage) (any, bool)
	// Allowed reports whether a tool call, as a permission request has it, needs no
	// person: it is one of our own tools. nil allows none.
	Allowed func(toolCall json.RawMessage) bool
	// Denied goes along, as _meta, with the answer to a permission request that was
	// not allowed; nil adds nothing.
	Denied func(agents.Outcome) map[string]any
	// Notified decodes a notification of the vendor's; nil ignores all.
	Notified func(method string, params json.RawMessage) []agents.Event
	// Usage finds what a turn used in the answer that ends it; nil reads the
	// protocol's own place for that.
	Usage func(result json.RawMessage) *TurnUsage
}

// Answer turns the end of a question into what the agent is answered.
type Answer func(agents.Outcome) any

// readyWait bounds the wait for Extension.Ready: a server that does not come up
// must not keep the person from working.
const readyWait = 10 * time.Second

// extended handles a request that the protocol does not have.
func (c *Conversation) extended(id json.RawMessage, method string, params json.RawMessage, line []byte) {
	if c.extension.Reply != nil {
		if answer, ok := c.extension.Reply(method, params); ok {
			c.settle(id, nil, answer, nil)
			return
		}
	}
	if c.extension.Question == nil {
		c.peer.refuse(id, acp.NewMethodNotFound(method))
		return
	}
	in, answer, err := c.extension.Question(method, params)
	var from struct {
		Session string `json:"sessionId"`
	}
	switch {
	case answer == nil: // files and terminals were not offered
		c.peer.refuse(id, acp.NewMethodNotFound(method))
	case err != nil:
		c.unshowable(id, line, answer(agents.Outcome{Reason: "response", Action: "decline"}))
	default:
		if json.Unmarshal(params, &from) == nil && from.Session != "" && from.Session != c.decoder.session {
			in.Parent = from.Session
		}
		c.ask(id, in, answer, answer(agents.Outcome{Reason: "cancelled"}))
	}
}

// unshowable declines a question that no card can hold.
func (c *Conversation) unshowable(id json.RawMessage, line []byte, declined any) {
	c.unreadable(string(line))
	c.emit([]agents.Event{agents.Notice{Level: "warning", Code: "elicitation_refused",
		Text: c.name + " asked for something that cannot be shown, and was refused."}})
	c.settle(id, nil, declined, nil)
}

// permitted is the answer to a permission request.
func (c *Conversation) permitted(p *permission, o agents.Outcome) acp.RequestPermissionResponse {
	answer := p.answer(o)
	chosen := answer.Outcome.Selected
	if c.extension.Denied != nil && chosen != nil && string(chosen.OptionId) == p.option("deny") {
		answer.Meta = c.extension.Denied(o)
	}
	return answer
}

// allowed answers a permission request that needs no person, and reports whether
// it was one.
func (c *Conversation) allowed(id json.RawMessage, params json.RawMessage, p *permission) bool {
	if c.extension.Allowed == nil || p.option("allow_once") == "" {
		return false
	}
	var raw struct {
		ToolCall json.RawMessage `json:"toolCall"`
	}
	if json.Unmarshal(params, &raw) != nil || !c.extension.Allowed(raw.ToolCall) {
		return false
	}
	c.settle(id, nil, p.answer(agents.Outcome{Reason: "response", Action: "allow_once"}), nil)
	return true
}
