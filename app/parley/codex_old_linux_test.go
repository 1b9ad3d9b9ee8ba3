package main

import (
	"slices"
	"testing"

	"parley/build/clis"
)

// TestLongCodexWithoutAppServer holds a version of Codex that is run by `codex exec`,
// a process for each message, to what the matrix holds the others to, as far as
// such a version can.
func TestLongCodexWithoutAppServer(t *testing.T) {
	long(t)
	f := codexFamily
	f.cli, f.version, f.once = clis.CodexOld, "0.99.0", true
	f.ungated = true
	f.impossible = map[string]string{
		"native question":     "it is answered by the CLI itself",
		"approval":            "it asks nobody",
		"elicitation":         "the CLI declines it",
		"fork":                "it copies no conversation",
		"image":               "a picture's name would have to be known at the start",
		"sub-agent":           "it has none",
		"form of a sub-agent": "it has none",
	}
	t.Run("in one session", func(t *testing.T) { cellChat(t, f) })
	for _, c := range cells {
		if f.impossible[c.name] != "" || slices.ContainsFunc(f.chats(), func(p part) bool { return p.name == c.name }) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.run(t, f) })
	}
}
