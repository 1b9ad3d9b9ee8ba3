package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Request is one model request as it arrived.
type Request struct {
	N        int // from 1, in the order of arrival
	Header   http.Header
	Model    string
	System   string // the texts of the system field, joined by newlines
	Messages []Message
	Tools    []Tool
	Stream   bool
	Raw      json.RawMessage
}

// Message is one message of the conversation.
type Message struct {
	Role  string // user, assistant, system
	Parts []Part
}

// Part is one piece of a message.
type Part struct {
	Type      string // text, thinking, tool_use, tool_result, image …
	Text      string // text and thinking; of a tool_result its texts, joined
	ID        string // tool_use
	Name      string // tool_use
	Input     json.RawMessage
	ToolUseID string // tool_result
	IsError   bool   // tool_result
}

// Tool is one tool that the model was offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	// Namespace is what groups the tool in the Responses API, which names tools
	// within it; Name then begins with it and two underscores.
	Namespace string `json:"-"`
	// FreeText says that the tool takes a text and no JSON object.
	FreeText bool `json:"-"`
}

// Texts returns all texts of a message, joined by newlines.
func (m Message) Texts() string {
	var texts []string
	for _, p := range m.Parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// remarks are how DSH begins messages of its own, which it sends in its user's
// name after what that said.
var remarks = []string{"Current runtime context", "<system-reminder>\nThe following workspace instructions"}

func isRemark(text string) bool {
	return slices.ContainsFunc(remarks, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// LastUserText returns the texts of the newest user message that has any and is
// not a remark; "" when none has.
func (r Request) LastUserText() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == "user" {
			if text := m.Texts(); text != "" && !isRemark(text) {
				return text
			}
		}
	}
	return ""
}

// Everything returns all texts of the conversation, the system field's too,
// for tests of what a model is told.
func (r Request) Everything() string {
	texts := []string{r.System}
	for _, m := range r.Messages {
		texts = append(texts, m.Texts())
	}
	return strings.Join(texts, "\n")
}

// ToolResult returns the newest result of a tool call.
func (r Request) ToolResult(toolUseID string) (Part, bool) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		for _, p := range r.Messages[i].Parts {
			if p.Type == "tool_result" && p.ToolUseID == toolUseID {
				return p, true
			}
		}
	}
	return Part{}, false
}

// Tool returns an offered tool.
func (r Request) Tool(name string) (Tool, bool) {
	for _, t := range r.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// sinceAssistant returns what came after the newest message of the model.
func (r Request) sinceAssistant() []Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "assistant" {
			return r.Messages[i+1:]
		}
	}
	return r.Messages
}

// parseRequest reads the body of a Messages API request.
func parseRequest(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model    string          `json:"model"`
		System   json.RawMessage `json:"system"`
		Stream   bool            `json:"stream"`
		Tools    []Tool          `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Header: header, Model: wire.Model, Tools: wire.Tools, Stream: wire.Stream, Raw: body}
	system, err := parseParts(wire.System)
	if err != nil {
		return Request{}, fmt.Errorf("system: %w", err)
	}
	r.System = Message{Parts: system}.Texts()
	for i, m := range wire.Messages {
		parts, err := parseParts(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Parts: parts})
	}
	return r, nil
}

// parseParts reads content, which is a text or a list of pieces.
func parseParts(raw json.RawMessage) ([]Part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []Part{{Type: "text", Text: text}}, nil
	}
	var wire []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("read content: %w", err)
	}
	parts := make([]Part, 0, len(wire))
	for _, w := range wire {
		p := Part{Type: w.Type, Text: w.Text + w.Thinking, ID: w.ID, Name: w.Name, Input: w.Input, ToolUseID: w.ToolUseID, IsError: w.IsError}
		if w.Type == "tool_result" {
			inner, err := parseParts(w.Content)
			if err != nil {
				return nil, err
			}
			p.Text = Message{Parts: inner}.Texts()
		}
		parts = append(parts, p)
	}
	return parts, nil
}
