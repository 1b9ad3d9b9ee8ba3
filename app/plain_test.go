package app_test

import (
	"strings"
	"testing"

	"parley/app"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mred\x1b]0;title\x07\u009b2J":          "[31mred]0;title2J",
		"safe\u202egnp.exe\u2066x\u2069\u200f":         "safegnp.exex",
		"Al\u200blow\u2060 on\ufeffce\u3164\U000e0041": "Allow once",
		"Z" + strings.Repeat("\u0300", 300) + "!":      "Z" + strings.Repeat("\u0300", 4) + "!",
		"one\ntwo\tthree\r\u2028four":                  "one\ntwo\tthreefour",
		"नमस्ते 👩\u200d💻 ñ café":                       "नमस्ते 👩\u200d💻 ñ café",
	} {
		if got := app.Plain(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
