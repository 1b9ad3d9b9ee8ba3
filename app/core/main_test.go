package core_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"parley/agents/agenttest/leaks"
	"parley/app/core"
	"parley/app/paths"
)

// envBackend makes this test binary a back end in the folder of PARLEY_HOME,
// which a test can then kill.
const envBackend = "PARLEY_TEST_BACKEND"

func TestMain(m *testing.M) {
	if os.Getenv(envBackend) != "" {
		os.Exit(runBackend())
	}
	os.Exit(leaks.Run(m))
}

func runBackend() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dirs, err := paths.Resolve(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	a, err := core.Open(ctx, core.Config{Dirs: dirs, Version: "test"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("open")
	<-ctx.Done()
	if err := a.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
