package acpclient

import (
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
	"parley/agents/elicit"
)

// elicitation is an elicitation/create. The SDK's type loses the session, the
// tool call and the order of the fields.
type elicitation struct {
	SessionID  string          `json:"sessionId"`
	ToolCallID string          `json:"toolCallId"`
	Mode       string          `json:"mode"` // form, url
	Message    string          `json:"message"`
	URL        string          `json:"url"`
	Schema     json.RawMessage `json:"requestedSchema"`
}

// interaction is the question for the person. It reports false for a form that
// cannot be shown, which is refused instead.
func (e *elicitation) interaction(own string) (agents.Interaction, bool) {
	in := agents.Interaction{Kind: agents.AskElicitation, ToolID: e.ToolCallID, Title: agents.Redact(e.Message)}
	if e.SessionID != "" && e.SessionID != own {
		in.Parent = e.SessionID
	}
	if e.Mode == "url" {
		in.URL = e.URL
		return in, elicit.Link(e.URL) == nil
	}
	fields, err := elicit.Fields(e.Schema)
	in.Fields = fields
	return in, err == nil
}

// answer turns the outcome into the protocol's answer. Only a response that
// accepts carries content.
func (e *elicitation) answer(in agents.Interaction, o agents.Outcome) acp.UnstableCreateElicitationResponse {
	switch {
	case o.Reason == "response" && o.Action == "accept":
		content, err := elicit.Content(in, o.Answers)
		if err != nil { // it must not be taken for an answer
			return elicitationCancelled()
		}
		return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Content: content}}
	case o.Reason == "response" || o.Refused != "":
		return elicitationDeclined()
	default:
		return elicitationCancelled()
	}
}

func elicitationDeclined() acp.UnstableCreateElicitationResponse {
	return acp.UnstableCreateElicitationResponse{Decline: &acp.UnstableCreateElicitationDecline{}}
}

func elicitationCancelled() acp.UnstableCreateElicitationResponse {
	return acp.UnstableCreateElicitationResponse{Cancel: &acp.UnstableCreateElicitationCancel{}}
}
