package bridge

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"parley/mcp"
)

// part is an object of the arguments whose fields go by several names.
type part struct {
	*checker
	at     string
	fields map[string]json.RawMessage
}

// first reads the first of names that holds something, "" when none does. What
// is no text, number, yes or no is refused.
func (p *part) first(names ...string) string {
	for _, name := range names {
		raw := p.fields[name]
		if absent(raw) {
			continue
		}
		v, ok := scalar(raw)
		if !ok {
			p.refuse(p.at+"."+name, "a text", kind(raw))
			return ""
		}
		if !mcp.Blank(v) {
			return v
		}
	}
	return ""
}

// raw returns the first of names that is there.
func (p *part) raw(names ...string) (string, json.RawMessage) {
	for _, name := range names {
		if raw := p.fields[name]; !absent(raw) {
			return name, raw
		}
	}
	return "", nil
}

// flag reads the first of names that is there; a text that says true or false is
// taken for it.
func (p *part) flag(otherwise bool, names ...string) bool {
	name, raw := p.raw(names...)
	if name == "" {
		return otherwise
	}
	var b bool
	if json.Unmarshal(raw, &b) == nil {
		return b
	}
	if s, ok := text(raw); ok {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true":
			return true
		case "false":
			return false
		}
	}
	p.refuse(p.at+"."+name, "true or false", kind(raw))
	return otherwise
}

func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

func isObject(raw json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(raw, &fields) == nil && fields != nil
}

// text reads a JSON text.
func text(raw json.RawMessage) (string, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// scalar reads a text, a number or a yes or no as a text.
func scalar(raw json.RawMessage) (string, bool) {
	if s, ok := text(raw); ok {
		return s, true
	}
	var n json.Number
	var b bool
	switch {
	case absent(raw):
		return "", false
	case json.Unmarshal(raw, &b) == nil:
		return strconv.FormatBool(b), true
	case json.Unmarshal(raw, &n) == nil:
		return n.String(), true
	}
	return "", false
}

// kind names what came, without repeating it: it may be long.
func kind(raw []byte) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "nothing"
	case string(raw) == "null":
		return "null"
	case raw[0] == '"':
		return "a text"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '{':
		return "an object"
	case raw[0] == 't', raw[0] == 'f':
		return "true or false"
	}
	return "a number"
}
