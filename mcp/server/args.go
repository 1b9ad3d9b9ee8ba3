package server

import (
	"fmt"

	"parley/mcp/bridge"
)

// arguments reads the fields of a call. A field that is missing or null is
// absent; unknown ones are never looked at. The first field of a wrong type is
// kept in err and everything after it is read as absent.
type arguments struct {
	fields map[string]any
	path   string // before a field's name, such as "options[2]."
	err    **bridge.Error
}

// newArguments takes the arguments as JSON decodes them.
func newArguments(raw any) arguments {
	a := arguments{err: new(*bridge.Error)}
	switch v := raw.(type) {
	case map[string]any:
		a.fields = v
	case nil:
	default:
		a.refuse("arguments", "an object", kindOf(raw))
	}
	return a
}

func (a arguments) refuse(field, limit, got string) {
	if *a.err == nil {
		*a.err = bridge.Invalid(field, limit, got)
	}
}

// problem is the first refusal, as an error that is nil when there was none.
func (a arguments) problem() error {
	if *a.err == nil {
		return nil
	}
	return *a.err
}

func (a arguments) has(name string) bool { return a.fields[name] != nil }

// required reads a text that must be there; text one that may be missing.
func (a arguments) required(name string) string {
	if !a.has(name) {
		a.refuse(a.path+name, "given", "nothing")
	}
	return a.text(name)
}

func (a arguments) text(name string) string {
	v := a.fields[name]
	if v == nil {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		a.refuse(a.path+name, "a text", kindOf(v))
	}
	return s
}

func (a arguments) flag(name string) bool {
	v := a.fields[name]
	if v == nil {
		return false
	}
	b, ok := v.(bool)
	if !ok {
		a.refuse(a.path+name, "true or false", kindOf(v))
	}
	return b
}

func (a arguments) list(name string) []any {
	v := a.fields[name]
	if v == nil {
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		a.refuse(a.path+name, "a list", kindOf(v))
	}
	return l
}

// texts reads a list of texts.
func (a arguments) texts(name string) []string {
	items := a.list(name)
	out := make([]string, 0, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok {
			a.refuse(fmt.Sprintf("%s%s[%d]", a.path, name, i), "a text", kindOf(item))
		}
		out = append(out, s)
	}
	return out
}

// objects reads a list of objects.
func (a arguments) objects(name string) []arguments {
	items := a.list(name)
	out := make([]arguments, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s%s[%d]", a.path, name, i)
		fields, ok := item.(map[string]any)
		if !ok {
			a.refuse(at, "an object", kindOf(item))
		}
		out = append(out, arguments{fields: fields, path: at + ".", err: a.err})
	}
	return out
}

// kindOf names what came, without repeating it: it may be long.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case float64:
		return "a number"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
