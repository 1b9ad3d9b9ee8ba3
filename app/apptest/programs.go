package apptest

import (
	"path/filepath"
	"testing"

	"parley/agents/agenttest/programs"
)

// Program returns the path of one of Parley's programs.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := programs.Path(name)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Build builds a program of a test's own from a package of this module, such as
// "./app/session/testdata/agent", and returns its path.
func Build(tb testing.TB, pkg string) string {
	tb.Helper()
	path, err := programs.Build(pkg)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Programs returns the folder that several of them lie in.
func Programs(tb testing.TB, names ...string) string {
	tb.Helper()
	var dir string
	for _, name := range names {
		dir = filepath.Dir(Program(tb, name))
	}
	return dir
}
