package agents

import (
	"regexp"
	"strings"
)

// What belongs to nothing that is stored or shown, wherever an agent sends it
// back: in the input of a tool, in a raw line, in its text. A context id is a
// capability of one turn and goes out with the latest input; a launch token lets
// an agent's MCP server in, and lies in a file that the agent could read.
const (
	contextPrefix = "pctx_"
	// LaunchToken begins every launch token.
	LaunchToken = "plaunch_"
	// idLength is that of what follows either: 32 bytes in base64.
	idLength = 43
)

var (
	ids = regexp.MustCompile(`(` + contextPrefix + `|` + LaunchToken + `)[A-Za-z0-9_-]{43}`)
	// What is written instead must not look like the beginning of an id.
	instead = map[string]string{contextPrefix: "[context id]", LaunchToken: "[launch token]"}
)

// Redact replaces every context id and launch token in a text. It may be used on
// JSON: what it writes needs no escaping.
func Redact(text string) string {
	if !strings.Contains(text, contextPrefix) && !strings.Contains(text, LaunchToken) {
		return text
	}
	return ids.ReplaceAllStringFunc(text, func(id string) string { return instead[id[:len(id)-idLength]] })
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
	from := max(0, len(text)-len(LaunchToken)-idLength+1)
	for i := from; i < len(text); i++ {
		if begins(text[i:], contextPrefix) || begins(text[i:], LaunchToken) {
			return i
		}
	}
	return len(text)
}

// begins reports whether rest is the beginning of an id of that kind, and no
// more than that.
func begins(rest, prefix string) bool {
	if len(rest) < len(prefix) {
		return strings.HasPrefix(prefix, rest)
	}
	return strings.HasPrefix(rest, prefix) && len(rest) < len(prefix)+idLength && allIDCharacters(rest[len(prefix):])
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
