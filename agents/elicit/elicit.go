// Package elicit reads the forms that MCP servers ask a person to fill in: a
// flat JSON schema becomes questions, and answers become the content that the
// schema wants. Agents pass such forms on over protocols of their own; the
// schema is the same in all of them. It knows no protocol and no family, and
// everything in it is pure.
package elicit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/agents"
)

// property is one field of a form.
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
	MinItems    *int            `json:"minItems"`
	MaxItems    *int            `json:"maxItems"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []titled `json:"anyOf"`
		OneOf []titled `json:"oneOf"`
	} `json:"items"`
}

// titled is a choice whose value and label differ.
type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// Fields turns a schema into questions, in the order in which its author wrote
// them. The error says which field cannot be asked; the form is then to be
// refused as a whole, since a part of it answers nothing.
func Fields(schema json.RawMessage) ([]agents.Field, error) {
	if len(schema) == 0 || string(schema) == "null" {
		return nil, nil
	}
	var form struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	names, properties, err := ordered(form.Properties)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	var fields []agents.Field
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the field %q comes twice, so an answer would be of both", name)
		}
		f, err := properties[i].field(name)
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(form.Required, name)
		fields = append(fields, f)
	}
	return fields, nil
}

// ordered reads an object with its keys in the order of the text.
func ordered(raw json.RawMessage) ([]string, []property, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil, nil
	}
	var names []string
	var properties []property
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, nil, fmt.Errorf("properties are no object: %s", raw[:min(len(raw), 40)])
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var p property
		if err := dec.Decode(&p); err != nil {
			return nil, nil, fmt.Errorf("field %v: %w", key, err)
		}
		names, properties = append(names, key.(string)), append(properties, p)
	}
	return names, properties, nil
}

func (p property) field(name string) (agents.Field, error) {
	f := agents.Field{
		ID: name, Question: p.Title, Description: p.Description, Default: texts(p.Default),
		Format: p.Format, Minimum: p.Minimum, Maximum: p.Maximum, MinLength: p.MinLength, MaxLength: p.MaxLength,
		MinItems: p.MinItems, MaxItems: p.MaxItems,
	}
	if f.Question == "" {
		f.Question = name
	}
	switch {
	case p.Type == "array" && p.Items != nil:
		f.Type, f.Multi = "choice", true
		f.Options = options(p.Items.Enum, nil, append(p.Items.AnyOf, p.Items.OneOf...))
	case p.Enum != nil || p.OneOf != nil: // an empty one allows nothing, and no text either
		f.Type = "choice"
		f.Options = options(p.Enum, p.EnumNames, p.OneOf)
	case p.Type == "boolean", p.Type == "number", p.Type == "integer":
		f.Type = p.Type
	case p.Type == "string":
		f.Type, f.FreeText = "text", true
	default:
		return f, fmt.Errorf("field %q has the type %q, which cannot be asked", name, p.Type)
	}
	if f.Type == "choice" && len(f.Options) == 0 {
		return f, fmt.Errorf("field %q is a choice without options", name)
	}
	return f, nil
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

// texts reads a default of any type.
func texts(raw json.RawMessage) []string {
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

// Link checks the address that a person is asked to open: it must lead to a web
// page and to nothing on this computer, and show where it leads.
func Link(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return fmt.Errorf("the address cannot be read")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("the address leads to no web page")
	case u.User != nil:
		return fmt.Errorf("the address names a user, which hides where it leads")
	case len(address) > maxLink || strings.ContainsFunc(address, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }):
		return fmt.Errorf("the address cannot be shown as it is")
	}
	return nil
}

// maxLink is the longest address, in bytes, that is shown.
const maxLink = 4096

// Content is what goes along with an accepted request: every answer in the type
// that its field asks for, unanswered fields left out. An answer that does not fit
// its type is an error, and nothing may be sent then. With a link it is nil: what
// was entered there is no content of ours.
func Content(in agents.Interaction, answers map[string][]string) (map[string]any, error) {
	if in.URL != "" {
		return nil, nil
	}
	out := map[string]any{}
	for _, f := range in.Fields {
		given := answers[f.ID]
		switch {
		case f.Multi && (len(given) > 0 || f.Required):
			values := []string{}
			for _, g := range given {
				values = append(values, Value(f, g))
			}
			out[f.ID] = values
		case f.Multi || len(given) == 0 || given[0] == "" && !f.Required:
		default:
			v, err := typed(f, given[0])
			if err != nil {
				return nil, fmt.Errorf("field %q: %q is no %s", f.ID, given[0], f.Type)
			}
			out[f.ID] = v
		}
	}
	return out, nil
}

func typed(f agents.Field, given string) (any, error) {
	switch f.Type {
	case "boolean":
		return strconv.ParseBool(strings.ToLower(strings.TrimSpace(given)))
	case "integer":
		return strconv.ParseInt(strings.TrimSpace(given), 10, 64)
	case "number":
		return strconv.ParseFloat(strings.TrimSpace(given), 64)
	default:
		return Value(f, given), nil
	}
}

// Value is what the asker calls the option that a person knows by its label; a
// value, and a text that is no option, stay as they are. The label of one option
// may be the value of another, so values come first.
func Value(f agents.Field, given string) string {
	if slices.ContainsFunc(f.Options, func(o agents.Option) bool { return o.Value == given }) {
		return given
	}
	for _, o := range f.Options {
		if o.Value != "" && given == o.Label {
			return o.Value
		}
	}
	return given
}
