package agenttest

import (
	"os"
	"testing"
)

// Long leaves a test out of the usual run: it starts a CLI several times more, and
// each start costs seconds of computing. `make long` runs it.
func Long(tb testing.TB) {
	tb.Helper()
	if os.Getenv("PARLEY_LONG") != "1" {
		tb.Skip("it starts the CLI several times more; make long runs it")
	}
}
