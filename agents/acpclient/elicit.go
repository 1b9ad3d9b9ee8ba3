package acpclient

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"parley/agents"
)

// elicitation is an elicitation/create. The SDK's type loses the session, the
// tool call and the order of the fields.
type elicitation struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId"`
	Mode       string `json:"mode"` // form, url
	Message    string `json:"message"`
	URL        string `json:"url"`
	Schema     struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	} `json:"requestedSchema"`
}

// property is one field of the form: a flat JSON schema.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []titled        `json:"oneOf"`
	Default     json.RawMessage `json:"default"`
	Format      string          `json:"format"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
	Items       *propertyItems  `json:"items"`
}

type propertyItems struct {
	Enum  []string `json:"enum"`
	AnyOf []titled `json:"anyOf"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
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
		return in, e.URL != ""
	}
	names, properties, ok := ordered(e.Schema.Properties)
	if !ok {
		return in, false
	}
	for i, name := range names {
		field, ok := properties[i].field(name, slices.Contains(e.Schema.Required, name))
		if !ok {
			return in, false
		}
		in.Fields = append(in.Fields, field)
	}
	return in, true
}

// ordered reads an object with its keys in the order of the text: it is the
// order in which the author wants to ask.
func ordered(raw json.RawMessage) ([]string, []property, bool) {
	if len(raw) == 0 {
		return nil, nil, true
	}
	var names []string
	var properties []property
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, nil, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, false
		}
		var p property
		if err := dec.Decode(&p); err != nil {
			return nil, nil, false
		}
		names, properties = append(names, key.(string)), append(properties, p)
	}
	return names, properties, true
}

func (p property) field(name string, required bool) (agents.Field, bool) {
	f := agents.Field{
		ID: name, Question: p.Title, Description: p.Description, Required: required,
		Format: p.Format, Minimum: p.Minimum, Maximum: p.Maximum, MinLength: p.MinLength, MaxLength: p.MaxLength,
		Default: defaults(p.Default),
	}
	if f.Question == "" {
		f.Question = name
	}
	switch {
	case p.Type == "array" && p.Items != nil:
		f.Type, f.Multi = "choice", true
		f.Options = options(p.Items.Enum, nil, p.Items.AnyOf)
	case len(p.Enum) > 0 || len(p.OneOf) > 0:
		f.Type = "choice"
		f.Options = options(p.Enum, p.EnumNames, p.OneOf)
	case p.Type == "boolean" || p.Type == "number" || p.Type == "integer":
		f.Type = p.Type
	case p.Type == "string":
		f.Type, f.FreeText = "text", true
	default:
		return f, false
	}
	return f, f.Type != "choice" || len(f.Options) > 0
}

func options(values, names []string, choices []titled) []agents.Option {
	var out []agents.Option
	for i, value := range values {
		o := agents.Option{Label: value, Value: value}
		if i < len(names) && names[i] != "" {
			o.Label = names[i]
		}
		out = append(out, o)
	}
	for _, c := range choices {
		o := agents.Option{Label: c.Title, Value: c.Const}
		if o.Label == "" {
			o.Label = c.Const
		}
		out = append(out, o)
	}
	return out
}

// defaults reads a default of any type as texts.
func defaults(raw json.RawMessage) []string {
	var list []string
	var one string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &list) == nil:
		return list
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}
	default:
		return []string{string(raw)}
	}
}

// answer turns the outcome into the protocol's answer. Only a response that
// accepts carries content.
func (e *elicitation) answer(fields []agents.Field, o agents.Outcome) acp.UnstableCreateElicitationResponse {
	switch {
	case o.Reason == "response" && o.Action == "accept":
		content, ok := content(fields, o.Answers)
		if !ok {
			return elicitationCancelled()
		}
		return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Content: content}}
	case o.Reason == "response" || o.Refused != "":
		return acp.UnstableCreateElicitationResponse{Decline: &acp.UnstableCreateElicitationDecline{}}
	default:
		return elicitationCancelled()
	}
}

func elicitationCancelled() acp.UnstableCreateElicitationResponse {
	return acp.UnstableCreateElicitationResponse{Cancel: &acp.UnstableCreateElicitationCancel{}}
}

// content gives every answer the type that the schema asks for. An answer that
// does not fit its type makes the whole unusable.
func content(fields []agents.Field, answers map[string][]string) (map[string]any, bool) {
	out := map[string]any{}
	for _, f := range fields {
		given := answers[f.ID]
		if f.Multi {
			values := []string{}
			for _, g := range given {
				values = append(values, value(f, g))
			}
			if len(given) > 0 || f.Required {
				out[f.ID] = values
			}
			continue
		}
		if len(given) == 0 || given[0] == "" && !f.Required {
			continue
		}
		value, err := typed(f, given[0])
		if err != nil {
			return nil, false
		}
		out[f.ID] = value
	}
	return out, true
}

func typed(f agents.Field, given string) (any, error) {
	switch f.Type {
	case "boolean":
		return strconv.ParseBool(strings.ToLower(given))
	case "integer":
		return strconv.ParseInt(strings.TrimSpace(given), 10, 64)
	case "number":
		return strconv.ParseFloat(strings.TrimSpace(given), 64)
	default:
		return value(f, given), nil
	}
}

// value is what the schema calls the option that a person knows by its label.
func value(f agents.Field, given string) string {
	for _, o := range f.Options {
		if given == o.Value || given == o.Label {
			return o.Value
		}
	}
	return given
}
