package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// geminiContent is what one side says in the Gemini API.
type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text    string `json:"text"`
		Thought bool   `json:"thought"`
		Inline  *struct {
			Mime string `json:"mimeType"`
		} `json:"inlineData"`
		Call *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		Response *struct {
			ID       string          `json:"id"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

// parseGemini reads the body of a request of the Gemini API; the model and
// whether it streams stand in the address. The model's side is the assistant's,
// and the result of a call is the text of what it brought.
func parseGemini(header http.Header, body []byte) (Request, error) {
	var wire struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Schema      json.RawMessage `json:"parametersJsonSchema"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Header: header, System: Message{Parts: wire.System.parts()}.Texts(), Raw: body}
	for _, t := range wire.Tools {
		for _, f := range t.Functions {
			schema := f.Schema
			if schema == nil {
				schema = f.Parameters
			}
			r.Tools = append(r.Tools, Tool{Name: f.Name, Description: f.Description, Schema: schema})
		}
	}
	for _, c := range wire.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		r.Messages = append(r.Messages, Message{Role: role, Parts: c.parts()})
	}
	return r, nil
}

func (c geminiContent) parts() []Part {
	var parts []Part
	for _, p := range c.Parts {
		switch {
		case p.Call != nil:
			parts = append(parts, Part{Type: "tool_use", ID: p.Call.ID, Name: p.Call.Name, Input: p.Call.Args})
		case p.Response != nil:
			text, failed := geminiResult(p.Response.Response)
			parts = append(parts, Part{Type: "tool_result", ToolUseID: p.Response.ID, Text: text, IsError: failed})
		case p.Inline != nil:
			parts = append(parts, Part{Type: "image"})
		case p.Thought:
			parts = append(parts, Part{Type: "thinking", Text: p.Text})
		default:
			parts = append(parts, Part{Type: "text", Text: p.Text})
		}
	}
	return parts
}

// geminiResult is the text of a call's result: what stands under output or error,
// or all of it.
func geminiResult(raw json.RawMessage) (text string, failed bool) {
	var named struct{ Output, Error *string }
	if json.Unmarshal(raw, &named) == nil {
		switch {
		case named.Error != nil:
			return *named.Error, true
		case named.Output != nil:
			return *named.Output, false
		}
	}
	return string(raw), false
}
