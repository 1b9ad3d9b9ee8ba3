package acpclient

import (
	"encoding/json"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
	"parley/agents/filediff"
)

// permission is a session/request_permission.
type permission struct {
	SessionID string `json:"sessionId"`
	ToolCall  struct {
		toolUpdate
		Content json.RawMessage `json:"content"`
	} `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"options"`
}

// actionKinds maps Parley's actions to kinds of option. The protocol has no
// option for a session alone. Options are chosen by kind, never by id or name:
// those differ from agent to agent.
var actionKinds = map[string][]string{
	"allow_once":   {"allow_once"},
	"allow_always": {"allow_always"},
	"deny":         {"reject_once", "reject_always"},
}

// option finds the option for an action; "" when the agent offers none.
func (p *permission) option(action string) string {
	for _, kind := range actionKinds[action] {
		for _, o := range p.Options {
			if o.Kind == kind {
				return o.ID
			}
		}
	}
	return ""
}

// scopes are the allowing actions that this agent can carry out, narrowest first.
func (p *permission) scopes() []string {
	scopes := []string{}
	for _, action := range []string{"allow_once", "allow_always"} {
		if p.option(action) != "" {
			scopes = append(scopes, action)
		}
	}
	return scopes
}

// permission takes the request into the state of its tool call and returns the
// question for the person. A request may carry nothing but the id of the call.
func (d *decoder) permission(p *permission) ([]agents.Event, agents.Interaction) {
	parent := ""
	if p.SessionID != "" && p.SessionID != d.session {
		parent = p.SessionID
	}
	u := p.ToolCall.toolUpdate
	u.Content, u.Status = p.ToolCall.Content, "" // asking ends nothing
	if t := d.tools[u.ID]; t != nil && t.input != "" && t.input != "{}" {
		u.RawInput = nil // some agents repeat only a part of it
	}
	events, known := d.toolUpdate(parent, u)
	t := &tool{name: u.ID}
	if known {
		t = d.tools[u.ID]
	} else {
		t.describe(u)
		t.progress(u, false)
	}
	a := &agents.Approval{
		Tool: t.name, Title: t.title, Path: t.path, Scopes: p.scopes(),
		Input: t.rawInput(), Command: command(t.input),
	}
	a.Lasting = a.Command != "" // the protocol names no tool, so nothing else tells what would be allowed
	if a.Title == "" {
		a.Title = "The agent asks for permission and does not say for what."
	}
	a.Detail = a.Command
	if a.Detail == "" {
		a.Detail = t.input
	}
	var diffs []string
	for _, f := range t.diffs {
		text, _, _ := filediff.Unified(f.Path, f.Old, f.New)
		diffs = append(diffs, agents.Redact(text))
		if a.Path == "" {
			a.Path = f.Path
		}
	}
	a.Diff = strings.Join(diffs, "")
	return events, agents.Interaction{Kind: agents.AskApproval, ToolID: u.ID, Parent: parent, Title: a.Title, Approval: a}
}

// command finds the command line in a tool's input, "" if there is none.
func command(input string) string {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     json.RawMessage `json:"cmd"`
	}
	if json.Unmarshal([]byte(input), &in) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{in.Command, in.Cmd} {
		var line string
		var words []string
		if json.Unmarshal(raw, &line) == nil && line != "" {
			return line
		}
		if json.Unmarshal(raw, &words) == nil && len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// answer turns the person's outcome into the agent's option. Only a response
// with an allowing action that was offered allows anything; every other end of
// the question is a no, and the end of the turn is the protocol's "cancelled".
func (p *permission) answer(o agents.Outcome) acp.RequestPermissionResponse {
	action := "deny"
	switch {
	case o.Reason == "cancelled" && o.Refused == "":
		return permissionCancelled()
	case o.Reason == "response" && slices.Contains(p.scopes(), o.Action):
		action = o.Action
	}
	id := p.option(action)
	if id == "" {
		return permissionCancelled()
	}
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{
		Selected: &acp.RequestPermissionOutcomeSelected{OptionId: acp.PermissionOptionId(id)},
	}}
}

func permissionCancelled() acp.RequestPermissionResponse {
	return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{
		Cancelled: &acp.RequestPermissionOutcomeCancelled{},
	}}
}
