package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// Every patch still fits the code, and the test that must notice it is there.
// Whether it does notice takes minutes: make sabotage.
func TestPatchesStillApply(t *testing.T) {
	patches, err := load(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(patches) < 20 {
		t.Errorf("there are %d patches", len(patches))
	}
	for _, p := range patches {
		cmd := exec.Command("git", "apply", "--check", p.path)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s does not apply any more, so nothing is proved by it; renew it:\n%s", p.name, out)
		}
		if !named(t, p.test) {
			t.Errorf("%s wants the test %s, which is not there", p.name, p.test)
		}
	}
}

func named(t *testing.T, want test) bool {
	t.Helper()
	if want.page {
		data, err := os.ReadFile(filepath.Join(root, "frontend", want.in))
		// A part of a full name may reach from a group into its test.
		words := strings.Fields(want.name)
		return err == nil && strings.Contains(string(data), words[len(words)-1])
	}
	files, err := filepath.Glob(filepath.Join(root, want.in, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "func "+want.name+"(") {
			return true
		}
	}
	return false
}

func TestHeadsAreRead(t *testing.T) {
	for head, want := range map[string]string{
		"What: w\nTest: go ./a B\n":            "go ./a B",
		"What: w\nTest: page src/x.ts a b c\n": "page src/x.ts a b c",
		"Test: go ./a B\n":                     "",
		"What: w\n":                            "",
		"What: w\nTest: go ./a\n":              "",
		"What: w\nTest: rust a b\n":            "",
	} {
		var p patch
		err := p.parse(head + "\ndiff --git a/x b/x\n")
		if got := p.test; (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: %v, %v", head, got, err)
		}
	}
	if err := new(patch).parse("What: w\nTest: go ./a B\n"); err == nil {
		t.Error("a patch without a diff was taken")
	}
}
