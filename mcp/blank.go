package mcp

import (
	"strings"
	"unicode"
)

// brailleBlank is a sign of its own in Unicode, and looks like a space.
const brailleBlank = '\u2800'

// Blank reports whether a person would see nothing of a text: it has spaces,
// controls and characters without a shape alone. Nobody has said anything by it.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != brailleBlank && !unicode.IsSpace(r) && !unicode.In(r,
			unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}
