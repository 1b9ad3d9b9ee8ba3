package opencode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/opencode"
	"parley/build/clis"
	"parley/mcp"
)

// What every test says.
var says, then, call = live.Says, live.Then, live.Call

// wish says how a conversation is to be started; its zero value is an ordinary
// one.
type wish struct {
	home    string // "" is a fresh one
	model   *fakemodel.Server
	mode    agents.Mode
	native  string
	effort  string
	catalog mcp.Catalog
	strict  bool
	config  map[string]any // more of the person's configuration
	env     []string       // more of their environment
}

const apiKey = "sk-test-key-0123456789"

// scratch is a person's computer, whose configuration keeps the CLI to the fake
// model.
func scratch(t *testing.T, w wish) string {
	t.Helper()
	home := live.Home(t)
	config := map[string]any{
		"$schema": "https://opencode.ai/config.json", "model": "fake/m1", "small_model": "fake/m1", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": map[string]any{"baseURL": w.model.URL() + "/v1", "apiKey": "{env:FAKE_KEY}"},
			"models": map[string]any{"m1": map[string]any{
				"name": "M One", "reasoning": true, "tool_call": true, "attachment": true,
				"modalities": map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}},
				"limit":      map[string]any{"context": 100_000, "output": 4_000},
			}},
		}},
	}
	for key, value := range w.config {
		config[key] = value
	}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, ".config", "opencode")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "opencode.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// prepare decides what a launch of the real CLI starts with.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	install := agents.Install{Family: agents.OpenCode, Path: clis.OpenCode.Path(t)}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode, Effort: w.effort,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(w.home, "run"),
		Env: append([]string{
			"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(w.home, "tmp"), "FAKE_KEY=" + apiKey,
			"OPENCODE_DISABLE_MODELS_FETCH=1",
		}, w.env...),
		OwnServers: !w.strict, Root: os.Getuid() == 0,
	}
}

// launch starts the real CLI and opens the conversation.
func launch(t *testing.T, w wish, steps ...fakemodel.Step) *live.Talk {
	t.Helper()
	if w.model == nil {
		w.model = live.Serve(t, steps...)
	}
	if w.home == "" {
		w.home = scratch(t, w)
	}
	install, spec := prepare(t, w)
	return live.Open(t, opencode.New(), install, spec, w.model)
}
