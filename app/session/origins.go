package session

import (
	"cmp"
	"encoding/json"

	"parley/app"
)

// origins knows the tool calls of a turn, as the agent's stream tells of them:
// which a sub-agent made, and whether an asking tool is at work. A call of our
// own tools may reach us before its place in the stream does; then that is
// waited for.
type origins struct {
	parent  map[string]string
	asking  map[string]bool            // asking tools at work
	waiting map[string][]chan struct{} // by tool id; anyAsk for whatever asking tool comes next
}

const anyAsk = ""

func newOrigins() *origins {
	return &origins{parent: map[string]string{}, asking: map[string]bool{}, waiting: map[string][]chan struct{}{}}
}

func (o *origins) began(toolID, parent string, kind app.ToolKind) {
	o.parent[toolID] = parent
	o.wake(toolID)
	if kind == app.ToolAsk {
		o.asking[toolID] = true
		o.wake(anyAsk)
	}
}

func (o *origins) ended(toolID string) { delete(o.asking, toolID) }

func (o *origins) wake(key string) {
	for _, c := range o.waiting[key] {
		close(c)
	}
	delete(o.waiting, key)
}

// place returns a channel that is closed once the stream tells of a call, nil
// when it has. Of a call without an id the next asking tool is taken.
func (o *origins) place(toolID string) <-chan struct{} {
	if _, known := o.parent[toolID]; known || toolID == anyAsk && len(o.asking) > 0 {
		return nil
	}
	c := make(chan struct{})
	o.waiting[toolID] = append(o.waiting[toolID], c)
	return c
}

// caller is what the _meta of an MCP call tells about who makes it.
type caller struct {
	toolID   string // the CLI's id of the call, which its stream names too; "" if it doesn't say
	callID   string // what tells a repeated call from a second one, "" if nothing does
	subagent bool   // it says that a sub-agent calls
}

// callerOf reads the words of the CLIs that tell something: Claude Code names
// the tool call, Codex the parent's thread. Others tell nothing.
func callerOf(meta string) caller {
	var m struct {
		ToolUseID string `json:"claudecode/toolUseId"`
		CallID    string `json:"callId"`
		Codex     struct {
			Parent string `json:"parent_thread_id"`
			Kind   string `json:"subagent_kind"`
			Source string `json:"thread_source"`
		} `json:"x-codex-turn-metadata"`
	}
	if meta == "" || json.Unmarshal([]byte(meta), &m) != nil {
		return caller{}
	}
	return caller{
		toolID:   m.ToolUseID,
		callID:   cmp.Or(m.ToolUseID, m.CallID),
		subagent: m.Codex.Parent != "" || m.Codex.Kind != "" || m.Codex.Source == "subagent",
	}
}

var errSubagent = &app.Error{
	Code:    app.CodeSubagentRefused,
	Message: "A sub-agent may not reach the person. Return the open question to the agent that started you; it can ask.",
}
