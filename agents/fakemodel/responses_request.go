package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responsesItem is one item of the input of a Responses API request.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`
	Tools     []responsesTool `json:"tools"`
}

// responsesTool is a tool as the Responses API offers it, or a namespace of
// them.
type responsesTool struct {
	Type        string          `json:"type"` // function, custom, namespace, and the provider's own
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Tools       []responsesTool `json:"tools"`
}

// parseResponses reads the body of a Responses API request. What the model did
// becomes messages of the assistant, results of calls become messages of the
// user, and what the client's author says becomes the system's text, so that a
// script reads the same for both APIs.
func parseResponses(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Stream       bool            `json:"stream"`
		Tools        []responsesTool `json:"tools"`
		Input        []responsesItem `json:"input"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Header: header, Model: wire.Model, System: wire.Instructions, Stream: wire.Stream, Raw: body}
	r.offer(wire.Tools, "")
	for i, it := range wire.Input {
		if err := r.add(it); err != nil {
			return Request{}, fmt.Errorf("input %d: %w", i, err)
		}
	}
	return r, nil
}

// offer notes tools, those of a namespace under it.
func (r *Request) offer(tools []responsesTool, namespace string) {
	for _, t := range tools {
		name := t.Name
		if namespace != "" {
			name = namespace + "__" + name
		}
		switch t.Type {
		case "namespace":
			r.offer(t.Tools, t.Name)
		case "function", "custom":
			r.Tools = append(r.Tools, Tool{
				Name: name, Description: t.Description, Schema: t.Parameters, Namespace: namespace, FreeText: t.Type == "custom",
			})
		}
	}
}

// add notes one item of the input.
func (r *Request) add(it responsesItem) error {
	said := func(role string, parts ...Part) { r.Messages = append(r.Messages, Message{Role: role, Parts: parts}) }
	switch it.Type {
	case "message", "":
		parts, err := responsesParts(it.Content)
		if err != nil {
			return err
		}
		if it.Role == "developer" || it.Role == "system" {
			r.System += "\n" + Message{Parts: parts}.Texts()
			return nil
		}
		said(it.Role, parts...)
	case "agent_message": // one agent's words to another
		parts, err := responsesParts(it.Content)
		if err != nil {
			return err
		}
		said("user", parts...)
	case "additional_tools":
		r.offer(it.Tools, "")
	case "reasoning":
		parts, err := responsesParts(it.Summary)
		if err != nil {
			return err
		}
		said("assistant", Part{Type: "thinking", Text: Message{Parts: parts}.Texts()})
	case "function_call", "custom_tool_call":
		name := it.Name
		if it.Namespace != "" {
			name = it.Namespace + "__" + name
		}
		input := json.RawMessage(it.Arguments)
		if it.Type == "custom_tool_call" {
			input, _ = json.Marshal(it.Input) // a text always can
		}
		said("assistant", Part{Type: "tool_use", ID: it.CallID, Name: name, Input: input})
	case "function_call_output", "custom_tool_call_output":
		parts, err := responsesParts(it.Output)
		if err != nil {
			return err
		}
		said("user", Part{Type: "tool_result", ToolUseID: it.CallID, Text: Message{Parts: parts}.Texts()})
	}
	return nil
}

// responsesParts reads content, which is a text or a list of pieces.
func responsesParts(raw json.RawMessage) ([]Part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []Part{{Type: "text", Text: text}}, nil
	}
	var wire []struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Encrypted string `json:"encrypted_content"` // by the provider, so here it is plain
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("read content: %w", err)
	}
	parts := make([]Part, 0, len(wire))
	for _, w := range wire {
		p := Part{Type: w.Type, Text: w.Text + w.Encrypted}
		switch w.Type {
		case "input_text", "output_text", "summary_text", "encrypted_content":
			p.Type = "text"
		case "input_image":
			p.Type = "image"
		}
		parts = append(parts, p)
	}
	return parts, nil
}
