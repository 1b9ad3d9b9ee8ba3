package override

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"parley/mcp"
)

// Change is one change of a text. Path names the member from the root on.
type Change struct {
	Path  []string
	op    op
	value string // JSON of set, text of include and exclude
}

type op int

const (
	opSet op = iota
	opRemove
	opInclude
	opExclude
	opRename
)

// Set gives a member a value in JSON; objects on the way that are missing are
// made.
func Set(value string, path ...string) Change { return Change{Path: path, op: opSet, value: value} }

// Remove takes a member away; one that is not there is no error. An object that
// this leaves empty stays.
func Remove(path ...string) Change { return Change{Path: path, op: opRemove} }

// Include puts a text into a list, which is made when it is missing; a text
// that is there already is not put in twice.
func Include(text string, path ...string) Change {
	return Change{Path: path, op: opInclude, value: text}
}

// Exclude takes a text out of a list, however often it is there.
func Exclude(text string, path ...string) Change {
	return Change{Path: path, op: opExclude, value: text}
}

// Rename gives a member another name and leaves it where it is; one that is not
// there is no error.
func Rename(name string, path ...string) Change {
	return Change{Path: path, op: opRename, value: name}
}

// Empty is the text of a new file.
const Empty = `{
  "$schema": "./` + SchemaName + `",
  "version": 1
}
`

// Apply makes the changes one after the other and writes older names of servers
// anew. Everything that they do not name stays as it is, byte for byte:
// comments, order, unknown keys, line ends, a byte order mark. The result is
// read again and held against what the changes mean before it is returned.
func Apply(text []byte, changes ...Change) ([]byte, error) {
	var err error
	for _, c := range changes {
		if text, err = apply(text, c); err != nil {
			return nil, err
		}
	}
	d, err := parseText(text)
	if err != nil {
		return nil, err
	}
	for _, c := range renamings(d.root) {
		if text, err = apply(text, c); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func apply(text []byte, c Change) ([]byte, error) {
	for _, s := range append(slices.Clone(c.Path), c.value) {
		if !utf8.ValidString(s) { // JSON would hold another text in its place
			return nil, fmt.Errorf("%q cannot be written into the file: it is not UTF-8", s)
		}
	}
	d, err := parseText(text)
	if err != nil {
		return nil, err
	}
	body, err := d.change(c)
	if err != nil {
		return nil, err
	}
	var out []byte
	if bytes.HasPrefix(text, bom) {
		out = append(out, bom...)
	}
	out = append(out, body...)
	if err := prove(text, out, c); err != nil {
		return nil, err
	}
	return out, nil
}

// change returns the new body; the same one when there is nothing to do.
func (d document) change(c Change) ([]byte, error) {
	at := d.root
	for i, name := range c.Path {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, invalid(d.place(at.StartOffset), "An object in braces belongs here.")
		}
		n := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
		if n < 0 {
			return d.make(at, c, c.Path[i:])
		}
		if i == len(c.Path)-1 {
			return d.changeMember(at, n, c)
		}
		at = obj.Members[n].Value
	}
	return nil, fmt.Errorf("a change names no member")
}

// make adds what a change needs and is not there.
func (d document) make(at hujson.Value, c Change, missing []string) ([]byte, error) {
	value := c.value
	switch c.op {
	case opRemove, opExclude, opRename:
		return d.body, nil
	case opInclude:
		value = "[" + quote(c.value) + "]"
	}
	for _, name := range slices.Backward(missing[1:]) {
		value = "{" + quote(name) + ":" + value + "}"
	}
	v, err := hujson.Parse([]byte(value))
	if err != nil {
		return nil, fmt.Errorf("a change holds no JSON: %w", err)
	}
	b, _ := bracketsOf(at)
	st := styleOf(d.body)
	return b.insert(d.body, st, func(indent string) string {
		if len(b.items) > 0 && !startsLine(d.body, b.items[len(b.items)-1].start) {
			return quote(missing[0]) + ": " + writeLine(v)
		}
		return quote(missing[0]) + ": " + write(v, st, indent)
	}), nil
}

func (d document) changeMember(parent hujson.Value, n int, c Change) ([]byte, error) {
	m := parent.Value.(*hujson.Object).Members[n]
	switch c.op {
	case opRemove:
		b, _ := bracketsOf(parent)
		return b.remove(d.body, n), nil
	case opRename:
		return spliced(d.body, cut{m.Name.StartOffset, m.Name.EndOffset, quote(c.value)}), nil
	case opSet:
		v, err := hujson.Parse([]byte(c.value))
		if err != nil {
			return nil, fmt.Errorf("a change holds no JSON: %w", err)
		}
		return spliced(d.body, cut{m.Value.StartOffset, m.Value.EndOffset, write(v, styleOf(d.body), lineIndent(d.body, m.Name.StartOffset))}), nil
	}
	arr, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, invalid(d.place(m.Value.StartOffset), "A list in square brackets belongs here.")
	}
	b, _ := bracketsOf(m.Value)
	n = slices.IndexFunc(arr.Elements, func(e hujson.Value) bool { return isText(e, c.value) })
	if c.op == opInclude {
		if n >= 0 {
			return d.body, nil
		}
		return b.insert(d.body, styleOf(d.body), func(string) string { return quote(c.value) }), nil
	}
	if n < 0 {
		return d.body, nil
	}
	again := document{body: b.remove(d.body, n)}
	next, err := parseText(again.body)
	if err != nil {
		return nil, err
	}
	return next.change(c)
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

func isText(v hujson.Value, text string) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == '"' && lit.String() == text
}

func quote(s string) string { return string(hujson.String(s)) }

// renamings are the changes that write older names of servers anew. Where both
// names are present, the fields of today's win.
func renamings(root hujson.Value) []Change {
	const older, newer = mcp.OlderInteractionServer, mcp.InteractionServer
	var out []Change
	each := func(section string, do func(path []string, v hujson.Value)) {
		agents := membersOf(root, section)
		for _, agent := range slices.Sorted(maps.Keys(agents)) {
			profiles := membersOf(agents[agent])
			for _, profile := range slices.Sorted(maps.Keys(profiles)) {
				do([]string{section, agent, profile}, profiles[profile])
			}
		}
	}
	each("overrides", func(path []string, servers hujson.Value) {
		old, ok := membersOf(servers)[older]
		if !ok {
			return
		}
		at := func(more ...string) []string { return slices.Concat(path, more) }
		today, both := membersOf(servers)[newer]
		if !both {
			out = append(out, Rename(newer, at(older)...))
			return
		}
		has, fields := membersOf(today), membersOf(old)
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if _, ok := has[field]; !ok {
				out = append(out, Set(writeLine(fields[field]), at(newer, field)...))
			}
		}
		out = append(out, Remove(at(older)...))
	})
	each("disabled", func(path []string, list hujson.Value) {
		arr, ok := list.Value.(*hujson.Array)
		if ok && slices.ContainsFunc(arr.Elements, func(e hujson.Value) bool { return isText(e, older) }) {
			out = append(out, Include(newer, path...), Exclude(older, path...))
		}
	})
	return out
}

// membersOf are the members of the object at a path, none when there is none.
func membersOf(v hujson.Value, path ...string) map[string]hujson.Value {
	for _, name := range path {
		v = membersOf(v)[name]
	}
	out := map[string]hujson.Value{}
	if obj, ok := v.Value.(*hujson.Object); ok {
		for _, m := range obj.Members {
			out[nameOf(m)] = m.Value
		}
	}
	return out
}

// prove holds the data of a changed text against what the change means: an edit
// of a text by offsets is trusted only when it can be read back.
func prove(before, after []byte, c Change) error {
	want, err := data(before)
	if err != nil {
		return err
	}
	if err := c.mean(want); err != nil {
		return err
	}
	got, err := data(after)
	if err != nil {
		return fmt.Errorf("the change would spoil the file: %w", err)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("the change would alter more of the file than it names (%q)", c.Path)
	}
	return nil
}

// data is what a text says without how it is written.
func data(text []byte) (map[string]any, error) {
	d, err := parseText(text)
	if err != nil {
		return nil, err
	}
	d.root = d.root.Clone()
	d.root.Standardize()
	dec := json.NewDecoder(bytes.NewReader(d.root.Pack()))
	dec.UseNumber() // a big number must not pass for another
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return nil, invalid(d.place(d.root.StartOffset), "The file must be an object in braces.")
	}
	return m, nil
}

// mean makes the change in plain data.
func (c Change) mean(m map[string]any) error {
	last := len(c.Path) - 1
	for _, name := range c.Path[:last] {
		next, ok := m[name].(map[string]any)
		if !ok {
			if c.op != opSet && c.op != opInclude {
				return nil
			}
			next = map[string]any{}
			m[name] = next
		}
		m = next
	}
	name := c.Path[last]
	list, _ := m[name].([]any)
	switch c.op {
	case opRemove:
		delete(m, name)
	case opRename:
		if v, ok := m[name]; ok {
			m[c.value] = v
			delete(m, name)
		}
	case opInclude:
		if !slices.Contains(list, any(c.value)) {
			m[name] = append(list, c.value)
		}
	case opExclude:
		if list != nil {
			m[name] = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == any(c.value) })
		}
	case opSet:
		dec := json.NewDecoder(bytes.NewReader([]byte(c.value)))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("a change holds no JSON: %w", err)
		}
		m[name] = v
	}
	return nil
}
