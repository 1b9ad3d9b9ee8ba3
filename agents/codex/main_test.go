package codex_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// shim is parley-run, built once for this test binary.
var shim string

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) != "" {
		os.Exit(serveMCP())
	}
	dir, err := os.MkdirTemp("", "codex-test-")
	if err != nil {
		panic(err)
	}
	shim = filepath.Join(dir, "parley-run")
	if out, err := exec.Command("go", "build", "-o", shim, "parley/agents/parley-run").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build parley-run: %v\n%s", err, out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// roleVar makes the test binary an MCP server.
const roleVar = "PARLEY_CODEX_TEST_ROLE"
