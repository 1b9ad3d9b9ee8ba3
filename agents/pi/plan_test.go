package pi_test

import (
	"slices"
	"testing"

	"parley/agents"
	"parley/agents/pi"
)

// The flag that leaves out the person's own servers is given where the version has
// it: an older one would not start with it.
func TestOwnServersAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		version   string
		own, want bool
	}{
		{"1.6.0", false, true}, {"0.99.0", false, true}, {"", false, true},
		{"0.98.3", false, false}, {"0.74.2", false, false}, {"1.6.0", true, false},
	} {
		launch, err := pi.New().Plan(agents.Install{Path: "/n/pi", Version: c.version}, agents.SessionSpec{RunDir: "/run", OwnServers: c.own})
		if got := slices.Contains(launch.Argv, "--no-mcp"); err != nil || got != c.want {
			t.Errorf("version %q, kept %v: %q, %v", c.version, c.own, launch.Argv, err)
		}
	}
}
