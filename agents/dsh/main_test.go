package dsh_test

import (
	"testing"

	"parley/agents/agenttest/live"
)

func TestMain(m *testing.M) { live.Main(m) }
