package override

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"parley/mcp/catalogue"
)

// Version is the version of the file's shape.
const Version = 1

// Bounds of a file.
const (
	maxSize  = 4 << 20 // bytes
	maxDepth = 32      // of brackets; the shape itself needs six
)

// Invalid says why a text is not taken. It has at least one problem, in the
// order of the text.
type Invalid struct{ Problems []catalogue.Problem }

// Error is the first problem with its place.
func (e *Invalid) Error() string {
	p := e.Problems[0]
	text := fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Text)
	if n := len(e.Problems); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

var bom = []byte("\xef\xbb\xbf")

// document is a parsed text. Offsets of values count from the start of body.
type document struct {
	body  []byte // the text without its byte order mark
	lines []int  // offsets at which lines start
	root  hujson.Value
}

// parseText reads JSON with comments and trailing commas; the error is *Invalid.
func parseText(text []byte) (document, error) {
	d := document{body: bytes.TrimPrefix(text, bom), lines: []int{0}}
	for i, c := range d.body {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	switch {
	case len(text) > maxSize:
		return d, invalid(catalogue.Place{Line: 1, Column: 1}, "The file has %d bytes; at most %d are read.", len(text), maxSize)
	case len(bytes.TrimSpace(d.body)) == 0:
		return d, invalid(catalogue.Place{Line: 1, Column: 1}, "The file is empty. A file without any server holds {}.")
	}
	for i := 0; i < len(d.body); {
		r, n := utf8.DecodeRune(d.body[i:])
		if r == utf8.RuneError && n == 1 {
			return d, invalid(d.place(i), "The file is not UTF-8.")
		}
		i += n
	}
	if at := tooDeep(d.body); at >= 0 {
		return d, invalid(d.place(at), "Brackets are nested more than %d deep.", maxDepth)
	}
	// The parser wants a comment on the last line to end in a line break.
	body := append(d.body[:len(d.body):len(d.body)], '\n')
	root, err := hujson.Parse(body)
	if err != nil {
		at, why := 0, err
		var line, column int // in bytes
		if _, scanned := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanned == nil {
			why, at = errors.Unwrap(err), d.offset(line, column)
		}
		text := why.Error() + "."
		if errors.Is(err, io.ErrUnexpectedEOF) {
			text = "The file ends too early: a bracket, a quote or a comment is still open."
		} else if start, duration, ok := d.bareDuration(at); ok {
			at, text = start, fmt.Sprintf("A duration must be text: write %q.", duration)
		}
		return d, invalid(d.place(at), "%s", upper(text))
	}
	d.root = root
	return d, nil
}

var durationLine = regexp.MustCompile(`"timeout"\s*:\s*((?:[0-9]+(?:\.[0-9]+)?\s*(?:ms|s|m|h)\s*)+)`)

// bareDuration finds a duration without quotes where a text cannot be read on:
// the slip that is made most.
func (d document) bareDuration(at int) (start int, duration string, ok bool) {
	line := d.lines[d.place(at).Line-1]
	end := len(d.body)
	if n := bytes.IndexByte(d.body[line:], '\n'); n >= 0 {
		end = line + n
	}
	for _, m := range durationLine.FindAllSubmatchIndex(d.body[line:end], -1) {
		if start, end := line+m[2], line+m[3]; start <= at && at <= end {
			return start, strings.Join(strings.Fields(string(d.body[start:end])), ""), true
		}
	}
	return 0, "", false
}

// tooDeep returns the offset of the bracket that is one too many, -1 if none
// is. The parser recurses, so it must not see such a text.
func tooDeep(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(b[i:], []byte("//")):
			end := bytes.IndexByte(b[i:], '\n')
			if end < 0 {
				return -1
			}
			i += end
		case bytes.HasPrefix(b[i:], []byte("/*")):
			end := bytes.Index(b[i+2:], []byte("*/"))
			if end < 0 {
				return -1
			}
			i += end + 3
		case b[i] == '{' || b[i] == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case b[i] == '}' || b[i] == ']':
			depth--
		}
	}
	return -1
}

// place is the place of an offset.
func (d document) place(offset int) catalogue.Place {
	offset = min(offset, len(d.body))
	line, found := slices.BinarySearch(d.lines, offset)
	if found {
		line++
	}
	return catalogue.Place{Line: line, Column: 1 + utf8.RuneCount(d.body[d.lines[line-1]:offset])}
}

// offset is the offset of a line and column, the end when they lie behind it.
func (d document) offset(line, column int) int {
	if line > len(d.lines) {
		return len(d.body)
	}
	return min(d.lines[line-1]+column-1, len(d.body))
}

func invalid(at catalogue.Place, format string, args ...any) *Invalid {
	return &Invalid{[]catalogue.Problem{{Text: fmt.Sprintf(format, args...), Place: at}}}
}

// Parse reads a file's text. The error is *Invalid and lists everything that is
// wrong; keys that this version does not know are left alone.
func Parse(text []byte) (catalogue.Config, error) {
	d, err := parseText(text)
	if err != nil {
		return catalogue.Config{}, err
	}
	r := reader{document: d}
	r.file()
	if len(r.problems) > 0 {
		return catalogue.Config{}, &Invalid{r.problems}
	}
	return r.config, nil
}

// reader turns a document into a config and notes what does not fit.
type reader struct {
	document
	config   catalogue.Config
	problems []catalogue.Problem
}

func (r *reader) refuse(v hujson.Value, path, format string, args ...any) {
	r.problems = append(r.problems, catalogue.Problem{Path: path, Text: fmt.Sprintf(format, args...), Place: r.place(v.StartOffset)})
}

// member is one named value of an object.
type member struct {
	name  string
	key   hujson.Value
	value hujson.Value
}

// members reads an object; a name that is there twice is refused, since the one
// that would be lost may be the one that was meant.
func (r *reader) members(v hujson.Value, path, what string) []member {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		r.refuse(v, path, "%s must be an object in braces.", what)
		return nil
	}
	seen := map[string]bool{}
	var out []member
	for _, m := range obj.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if seen[name] {
			r.refuse(m.Name, join(path, name), "%q is there twice.", name)
			continue
		}
		seen[name] = true
		out = append(out, member{name, m.Name, m.Value})
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (r *reader) file() {
	for _, m := range r.members(r.root, "", "The file") {
		switch m.name {
		case "version":
			if lit, ok := m.value.Value.(hujson.Literal); !ok || lit.Kind() != '0' || lit.Int() < 1 {
				r.refuse(m.value, m.name, "The version must be %d.", Version)
			} else if lit.Int() > Version {
				r.refuse(m.value, m.name, "The file is of version %s and this Parley reads version %d. A newer Parley wrote it.", lit, Version)
			}
		case "servers":
			for _, s := range r.members(m.value, "servers", "servers") {
				r.config.Servers = append(r.config.Servers, r.entry(s, "servers."+s.name))
			}
		case "overrides":
			r.scopes(m, func(agent, profile, path string, v hujson.Value) {
				for _, s := range r.members(v, path, path) {
					r.config.Rules = append(r.config.Rules, catalogue.Rule{Agent: agent, Profile: profile, Entry: r.entry(s, path+"."+s.name)})
				}
			})
		case "disabled":
			r.scopes(m, r.switches)
		}
	}
}

// scopes reads agent → profile → something.
func (r *reader) scopes(m member, each func(agent, profile, path string, v hujson.Value)) {
	for _, agent := range r.members(m.value, m.name, m.name) {
		path := m.name + "." + agent.name
		for _, profile := range r.members(agent.value, path, path) {
			each(agent.name, profile.name, path+"."+profile.name, profile.value)
		}
	}
}

func (r *reader) switches(agent, profile, path string, v hujson.Value) {
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		r.refuse(v, path, `%s must be a list of servers, such as ["docs"].`, path)
		return
	}
	seen := map[string]bool{}
	for _, e := range arr.Elements {
		lit, ok := e.Value.(hujson.Literal)
		if !ok || lit.Kind() != '"' {
			r.refuse(e, path, "A disable list holds names of servers, in quotes.")
			continue
		}
		if name := lit.String(); !seen[name] {
			seen[name] = true
			r.config.Switches = append(r.config.Switches, catalogue.Switch{Agent: agent, Profile: profile, Name: name, Place: r.place(e.StartOffset)})
		}
	}
}

func (r *reader) entry(s member, path string) catalogue.Entry {
	e := catalogue.Entry{Name: s.name, Fields: catalogue.Fields{}, Place: r.place(s.key.StartOffset)}
	for _, m := range r.members(s.value, path, path) {
		kind, known := catalogue.KindOf(m.name)
		if known && kind == catalogue.KindTable {
			r.table(e, m, path)
			continue
		}
		if strings.Contains(m.name, ".") {
			known = false // "env.KEY" is our way to speak of a row, not the file's
		}
		if !known {
			// The catalogue says that it is not known. What it holds is nobody's.
			e.Fields[m.name] = catalogue.Field{Value: catalogue.Null(), Place: r.place(m.key.StartOffset)}
			continue
		}
		r.field(e, m.name, m.value, path)
	}
	return e
}

// table reads env or headers; each row is a field of its own.
func (r *reader) table(e catalogue.Entry, m member, path string) {
	if lit, ok := m.value.Value.(hujson.Literal); ok && lit.Kind() == 'n' {
		e.Fields[m.name] = catalogue.Field{Value: catalogue.Null(), Place: r.place(m.value.StartOffset)}
		return
	}
	if _, ok := m.value.Value.(*hujson.Object); !ok {
		err := catalogue.CheckField(m.name, catalogue.Text(""))
		r.refuse(m.value, path+"."+m.name, "%s.", upper(err.Error()))
		return
	}
	for _, row := range r.members(m.value, path+"."+m.name, m.name) {
		r.field(e, m.name+"."+row.name, row.value, path)
	}
}

func (r *reader) field(e catalogue.Entry, name string, v hujson.Value, path string) {
	value, ok := valueOf(v)
	if !ok {
		value = catalogue.Value{Kind: "other"} // no field wants it, so the check says what it does want
	}
	if err := catalogue.CheckField(name, value); err != nil {
		r.refuse(v, path+"."+name, "%s.", upper(err.Error()))
		return
	}
	e.Fields[name] = catalogue.Field{Value: value, Place: r.place(v.StartOffset)}
}

func valueOf(v hujson.Value) (catalogue.Value, bool) {
	switch t := v.Value.(type) {
	case hujson.Literal:
		switch t.Kind() {
		case 'n':
			return catalogue.Null(), true
		case 't', 'f':
			return catalogue.Bool(t.Bool()), true
		case '"':
			return catalogue.Text(t.String()), true
		}
	case *hujson.Array:
		list := catalogue.List()
		for _, e := range t.Elements {
			lit, ok := e.Value.(hujson.Literal)
			if !ok || lit.Kind() != '"' {
				return catalogue.Value{}, false
			}
			list.List = append(list.List, lit.String())
		}
		return list, true
	}
	return catalogue.Value{}, false
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
