package session

import (
	"cmp"
	"encoding/json"

	"parley/app"
)

// origins knows which tool calls of a turn a sub-agent made, as the agent's
// stream tells. A call of our own tools may reach us before its place in the
// stream does; then it is waited for.
type origins struct {
	parent  map[string]string
	waiting map[string][]chan struct{}
}

func newOrigins() *origins {
	return &origins{parent: map[string]string{}, waiting: map[string][]chan struct{}{}}
}

func (o *origins) note(toolID, parent string) {
	o.parent[toolID] = parent
	for _, c := range o.waiting[toolID] {
		close(c)
	}
	delete(o.waiting, toolID)
}

// of returns the parent of a tool call, or a channel that is closed once it is
// known.
func (o *origins) of(toolID string) (parent string, unknown <-chan struct{}) {
	if parent, ok := o.parent[toolID]; ok {
		return parent, nil
	}
	c := make(chan struct{})
	o.waiting[toolID] = append(o.waiting[toolID], c)
	return "", c
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
