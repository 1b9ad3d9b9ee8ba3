package filediff_test

import (
	"strings"
	"testing"

	"parley/agents/filediff"
)

func TestUnified(t *testing.T) {
	old := "one\ntwo\nthree\n"
	for _, c := range []struct {
		name           string
		before         *string
		after          string
		added, removed int
		want           string
	}{
		{"edit", &old, "one\nTWO\n-- half\nthree\n", 2, 1, "--- a/x/a.txt\n+++ b/x/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+-- half\n three\n"},
		{"new file", nil, "one\n", 1, 0, "--- /dev/null\n+++ b/x/a.txt\n@@ -0,0 +1,1 @@\n+one\n"},
		{"emptied", &old, "", 0, 3, "--- a/x/a.txt\n+++ b/x/a.txt\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"},
		{"same", &old, old, 0, 0, ""},
	} {
		text, added, removed := filediff.Unified("/x/a.txt", c.before, c.after)
		if text != c.want || added != c.added || removed != c.removed {
			t.Errorf("%s: +%d -%d\n%s", c.name, added, removed, text)
		}
	}
}

func TestTooLongToCompare(t *testing.T) {
	if text, added, removed := filediff.Unified("a", nil, strings.Repeat("x\n", filediff.Limit)); text != "" || added != -1 || removed != -1 {
		t.Errorf("+%d -%d and %d bytes", added, removed, len(text))
	}
}
