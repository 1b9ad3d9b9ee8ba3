package override

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// brackets are an object or a list with what lies in it, by offsets of the body.
type brackets struct {
	open, close int // of the brackets themselves
	items       []span
	trailing    bool // a comma after the last item
	list        bool
}

// span is one item: of an object from its name to the end of its value. comma
// is the offset of the comma behind it, -1 if there is none.
type span struct{ start, end, comma int }

func bracketsOf(v hujson.Value) (brackets, bool) {
	b := brackets{open: v.StartOffset, close: v.EndOffset - 1}
	add := func(start int, v hujson.Value, last bool) {
		s := span{start, v.EndOffset, v.EndOffset + len(v.AfterExtra)}
		if last && v.AfterExtra == nil {
			s.comma = -1
		}
		b.trailing = s.comma >= 0
		b.items = append(b.items, s)
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i, m := range t.Members {
			add(m.Name.StartOffset, m.Value, i == len(t.Members)-1)
		}
	case *hujson.Array:
		b.list = true
		for i, e := range t.Elements {
			add(e.StartOffset, e, i == len(t.Elements)-1)
		}
	default:
		return b, false
	}
	return b, true
}

// A cut replaces bytes from start to end of the body.
type cut struct {
	start, end int
	text       string
}

// spliced is the body with cuts that do not overlap, given in rising order.
func spliced(body []byte, cuts ...cut) []byte {
	var out []byte
	last := 0
	for _, c := range cuts {
		out = append(out, body[last:c.start]...)
		out = append(out, c.text...)
		last = c.end
	}
	return append(out, body[last:]...)
}

// style is how a file is laid out.
type style struct {
	eol  string
	unit string // one step of indentation
}

func styleOf(body []byte) style {
	s := style{eol: "\n", unit: "  "}
	if i := bytes.IndexByte(body, '\n'); i > 0 && body[i-1] == '\r' {
		s.eol = "\r\n"
	}
	for line := range bytes.Lines(body) {
		if ws := blanks(line); len(ws) > 0 && len(ws) < len(bytes.TrimRight(line, "\r\n")) && line[len(ws)] == '"' {
			s.unit = ws
			break
		}
	}
	return s
}

// blanks are the spaces and tabs at the start of a line.
func blanks(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// lineIndent is the indentation of the line that holds an offset.
func lineIndent(body []byte, offset int) string {
	start := 1 + bytes.LastIndexByte(body[:offset], '\n')
	return blanks(body[start:offset])
}

// startsLine reports whether nothing but blanks stands before an offset on its
// line.
func startsLine(body []byte, offset int) bool {
	start := 1 + bytes.LastIndexByte(body[:offset], '\n')
	return start > 0 && len(bytes.TrimLeft(body[start:offset], " \t")) == 0
}

// insert adds an item at the end. write makes its text for an indentation.
func (b brackets) insert(body []byte, st style, write func(indent string) string) []byte {
	if len(b.items) == 0 {
		return b.insertFirst(body, st, write)
	}
	last := b.items[len(b.items)-1]
	comma, end := cut{last.end, last.end, ","}, ""
	p := last.end
	if b.trailing {
		comma, p, end = cut{}, last.comma+1, ","
	}
	if !startsLine(body, last.start) {
		text := " " + write(lineIndent(body, last.start)) + end
		if b.trailing {
			return spliced(body, cut{p, p, text})
		}
		return spliced(body, cut{p, p, "," + text})
	}
	indent := lineIndent(body, last.start)
	text := cut{text: st.eol + indent + write(indent) + end}
	text.start = endOfLineComments(body, p, b.close)
	text.end = text.start
	if b.trailing {
		return spliced(body, text)
	}
	return spliced(body, comma, text)
}

func (b brackets) insertFirst(body []byte, st style, write func(indent string) string) []byte {
	inner := body[b.open+1 : b.close]
	words := bytes.TrimRight(inner, " \t\r\n")
	if b.list && !bytes.ContainsAny(inner, "\n/") {
		return spliced(body, cut{b.open + 1, b.close, write(lineIndent(body, b.open))})
	}
	outer := lineIndent(body, b.open)
	indent := outer + st.unit
	p := b.open + 1 + len(words)
	rest := cut{p, b.close, st.eol + indent + write(indent) + st.eol + outer}
	if space := inner[len(words):]; bytes.ContainsRune(space, '\n') && startsLine(body, b.close) {
		rest = cut{p, p, st.eol + indent + write(indent)} // the bracket stays on its own line
	}
	return spliced(body, rest)
}

// endOfLineComments skips the comments that follow on the same line, so that
// what is inserted does not come between an item and its comment.
func endOfLineComments(body []byte, p, limit int) int {
	for {
		q := p
		for q < limit && (body[q] == ' ' || body[q] == '\t') {
			q++
		}
		switch {
		case bytes.HasPrefix(body[q:limit], []byte("//")):
			end := bytes.IndexByte(body[q:limit], '\n')
			if end < 0 {
				return p // cannot be: a bracket follows the comment
			}
			end += q
			if body[end-1] == '\r' {
				end--
			}
			return end
		case bytes.HasPrefix(body[q:limit], []byte("/*")):
			end := bytes.Index(body[q+2:limit], []byte("*/"))
			if end < 0 || bytes.ContainsRune(body[q:q+2+end], '\n') {
				return p
			}
			p = q + 2 + end + 2
		default:
			return p
		}
	}
}

// remove takes an item away, with its comma and, where it had lines of its own,
// those. Comments around it stay.
func (b brackets) remove(body []byte, i int) []byte {
	item := b.items[i]
	var cuts []cut
	if item.comma < 0 && i > 0 {
		// The last one goes, so the one before it is the last and needs no comma.
		before := b.items[i-1].comma
		cuts = append(cuts, cut{before, before + 1, ""})
	}
	gone := cut{item.start, item.end, ""}
	var comma []cut
	if item.comma == item.end {
		gone.end++
	} else if item.comma > 0 {
		comma = []cut{{item.comma, item.comma + 1, ""}}
	}
	rest := bytes.TrimLeft(body[gone.end:b.close], " \t")
	blank := b.close - len(rest) // the next thing after the item
	lineEnds := blank < b.close && (body[blank] == '\n' || body[blank] == '\r')
	switch {
	case startsLine(body, item.start) && lineEnds:
		// From the end of the line before to the end of its own.
		gone.start -= len(lineIndent(body, item.start))
		gone.end = blank + 1
		if body[blank] == '\r' && body[blank+1] == '\n' {
			gone.end++
		}
	case i == len(b.items)-1 && len(b.items) > 1:
		gone.start -= len(body[:gone.start]) - len(bytes.TrimRight(body[:gone.start], " \t"))
		if len(cuts) > 0 {
			gone.start = max(gone.start, cuts[0].end)
		}
	case item.comma == item.end:
		gone.end = blank
	}
	return spliced(body, append(append(cuts, gone), comma...)...)
}

// write lays a value out: objects over lines, everything else on one.
func write(v hujson.Value, st style, indent string) string {
	obj, ok := v.Value.(*hujson.Object)
	if !ok || len(obj.Members) == 0 {
		return writeLine(v)
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range obj.Members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(st.eol + indent + st.unit + string(m.Name.Value.(hujson.Literal)) + ": " + write(m.Value, st, indent+st.unit))
	}
	b.WriteString(st.eol + indent + "}")
	return b.String()
}

func writeLine(v hujson.Value) string {
	switch t := v.Value.(type) {
	case hujson.Literal:
		return string(t)
	case *hujson.Array:
		parts := make([]string, len(t.Elements))
		for i, e := range t.Elements {
			parts[i] = writeLine(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *hujson.Object:
		parts := make([]string, len(t.Members))
		for i, m := range t.Members {
			parts[i] = string(m.Name.Value.(hujson.Literal)) + ": " + writeLine(m.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "null"
}
