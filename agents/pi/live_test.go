package pi_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest/live"
	"parley/agents/fakemodel"
	"parley/agents/pi"
	"parley/build/clis"
	"parley/mcp"
)

// What every test says.
var says, then, call = live.Says, live.Then, live.Call

// wish says how a conversation is to be started; its zero value is an ordinary
// one.
type wish struct {
	home      string // "" is a fresh one
	model     *fakemodel.Server
	mode      agents.Mode
	native    string
	effort    string
	catalog   mcp.Catalog
	guidance  string
	extension string // source of an extension of the person's own
	older     bool   // the generation without MCP of its own
	settings  string // more of the person's settings; "" tries once again, at once
}

const apiKey = "sk-test-key-0123456789"

// scratch is a person's computer, whose configuration keeps the CLI to the fake
// model.
func scratch(t *testing.T, w wish) string {
	t.Helper()
	home := live.Home(t, ".pi/agent/extensions")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(home, ".pi", "agent", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("models.json", `{"providers": {"fake": {"baseUrl": "`+w.model.URL()+`", "apiKey": "FAKE_KEY", "api": "anthropic-messages", "models": [
		{"id": "fake-model", "name": "Fake", "reasoning": true, "input": ["text", "image"], "contextWindow": 128000, "maxTokens": 8000}]}}}`)
	settings := w.settings
	if settings == "" {
		settings = `"retry": {"maxRetries": 1, "baseDelayMs": 10}`
	}
	write("settings.json", `{"defaultProvider": "fake", "defaultModel": "fake-model", `+settings+`}`)
	if w.extension != "" {
		write("extensions/own.ts", w.extension)
	}
	return home
}

// prepare decides what a launch of the real CLI starts with. Nothing but the
// model is talked to.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	cli := clis.Pi
	if w.older {
		cli = clis.PiOld
	}
	install := agents.Install{Family: agents.Pi, Path: cli.Path(t), Version: cli.Version}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode, Effort: w.effort,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(w.home, "run"), Guidance: w.guidance,
		Env: []string{
			"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(w.home, "tmp"), "FAKE_KEY=" + apiKey,
			"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
		},
		OwnServers: true, Root: os.Getuid() == 0,
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
	return live.Open(t, pi.New(), install, spec, w.model)
}
