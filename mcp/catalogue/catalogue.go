// Package catalogue decides which MCP servers an agent gets. It owns the terms
// of the override file (entries, rules, fields) and the one function that turns
// them into an effective set, with the origin of every value. It does no I/O
// and knows neither the file's syntax nor any CLI's. Everything in it is a
// value or a pure function and may be used from any goroutine.
package catalogue

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Any is the agent or the profile of a rule that holds for all of them.
const Any = "*"

// DefaultProfile is the profile of whoever names none.
const DefaultProfile = "default"

// Config is what a person wrote. The order of its lists has no meaning, and no
// two rules of one list have the same names.
type Config struct {
	Servers  []Entry  // custom servers
	Rules    []Rule   // overrides
	Switches []Switch // disable lists
}

// Entry is one server with the fields that are given for it.
type Entry struct {
	Name   string
	Fields Fields
	Place
}

// Rule changes fields of a server for an agent and a profile; each may be Any.
type Rule struct {
	Agent, Profile string
	Entry
}

// Switch turns a server off for an agent and a profile; each may be Any.
type Switch struct {
	Agent, Profile string
	Name           string
	Place
}

// Place is where something stands in the file, both from 1; zero is nowhere.
// Columns count characters.
type Place struct{ Line, Column int }

// Names of fields. A variable or header is a field of its own, such as
// "env.KEY"; "env" alone stands for all of them and can only be null.
const (
	FieldType     = "type"
	FieldCommand  = "command"
	FieldArgs     = "args"
	FieldEnv      = "env"
	FieldCwd      = "cwd"
	FieldURL      = "url"
	FieldHeaders  = "headers"
	FieldTimeout  = "timeout"
	FieldEnabled  = "enabled"
	FieldAgents   = "agents"
	FieldProfiles = "profiles"
)

// FieldNames lists the fields in the order in which they are shown.
var FieldNames = []string{
	FieldType, FieldCommand, FieldArgs, FieldEnv, FieldCwd, FieldURL, FieldHeaders, FieldTimeout, FieldEnabled, FieldAgents, FieldProfiles,
}

// Fields are values by field name, tables flattened ("env.KEY").
type Fields map[string]Field

// Field is a value and where it stands.
type Field struct {
	Value Value
	Place
}

// Kind is a value's type.
type Kind string

// Kinds.
const (
	KindNull  Kind = "null" // takes the field away
	KindText  Kind = "text"
	KindList  Kind = "list"  // of texts
	KindBool  Kind = "bool"  // true or false
	KindTable Kind = "table" // of texts; flattened, so never a Value's
)

// Value is the value of one field.
type Value struct {
	Kind Kind
	Text string
	List []string
	Bool bool
}

// Null, Text, List and Bool make values.
func Null() Value              { return Value{Kind: KindNull} }
func Text(s string) Value      { return Value{Kind: KindText, Text: s} }
func List(s ...string) Value   { return Value{Kind: KindList, List: s} }
func Bool(b bool) Value        { return Value{Kind: KindBool, Bool: b} }
func (v Value) IsNull() bool   { return v.Kind == KindNull }
func (v Value) String() string { return v.JSON() }

// Equal reports whether two values are the same.
func (v Value) Equal(o Value) bool {
	return v.Kind == o.Kind && v.Text == o.Text && v.Bool == o.Bool && slices.Equal(v.List, o.List)
}

// JSON is the value as one writes it into the file, on one line.
func (v Value) JSON() string {
	switch {
	case v.Kind == KindBool:
		return strconv.FormatBool(v.Bool)
	case v.Kind == KindText && isPlain(v.Text):
		return `"` + v.Text + `"` // nearly every value, and views have thousands
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	var err error
	switch v.Kind {
	case KindText:
		err = enc.Encode(v.Text)
	case KindList:
		err = enc.Encode(append([]string{}, v.List...))
	default:
		return "null"
	}
	if err != nil {
		return "null" // texts, lists of texts and booleans always have a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return true
}

// KindOf is the kind that a field wants; ok is false for an unknown field.
func KindOf(field string) (kind Kind, ok bool) {
	if table, _, inTable := strings.Cut(field, "."); inTable {
		return KindText, table == FieldEnv || table == FieldHeaders
	}
	switch field {
	case FieldType, FieldCommand, FieldCwd, FieldURL, FieldTimeout:
		return KindText, true
	case FieldArgs, FieldAgents, FieldProfiles:
		return KindList, true
	case FieldEnabled:
		return KindBool, true
	case FieldEnv, FieldHeaders:
		return KindTable, true
	}
	return "", false
}

// Bounds of a timeout. A CLI ignores less than a second, and some count it in
// 32 bits of milliseconds.
const (
	MinTimeout = time.Second
	MaxTimeout = 24 * 24 * time.Hour
)
