package claude_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/agenttest"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp"
)

// settled is a home folder of somebody who uses the CLI: settings, instructions
// and an MCP server of their own.
func settled(t *testing.T) (home string, own map[string]string) {
	t.Helper()
	home = live.Home(t)
	server := live.Server(t, "mine")
	state, err := json.Marshal(map[string]any{
		"numStartups": 3, "hasCompletedOnboarding": true,
		"mcpServers": map[string]any{"mine": map[string]any{"type": "stdio", "command": server.Command, "args": []string{}, "env": server.Env}},
	})
	if err != nil {
		t.Fatal(err)
	}
	own = map[string]string{
		".claude/settings.json":               `{"permissions": {"allow": ["Bash(git status)"]}, "env": {"MINE": "1"}}` + "\n",
		".claude/CLAUDE.md":                   "Always say please.\n",
		"project/.claude/settings.json":       `{"permissions": {"deny": ["Read(./secret)"]}}` + "\n",
		"project/.claude/settings.local.json": `{"permissions": {"allow": []}}` + "\n",
		"project/.mcp.json":                   `{"mcpServers": {}}` + "\n",
		"project/CLAUDE.md":                   "This is a project.\n",
	}
	all := maps.Clone(own)
	all[".claude.json"] = string(state) // the CLI's own; it writes there whenever it runs
	for name, text := range all {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, own
}

// kindsOfFile lists what lies in a home folder, with what differs from run to
// run left out.
func kindsOfFile(t *testing.T, home string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(home, path)
		if err != nil || d.IsDir() {
			return err
		}
		switch top, _, _ := strings.Cut(rel, "/"); top {
		case "tmp", "run":
			return nil
		}
		parts := strings.Split(rel, "/")
		if len(parts) > 2 && parts[0] != "project" {
			parts = append(parts[:2], "…") // named after the session and its folder
		}
		out = append(out, strings.Join(parts, "/"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The person's own files keep every byte, also when something is allowed for
// the session; their own MCP server and instructions stay in force beside ours;
// and nothing appears in their folders that a bare run of the CLI does not leave
// there as well.
func TestThePersonsOwnFiles(t *testing.T) {
	agenttest.Long(t)
	t.Parallel()
	home, own := settled(t)
	l := launch(t, wish{home: home, env: []string{legacy}, catalog: mcp.Catalog{live.Ours(t)}},
		says("hello", fakemodel.Blocks(fakemodel.ToolUseOf("m", "mcp__mine__echo", map[string]any{}), fakemodel.ToolUseOf("o", "mcp__parley-interaction__parley_clarify", map[string]any{}))),
		after("m", call("w", "Bash", map[string]any{"command": "git frob"})),
		after("w", fakemodel.Text("Hello, please.")),
	)
	l.Prompt("hello")
	for range 2 { // the person's server asks for leave, ours does not
		ask := l.Host.NextAsk()
		if ask.ToolID != "m" && ask.ToolID != "w" {
			t.Errorf("asked for %s", ask.ToolID)
		}
		ask.Answer(live.Answered("allow_session"))
	}
	l.Done()
	live.WantIn(t, "the person's server", l.Told("m").Text, "echoed")
	live.WantIn(t, "our server", l.Told("o").Text, "BLUE-42")
	live.WantIn(t, "the person's instructions", l.Model.Requests()[0].Everything(), "Always say please.", "This is a project.")
	states := map[string]string{}
	for _, s := range agenttest.All[agents.Started](l.Host.Events()) {
		for _, server := range s.Servers {
			states[server.Name] = server.State
		}
	}
	if states["mine"] != "connected" || states[mcp.InteractionServer] != "connected" {
		t.Errorf("servers %v", states)
	}
	l.Stop()
	for name, want := range own {
		if got, err := os.ReadFile(filepath.Join(home, name)); err != nil || string(got) != want {
			t.Errorf("%s was changed: %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(home, "run", "claude-mcp.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of MCP servers: %v, %v", info, err)
	}

	bare, _ := settled(t)
	model := live.Serve(t, fakemodel.Step{Times: fakemodel.Always, Reply: fakemodel.Text("Hello.")})
	cmd := exec.Command(clis.Claude.Path(t), "-p", "hello")
	cmd.Dir, cmd.Env = filepath.Join(bare, "project"), offline(bare, model.URL())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("bare run: %v\n%s", err, out)
	}
	left := kindsOfFile(t, bare)
	for _, name := range kindsOfFile(t, home) {
		if !slices.Contains(left, name) {
			t.Errorf("%s appeared, which a bare run does not leave: %q", name, left)
		}
	}
}

// A setting leaves the person's own servers out. Ours may be used without a
// permission, also in the mode that changes nothing.
func TestOnlyOurServers(t *testing.T) {
	t.Parallel()
	home, _ := settled(t)
	l := launch(t, wish{home: home, strict: true, mode: agents.ModePlan, env: []string{legacy}, catalog: mcp.Catalog{live.Ours(t)}},
		says("hello", call("o", "mcp__parley-interaction__parley_clarify", map[string]any{})),
		after("o", fakemodel.Text("Hello.")))
	l.Prompt("hello")
	l.Done()
	live.WantIn(t, "our server", l.Told("o").Text, "BLUE-42")
	r := l.Model.Requests()[0]
	if _, ok := r.Tool("mcp__mine__echo"); ok || contains(r.Everything(), "mcp__mine") {
		t.Error("the person's server is there")
	}
	if _, ok := r.Tool("mcp__parley-interaction__parley_clarify"); !ok {
		t.Error("our tool is not directly visible")
	}
}
