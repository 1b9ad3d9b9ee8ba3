package agenttest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares values, one a line as JSON after their type, with a file, or
// writes the file anew.
func Golden[V any](t testing.TB, path string, values []V, write bool) {
	t.Helper()
	var lines []string
	for _, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s", strings.TrimPrefix(fmt.Sprintf("%T", v), "agents."), raw))
	}
	GoldenLines(t, path, lines, write)
}

// GoldenLines compares lines with a file, or writes the file anew.
func GoldenLines(t testing.TB, path string, lines []string, write bool) {
	t.Helper()
	var got strings.Builder
	for _, line := range lines {
		got.WriteString(line + "\n")
	}
	if write {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
