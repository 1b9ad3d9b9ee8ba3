package live

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
	"parley/agents/agenttest/programs"
)

// Shim is the path of parley-run.
var Shim string

// Main is a package's TestMain: it finds the shim, runs the tests and wants
// nothing left behind. The test program is an MCP server when Server says so.
func Main(m *testing.M, known ...goleak.Option) {
	if os.Getenv(serverEnv) != "" {
		os.Exit(serve())
	}
	var err error
	if Shim, err = programs.Path("parley-run"); err != nil {
		panic(err)
	}
	os.Exit(leaks.Run(m, known...))
}
