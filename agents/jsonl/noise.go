package jsonl

import "bytes"

const esc = 0x1b

var byteOrderMark = []byte("\uFEFF")

// trimNoise removes from the front of b what may stand before an object without
// being a part of it (blanks, control characters, terminal sequences, a byte
// order mark) and blanks from its end.
func trimNoise(b []byte) []byte {
	for len(b) > 0 {
		switch {
		case b[0] == esc:
			b = b[sequence(b):]
		case b[0] <= ' ' || b[0] == 0x7f:
			b = b[1:]
		case bytes.HasPrefix(b, byteOrderMark):
			b = b[len(byteOrderMark):]
		default:
			return bytes.TrimRight(b, " \t\r\n")
		}
	}
	return b
}

// sequence returns the length of the terminal sequence that b begins with, or 1
// when what follows the escape is none that is complete: then only the escape
// is noise and the rest is shown. An opening brace never belongs to one here,
// though the standard would allow it as a last byte: it begins an object.
func sequence(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	switch b[1] {
	case '[': // CSI: parameters, then one final byte from @ to ~
		return finalByte(b, 2, 0x40)
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: text until BEL or ST
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == esc && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return 1
	default: // intermediates, then one final byte from 0 to ~
		return finalByte(b, 1, 0x30)
	}
}

// finalByte returns the length of a sequence that ends with a byte from lowest
// to '~', looked for from index from on, with only bytes from ' ' on before it.
func finalByte(b []byte, from int, lowest byte) int {
	for i := from; i < len(b); i++ {
		switch {
		case b[i] == '{' || b[i] < ' ' || b[i] > '~':
			return 1
		case b[i] >= lowest:
			return i + 1
		}
	}
	return 1
}
