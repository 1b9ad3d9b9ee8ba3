package app

import (
	"strings"
	"unicode"
)

// mostMarks is how many combining marks any language stacks on one letter. More
// would paint over other lines.
const mostMarks = 4

// Plain makes text of an agent harmless to what shows it as it is, a terminal or
// the system's notices: no control characters, which could move the cursor or
// rename the window, no invisible ones, which turn the direction of writing or
// make two labels look alike, and no towers of marks. Joiners stay: scripts and
// pictures are written with them.
func Plain(text string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			if marks++; marks > mostMarks {
				return -1
			}
		} else {
			marks = 0
		}
		if r != '\n' && r != '\t' && Steers(r) {
			return -1
		}
		return r
	}, text)
}

// Steers reports whether a character moves, hides or turns something instead of
// saying something.
func Steers(r rune) bool {
	switch r {
	case 0x200C, 0x200D: // joiners
		return false
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2028, 0x2029, 0x3164, 0xFFA0: // show nothing, or break lines
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r >= 0xE0000 && r <= 0xE0FFF
}
