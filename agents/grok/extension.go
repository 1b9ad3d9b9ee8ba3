package grok

import (
	"encoding/json"
	"maps"

	"parley/agents"
	"parley/agents/acpclient"
	"parley/mcp"
	"parley/mcp/inject"
)

// Methods of the CLI's own.
const (
	methodReady     = "_x.ai/mcp_initialized"
	methodElicit    = "_x.ai/mcp/elicit"
	methodQuestions = "_x.ai/ask_user_question"
	methodExitPlan  = "_x.ai/exit_plan_mode"
	methodHook      = "_x.ai/hooks/run"
)

// extension is what Grok adds to the protocol, for one conversation.
func extension(spec agents.SessionSpec) acpclient.Extension {
	own := map[string]bool{}
	for _, s := range spec.Catalog {
		for _, tool := range s.AutoAllow {
			own[inject.GrokTool(s.Name, tool)] = true
		}
	}
	meta := map[string]any{"x.ai/hooks": map[string]any{"PreToolUse": []any{
		map[string]any{"matcher": ourTools, "hookCallbackIds": []string{"parley"}},
	}}}
	if spec.Guidance != "" {
		meta["rules"] = spec.Guidance
	}
	maps.Copy(meta, inject.GrokMeta(spec.Catalog))
	return acpclient.Extension{
		Meta:          meta,
		Ready:         methodReady,
		UnlistedModes: true,
		Question:      question,
		Reply:         reply,
		Allowed:       func(toolCall json.RawMessage) bool { return own[mcpTool(toolCall)] },
		Denied:        denied,
		Usage:         turnUsage,
	}
}

// denied lets the turn go on after a denial, with the reason; without it the CLI
// ends the turn, and its model never learns why. It reads this as a message.
func denied(o agents.Outcome) map[string]any {
	text := "The person did not allow this call. Leave it undone; do not try it in another way."
	switch {
	case o.Refused != "":
		text = "This call was not allowed. " + o.Refused
	case o.Reason == "dismissed":
		text = "The person closed the request for permission without deciding. That is no approval: leave the call undone, and say so."
	case o.Reason == "timeout":
		text = "Nobody decided on the request for permission in time. That is no approval: leave the call undone, and say so."
	case o.Note != "":
		text += " Their reason: " + o.Note
	}
	return map[string]any{"followup_message": text}
}

// ourTools are the tools that the CLI asks us about before it calls them.
const ourTools = "^" + mcp.InteractionServer + "__"

// gate answers the CLI's hook before one of our tools is called.
type gate struct {
	Decision string `json:"decision,omitempty"` // deny; without one the call goes its way
	Reason   string `json:"reason,omitempty"`   // the model reads it
}

// reply keeps our tools from sub-agents. They share the connection of the agent
// that started them, so that our server cannot tell who calls.
func reply(method string, params json.RawMessage) (any, bool) {
	if method != methodHook {
		return nil, false
	}
	var call struct {
		SubAgent string `json:"subagentType"`
	}
	if json.Unmarshal(params, &call) != nil || call.SubAgent != "" {
		return gate{Decision: "deny", Reason: "A sub-agent may not ask the person. Give the question back to the agent that started you."}, true
	}
	return gate{}, true
}

// mcpTool is the name of the MCP tool that a call is about, "" for a call of a
// tool of the CLI's own. A title may hold anything; this is what will be called.
func mcpTool(toolCall json.RawMessage) string {
	var call struct {
		Input struct {
			Variant string `json:"variant"`
			Tool    string `json:"tool_name"`
		} `json:"rawInput"`
		Meta struct {
			Tool struct {
				Name string `json:"name"`
			} `json:"x.ai/tool"`
		} `json:"_meta"`
	}
	if json.Unmarshal(toolCall, &call) != nil {
		return ""
	}
	// A model may also call such a tool by its own name.
	if t := call.Meta.Tool; t.Name != "use_tool" && t.Name != call.Input.Tool && t.Name != "" || call.Input.Variant != "UseTool" {
		return ""
	}
	return call.Input.Tool
}

// turnUsage is in the answer's _meta, the sum over all requests to the model.
func turnUsage(result json.RawMessage) *acpclient.TurnUsage {
	var answer struct {
		Meta struct {
			Usage *acpclient.TurnUsage `json:"usage"`
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &answer) != nil {
		return nil
	}
	return answer.Meta.Usage
}

// question decodes a request for the person.
func question(method string, params json.RawMessage) (agents.Interaction, acpclient.Answer, error) {
	switch method {
	case methodElicit:
		return elicitation(params)
	case methodQuestions:
		return questions(params)
	case methodExitPlan:
		return exitPlan(params)
	default:
		return agents.Interaction{}, nil, nil
	}
}
