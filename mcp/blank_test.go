package mcp_test

import (
	"testing"

	"parley/mcp"
)

func TestBlank(t *testing.T) {
	for _, s := range []string{"", " \t\n", "\u00a0\u3000", "\u200b\u200e\ufeff", "\x00\x1b", "\u2800", "\u3164\uffa0\u115f\u1160", "\u034f\ufe0f", "\U000e0041"} {
		if !mcp.Blank(s) {
			t.Errorf("%q can be seen", s)
		}
	}
	for _, s := range []string{"x", " . ", "\u200by", "❤\ufe0f", "한", "\ufffd", "⠁"} {
		if mcp.Blank(s) {
			t.Errorf("%q can't be seen", s)
		}
	}
}
