package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
)

// Shim is the path of parley-run, built once for the test program.
var Shim string

// Main is a package's TestMain: it builds the shim, runs the tests and wants
// nothing left behind. The test program is an MCP server when Server says so.
func Main(m *testing.M, known ...goleak.Option) {
	if os.Getenv(serverEnv) != "" {
		os.Exit(serve())
	}
	dir, err := os.MkdirTemp("", "parley-live-")
	if err != nil {
		panic(err)
	}
	Shim = filepath.Join(dir, "parley-run")
	if out, err := exec.Command("go", "build", "-o", Shim, "parley/agents/parley-run").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build parley-run: %v\n%s", err, out))
	}
	code := leaks.Run(m, known...)
	os.RemoveAll(dir)
	os.Exit(code)
}
