package main

import (
	"strings"
	"unicode"
)

// plain makes text of an agent harmless to a terminal: no control characters,
// which could move the cursor or rename the window, and none that turn the
// direction of writing, which could make one label look like another.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), isTurning(r):
			return -1
		}
		return r
	}, text)
}

// isTurning reports whether a character is one of Unicode's invisible marks for
// the direction of writing.
func isTurning(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// oneLine is a text as it fits into a list.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// indent puts a mark before each line.
func indent(text, mark string) string {
	return mark + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+mark)
}
