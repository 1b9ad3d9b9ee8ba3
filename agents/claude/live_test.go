package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest/live"
	"parley/agents/claude"
	"parley/agents/fakemodel"
	"parley/build/clis"
	"parley/mcp"
)

// What every test says.
var says, after, call = live.Says, live.Then, live.Call

// wish says how a conversation is to be started; its zero value is an ordinary
// one.
type wish struct {
	cli     *clis.CLI // nil is the newest
	home    string    // "" is a fresh one
	model   *fakemodel.Server
	env     []string
	mode    agents.Mode
	native  string
	catalog mcp.Catalog
	strict  bool
}

// legacy makes the CLI greet MCP servers as older versions did: the elicitation
// of the newest protocol works in another way.
const legacy = "MCP_PROTOCOL_NEGOTIATION=legacy"

// offline keeps the CLI to the fake model and to its scratch folders.
func offline(home, url string) []string {
	return []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp"),
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test-key-0123456789",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
}

// prepare decides what a launch of the real CLI starts with.
func prepare(t *testing.T, w wish) (agents.Install, agents.SessionSpec) {
	t.Helper()
	if w.cli == nil {
		w.cli = clis.Claude
	}
	install := agents.Install{Family: agents.Claude, Path: w.cli.Path(t)}
	return install, agents.SessionSpec{
		SessionID: "s1", NativeID: w.native, Cwd: filepath.Join(w.home, "project"), Mode: w.mode,
		Catalog: w.catalog, Limits: mcp.DefaultLimits(), RunDir: filepath.Join(w.home, "run"),
		Env: append(offline(w.home, w.model.URL()), w.env...), OwnServers: !w.strict, Root: os.Getuid() == 0,
	}
}

// launch starts the real CLI and opens the conversation.
func launch(t *testing.T, w wish, steps ...fakemodel.Step) *live.Talk {
	t.Helper()
	if w.home == "" {
		w.home = live.Home(t)
	}
	if w.model == nil {
		w.model = live.Serve(t, steps...)
	}
	install, spec := prepare(t, w)
	return live.Open(t, newAdapter(), install, spec, w.model)
}

// since is a time for the log, in milliseconds.
func since(t time.Time) int64 { return time.Since(t).Milliseconds() }

func contains(text, part string) bool { return strings.Contains(text, part) }

func newAdapter() agents.Adapter { return claude.New() }
