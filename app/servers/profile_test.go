package servers_test

import (
	"strings"
	"testing"

	"parley/app"
)

const ofProfiles = `{
  // mine
  "servers": {
    "a": { "command": "uvx", "profiles": ["work", "play"] }, // narrowed
    "b": { "command": "uvx" }
  },
  "overrides": {
    "codex": { "work": { "a": { "timeout": "10m" /* slow */ } }, "*": { "work": { "timeout": "1m" } } },
    "*": { "play": { "b": { "timeout": "2m" } } }
  },
  "disabled": { "claude": { "work": ["b"] } }
}
`

// A profile's name is written anew wherever it stands, and nothing else is: not a
// server of that name, not a comment.
func TestAProfileIsRenamedInTheFile(t *testing.T) {
	w := newWorld(t, ofProfiles)
	if got := strings.Join(w.s.Profiles(), " "); got != "play work" {
		t.Errorf("profiles: %s", got)
	}
	if err := w.s.RenameProfile(t.Context(), "work", "job"); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`["work", "play"]`, `["play", "job"]`, `"codex": { "work"`, `"codex": { "job"`, `"claude": { "work"`, `"claude": { "job"`).Replace(ofProfiles)
	if got := w.get(w.path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := w.s.RenameProfile(t.Context(), "nobody's", "x"); err != nil || w.get(w.path) != want {
		t.Errorf("a name that is not there: %v", err)
	}
	if err := w.s.RemoveProfile(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	if got := w.get(w.path); strings.Contains(got, "10m") || !strings.Contains(got, `["play", "job"]`) || !strings.Contains(got, "// mine") {
		t.Errorf("removed:\n%s", got)
	}
	w.put(w.path, "{")
	w.open()
	if err := w.s.RenameProfile(t.Context(), "play", "x"); app.ErrorCode(err) != app.CodeInvalidArgument || w.get(w.path) != "{" {
		t.Errorf("a broken file: %v", err)
	}
}
