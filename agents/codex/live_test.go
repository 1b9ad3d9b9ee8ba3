package codex_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/agents"
	"parley/agents/agenttest/live"
	"parley/agents/agenttest/programs"
	"parley/agents/codex"
	"parley/agents/fakemodel"
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
	name    string // of the model; "" is one that gets plain functions
	mode    agents.Mode
	native  string
	catalog mcp.Catalog
	strict  bool
	config  string // more of the person's configuration
	old     bool   // of a version without the app server that Parley speaks
}

const apiKey = "sk-test-key-0123456789"

// scratch is a person's computer, whose configuration keeps the CLI to the fake
// model.
func scratch(t *testing.T, w wish) string {
	t.Helper()
	home := live.Home(t, ".codex")
	model := w.name
	if model == "" {
		model = "gpt-5.5"
	}
	config := `model = "` + model + `"
model_provider = "fake"
check_for_update_on_startup = false
` + w.config + `
[analytics]
enabled = false
[features]
plugins = false
[model_providers.fake]
name = "fake"
base_url = "` + w.model.URL() + `/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`
	if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// prepare decides what a launch of the real CLI starts with. Its temporary
// folder is none above its own: it lays no helpers there, and its sandbox would
// not work.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	install := agents.Install{Family: agents.Codex, Once: w.old}
	program, err := programs.Path("parley-mcp")
	if err != nil {
		t.Fatal(err)
	}
	if w.old {
		install.Path = clis.CodexOld.Path(t)
	} else {
		install.Path = clis.Codex.Path(t)
	}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), MCP: program, RunDir: filepath.Join(w.home, "run"),
		Env: []string{
			"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + filepath.Join(w.home, "tmp"), "FAKE_KEY=" + apiKey,
		},
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
	return live.Open(t, codex.New("test"), install, spec, w.model)
}
