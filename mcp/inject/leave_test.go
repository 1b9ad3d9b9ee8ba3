package inject_test

import (
	"encoding/json"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"parley/mcp"
	"parley/mcp/inject"
)

// Theirs are switched off by name, and one of ours with such a name is not.
func TestOpenCodeLeavesOutTheirs(t *testing.T) {
	catalog := mcp.Catalog{{Name: "docs", Transport: mcp.Stdio, Command: "/bin/docs"}}
	got, _, err := inject.OpenCode(catalog, inject.OpenCodeOwn{Folder: "/run", LeaveOut: []string{"own", "docs"}})
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Servers map[string]map[string]any `json:"mcp"`
	}
	if err := json.Unmarshal(got, &config); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(map[string]any{"enabled": false}, config.Servers["own"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if config.Servers["docs"]["enabled"] != true {
		t.Errorf("ours is %v", config.Servers["docs"])
	}
}

// A family that Parley has no means for keeps its own servers, and the person is
// told so; a new one is asked about here.
func TestWhoLeavesOut(t *testing.T) {
	can := map[inject.Leaving][]string{
		inject.LeavesAll:   {"claude", "pi"},
		inject.LeavesNamed: {"codex", "opencode"},
	}
	for _, family := range families {
		want := inject.LeavesNone
		for way, list := range can {
			if slices.Contains(list, family) {
				want = way
			}
		}
		if got := inject.Leaves(family); got != want {
			t.Errorf("%s leaves out %q, want %q", family, got, want)
		}
	}
}
