package app

import (
	"fmt"
	"unicode/utf8"
)

// MaxPart is the most bytes that an event keeps of an output, an input, a diff
// or a line that was not understood: its first and last half of that.
const MaxPart = 256 << 10

// HeadAndTail keeps both ends of a text that is longer than MaxPart, whole
// characters and a line that says how much is missing; cut says that it did.
func HeadAndTail(s string) (short string, cut bool) {
	if len(s) <= MaxPart {
		return s, false
	}
	head, tail := MaxPart/2, len(s)-MaxPart/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s[:head], tail-head, s[tail:]), true
}
