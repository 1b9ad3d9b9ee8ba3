package grok_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/grok"
	"parley/build/clis"
	"parley/mcp"
)

// The suite that every family must pass, on the real CLI.
func TestConformance(t *testing.T) {
	agenttest.Long(t)
	model := live.Suite(t, live.Moves{
		Read: func(id string) fakemodel.Reply {
			return live.Call(id, "read_file", map[string]any{"target_file": "a.txt"})
		},
		Remove: func(id string) fakemodel.Reply {
			return live.Call(id, "run_terminal_command", map[string]any{"command": "rm -f b.txt", "description": "clear"})
		},
		Refused: func(p fakemodel.Part) bool { return strings.Contains(p.Text, "was not executed") },
	})
	home := live.Home(t)
	local := grok.New("test").(agents.Local).AtModel(model.URL(), home)
	for _, f := range local.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	live.Conform(t, grok.New("test"), agents.Install{Family: agents.Grok, Path: clis.Grok.Path(t)}, agents.SessionSpec{
		SessionID: "s1", Cwd: filepath.Join(home, "project"), Limits: mcp.DefaultLimits(), RunDir: filepath.Join(home, "run"),
		Env: slices.Concat([]string{
			"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(home, "tmp"),
		}, local.Env),
		OwnServers: true, Root: os.Getuid() == 0,
	})
}
