package main

import (
	"strings"
	"unicode"
)

// plain makes text of an agent harmless to a terminal: no control characters,
// which could move the cursor or rename the window, and no invisible ones, which
// turn the direction of writing or make two labels look alike. Joiners stay:
// scripts and pictures are written with them.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D:
			return -1
		}
		return r
	}, text)
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
