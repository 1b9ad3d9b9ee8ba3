package registry_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/demo"
	"parley/agents/registry"
)

func TestAll(t *testing.T) {
	var order []agents.Family
	for _, a := range registry.All(registry.Programs{Parley: "/bin/parley"}) {
		info := a.Info()
		order = append(order, info.Family)
		if info.Name == "" || len(info.Mark) != 2 || len(info.Binaries) == 0 || len(info.Caps.Modes) == 0 {
			t.Errorf("%s tells %+v", info.Family, info)
		}
	}
	if diff := cmp.Diff([]agents.Family{agents.Claude, agents.Codex, agents.Pi, agents.Demo}, order); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
}

// TestDemoIsOurOwnProgram checks how the demo agent is found and launched.
func TestDemoIsOurOwnProgram(t *testing.T) {
	for _, a := range registry.All(registry.Programs{Parley: "/bin/parley", State: "/state"}) {
		if a.Info().Family != agents.Demo {
			continue
		}
		if diff := cmp.Diff([]string{"/bin/parley"}, a.Info().Binaries); diff != "" {
			t.Errorf("binaries (-want +got):\n%s", diff)
		}
		launch, err := a.Plan(agents.Install{Path: "/bin/parley", Args: []string{"agent", "demo"}}, agents.SessionSpec{Cwd: "/w", Mode: agents.ModeFull})
		if err != nil {
			t.Fatal(err)
		}
		want := agents.Launch{Argv: []string{"/bin/parley", "agent", "demo"}, Env: []string{"PATH=/bin", demo.EnvState + "=" + filepath.Join("/state", "demo")}, Dir: "/w", Connect: agents.ConnectStdio}
		if diff := cmp.Diff(want, launch); diff != "" {
			t.Errorf("launch (-want +got):\n%s", diff)
		}
		return
	}
	t.Error("no demo agent")
}
