package mask

import (
	"strings"
	"unicode/utf8"
)

const (
	// longLine is how many bytes without the end of a line are waited for.
	longLine = 64 << 10
	// longSecret is how many of them stay back then: a secret is shorter.
	longSecret = 4 << 10
)

// Stream hides secrets in a text that arrives in pieces, so that one which is
// cut in two does not slip through: it lets out whole lines. It belongs to one
// goroutine.
type Stream struct {
	secrets *Secrets
	held    string
}

// Stream begins a text.
func (s *Secrets) Stream() *Stream { return &Stream{secrets: s} }

// Push takes a piece and returns what may be shown now. The rest comes with the
// next Push or with Flush.
func (s *Stream) Push(piece string) string {
	text := s.held + piece
	cut := s.secrets.safe(text)
	s.held = text[cut:]
	return s.secrets.Hide(text[:cut])
}

// Flush returns what was held back; the text has ended.
func (s *Stream) Flush() string {
	text := s.held
	s.held = ""
	return s.secrets.Hide(text)
}

// safe returns where a text can be cut so that no secret lies across.
func (s *Secrets) safe(text string) int {
	cut := strings.LastIndexAny(text, "\r\n") + 1
	if len(text)-cut > longLine {
		cut = len(text) - longSecret
		if space := strings.LastIndexAny(text[:cut], " \t\r\n"); space >= 0 && cut-space < longSecret {
			cut = space + 1
		}
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
	}
	// A key over several lines, which has not ended.
	if begin := strings.LastIndex(text[:cut], "-----BEGIN"); begin >= 0 && cut-begin < longLine && !strings.Contains(text[begin:cut], "-----END") {
		cut = begin
	}
	return cut - s.begun(text[:cut])
}

// begun is the length of the longest end of a text with which a known value
// begins that does not end there.
func (s *Secrets) begun(text string) int {
	if s == nil {
		return 0
	}
	s.mu.RLock()
	values := s.values
	s.mu.RUnlock()
	longest := 0
	for _, v := range values {
		for n := min(len(v)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, v[:n]) {
				longest = n
			}
		}
	}
	return longest
}
