package leaks_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
)

func TestMain(m *testing.M) { os.Exit(leaks.Run(m)) }

// What is there once the patience ends is found, each by itself; what goes
// before that is none.
func TestCheck(t *testing.T) {
	before := leaks.Descriptors()
	if len(before) == 0 {
		t.Skip("open descriptors are looked for in /proc, which this system does not have")
	}
	mine := goleak.IgnoreCurrent()
	impatient, cancel := context.WithCancel(t.Context())
	cancel()

	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := leaks.Check(impatient, before, mine); err == nil || !strings.Contains(err.Error(), os.DevNull) || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("an open file: %v", err)
	}
	end := make(chan struct{})
	go func() { <-end }()
	go func() { file.Close(); close(end) }()
	if err := leaks.Check(t.Context(), before, mine); err != nil {
		t.Errorf("what is on its way out: %v", err)
	}

	held := make(chan struct{})
	go func() { <-held }()
	if err := leaks.Check(impatient, before, mine); err == nil || !strings.Contains(err.Error(), "goroutine") || strings.Contains(err.Error(), "descriptor") {
		t.Errorf("a goroutine: %v", err)
	}
	close(held)
}
