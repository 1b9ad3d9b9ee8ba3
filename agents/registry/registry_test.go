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
		if !info.WhenFound {
			order = append(order, info.Family)
		}
		if info.Name == "" || len(info.Mark) != 2 || len(info.Binaries) == 0 || len(info.Caps.Modes) == 0 {
			t.Errorf("%s tells %+v", info.Family, info)
		}
	}
	if diff := cmp.Diff([]agents.Family{agents.Claude, agents.Codex, agents.OpenCode, agents.Pi, agents.Grok, agents.DSH, agents.Demo}, order); diff != "" {
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

// What a person names is an agent of its own, and takes the place of a known one
// of the same id.
func TestOwnACPAgents(t *testing.T) {
	own := []registry.Own{
		{ID: "mine", Name: "My agent", Command: "/opt/mine", Args: []string{"--acp"}, Env: map[string]string{"B": "2", "A": "1"}, Modes: map[string]string{"ask": "", "full": "yolo"}},
		{ID: "gemini", Name: "Patched Gemini", Command: "gemini-dev"},
	}
	found := map[agents.Family]agents.Adapter{}
	for _, a := range registry.All(registry.Programs{Parley: "/bin/parley", Version: "1"}, own...) {
		if found[a.Info().Family] != nil {
			t.Errorf("%s is listed twice", a.Info().Family)
		}
		found[a.Info().Family] = a
	}
	mine := found["acp:mine"]
	launch, err := mine.Plan(agents.Install{Path: "/opt/mine", Args: []string{"--acp"}}, agents.SessionSpec{Cwd: "/w", Mode: agents.ModeFull})
	if err != nil {
		t.Fatal(err)
	}
	want := agents.Launch{Argv: []string{"/opt/mine", "--acp"}, Env: []string{"PATH=/opt", "A=1", "B=2"}, Dir: "/w", Connect: agents.ConnectStdio}
	if diff := cmp.Diff(want, launch); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]agents.Mode{agents.ModeAsk, agents.ModeFull}, mine.Info().Caps.Modes); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	info := found["acp:gemini"].Info()
	if info.Name != "Patched Gemini" || info.WhenFound || !cmp.Equal(info.Binaries, []string{"gemini-dev"}) || !cmp.Equal(info.Caps.Modes, []agents.Mode{agents.ModeAsk}) {
		t.Errorf("the person's own Gemini is %+v", info)
	}
	if hermes := found["acp:hermes"]; hermes == nil || !hermes.Info().PlanOnly || !hermes.Info().WhenFound {
		t.Error("Hermes may ask")
	}
}
