package main

import (
	"slices"
	"testing"

	"parley/build/clis"
)

// TestCodexWithoutAppServer holds a version of Codex that is run by `codex exec`,
// a process for each message, to what the matrix holds the others to, as far as
// such a version can.
func TestCodexWithoutAppServer(t *testing.T) {
	f := codexFamily
	f.cli, f.version, f.once = clis.CodexOld, "0.99.0", true
	f.ungated = true
	f.impossible = map[string]string{
		"native question":            "it is answered by the CLI itself",
		"approval":                   "it asks nobody",
		"elicitation":                "the CLI declines it",
		"fork":                       "it copies no conversation",
		"image":                      "a picture's name would have to be known at the start",
		"sub-agent":                  "it has none",
		"form of a sub-agent":        "it has none",
		"310 s wait":                 "nothing about it is another than with the app server but the setting, which the config test reads",
		"two forms in one message":   "it makes one call after the other, as with the app server",
		"form over kill -9 and days": "see form closed and kill -9",
	}
	t.Run("in one session", func(t *testing.T) {
		long(t)
		cellChat(t, f)
	})
	for _, c := range cells {
		if f.impossible[c.name] != "" || slices.ContainsFunc(f.chats(), func(p part) bool { return p.name == c.name }) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			long(t)
			c.run(t, f)
		})
	}
}
