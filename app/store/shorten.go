package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/app"
)

// maxPart is the most bytes that an event keeps of an output, an input, a diff
// or a line that was not understood: its first and last half of that.
const maxPart = 256 << 10

// shorten returns data with over-long parts cut, and marked where the payload
// has a mark for it. What the person and the agent say to each other is never
// cut.
func shorten(data app.EventData) app.EventData {
	switch d := data.(type) {
	case *app.ToolCompleted:
		return shorten(*d)
	case app.ToolCompleted:
		var cut bool
		d.Output, cut = headAndTail(d.Output)
		d.Truncated = d.Truncated || cut
		return d
	case *app.ToolStarted:
		return shorten(*d)
	case app.ToolStarted:
		d.Input, _ = headAndTail(d.Input)
		return d
	case *app.FileChanged:
		return shorten(*d)
	case app.FileChanged:
		d.Diff, _ = headAndTail(d.Diff)
		return d
	case *app.Unknown:
		return shorten(*d)
	case app.Unknown:
		d.Raw, _ = headAndTail(d.Raw)
		return d
	}
	return data
}

// headAndTail keeps both ends of a long text, whole characters and a line that
// says how much is missing.
func headAndTail(s string) (string, bool) {
	if len(s) <= maxPart {
		return s, false
	}
	head, tail := maxPart/2, len(s)-maxPart/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", s[:head], tail-head, s[tail:]), true
}

// text makes s fit for a TEXT column: what isn't UTF-8 becomes the replacement
// character, as it does in JSON.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
