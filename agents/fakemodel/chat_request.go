package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// parseChat reads the body of a Chat Completions request. Calls become parts of
// the assistant's messages, results of calls messages of the user, and what the
// system says its own text, so that a script reads the same for every API.
func parseChat(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			Reasoning string          `json:"reasoning_content"`
			CallID    string          `json:"tool_call_id"`
			Calls     []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Header: header, Model: wire.Model, Stream: wire.Stream, Raw: body}
	for _, t := range wire.Tools {
		r.Tools = append(r.Tools, Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	for i, m := range wire.Messages {
		parts, err := parseParts(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("message %d: %w", i, err)
		}
		for j := range parts {
			if parts[j].Type == "image_url" {
				parts[j].Type = "image"
			}
		}
		switch m.Role {
		case "system", "developer":
			if r.System != "" {
				r.System += "\n"
			}
			r.System += Message{Parts: parts}.Texts()
			continue
		case "tool":
			m.Role = "user"
			parts = []Part{{Type: "tool_result", ToolUseID: m.CallID, Text: Message{Parts: parts}.Texts()}}
		}
		if m.Reasoning != "" {
			parts = append([]Part{{Type: "thinking", Text: m.Reasoning}}, parts...)
		}
		for _, c := range m.Calls {
			parts = append(parts, Part{Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)})
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Parts: parts})
	}
	return r, nil
}
