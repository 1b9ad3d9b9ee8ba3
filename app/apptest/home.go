package apptest

import (
	"os"
	"testing"

	"parley/agents/agenttest/leaks"
	"parley/app/paths"
)

// Home makes a scratch home and resolves Parley's folders in it. Its path is
// short, since a socket lies below it. Who has a home leaves nothing behind: the
// test fails if a goroutine or an open file of it is still there at its end.
func Home(tb testing.TB) paths.Dirs {
	tb.Helper()
	leaks.Each(tb)
	dir, err := os.MkdirTemp("", "parley")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return HomeIn(tb, dir)
}

// HomeIn resolves Parley's folders in a folder that is there.
func HomeIn(tb testing.TB, dir string) paths.Dirs {
	tb.Helper()
	dirs, err := paths.Resolve(func(name string) string {
		if name == paths.EnvHome {
			return dir
		}
		return ""
	})
	if err != nil {
		tb.Fatal(err)
	}
	return dirs
}
