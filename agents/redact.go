package agents

import (
	"regexp"
	"strings"
)

// A context id is a capability of one turn. It goes out with the latest input
// and belongs to nothing that is stored or shown, so adapters redact it where
// an agent sends it back: in the input of a tool, in a raw line, in its text.
const (
	contextPrefix = "pctx_"
	contextLength = len(contextPrefix) + 43
	redactedID    = "[context id]" // must not look like the beginning of an id
)

var contextID = regexp.MustCompile(contextPrefix + `[A-Za-z0-9_-]{43}`)

// Redact replaces every context id in a text. It may be used on JSON: what it
// writes needs no escaping.
func Redact(text string) string {
	if !strings.Contains(text, contextPrefix) {
		return text
	}
	return contextID.ReplaceAllString(text, redactedID)
}

// Redactor redacts a text that arrives in pieces, so that an id which is cut in
// two does not slip through. The zero value is ready. It belongs to one
// goroutine.
type Redactor struct{ held string }

// Push takes a piece and returns what may be shown now. The rest, never more
// than one id, comes with the next Push or with Flush.
func (r *Redactor) Push(piece string) string {
	text := Redact(r.held + piece)
	keep := unfinished(text)
	r.held = text[keep:]
	return text[:keep]
}

// Flush returns what was held back; the text has ended.
func (r *Redactor) Flush() string {
	text := r.held
	r.held = ""
	return text
}

// unfinished returns where in text an id begins that its end cuts off, or the
// length of text.
func unfinished(text string) int {
	from := max(0, len(text)-contextLength+1)
	for i := from; i < len(text); i++ {
		rest := text[i:]
		if len(rest) < len(contextPrefix) {
			if strings.HasPrefix(contextPrefix, rest) {
				return i
			}
			continue
		}
		if strings.HasPrefix(rest, contextPrefix) && allIDCharacters(rest[len(contextPrefix):]) {
			return i
		}
	}
	return len(text)
}

func allIDCharacters(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
