package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/apptest"
)

// overrides is the path of the override file of a home.
func (h *home) overrides() string {
	for _, kv := range h.env {
		if dir, ok := strings.CutPrefix(kv, "PARLEY_HOME="); ok {
			return filepath.Join(dir, "config", "mcp-overrides.jsonc")
		}
	}
	h.t.Fatal("no home")
	return ""
}

func (h *home) file() string {
	h.t.Helper()
	text, err := os.ReadFile(h.overrides())
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

// A power user's first hour: add a server, try it, narrow it, raise a timeout,
// break the file, mend it, import from another program.
func TestMCPFromTheTerminal(t *testing.T) {
	h := newHome(t)
	bare := apptest.Build(t, "./mcp/parley-mcp/testdata/bare")

	_, errs := h.run(exitDone, "mcp")
	has(t, errs, "There is no file yet")
	_, errs = h.run(exitDone, "mcp", "own")
	has(t, errs, "No file of an agent's own")
	h.run(exitDone, "mcp", "own", "off", "--agent", "claude")
	out, _ := h.run(exitDone, "mcp", "own")
	has(t, out, "claude", "left out")
	h.run(exitDone, "mcp", "own", "on", "--agent", "claude")
	h.run(exitDone, "mcp", "set", "bare", "command="+bare, "args=-x -y", "env.KEY=${env:HOME}", "env.LITERAL_TOKEN=abcdefgh")
	has(t, h.file(), `"$schema"`, `"args": ["-x", "-y"]`, `"KEY": "${env:HOME}"`)

	out, errs = h.run(exitDone, "mcp", "test", "bare")
	has(t, out, "echo")
	has(t, errs, "bare 1 answered")

	h.run(exitDone, "mcp", "set", "bare", "agents=claude,codex")
	_, errs = h.run(exitUsage, "mcp", "add", "docs")
	has(t, errs, "parley mcp set docs command=")
	h.run(exitDone, "mcp", "set", "bare", "--agent", "codex", "timeout=10m")
	h.run(exitDone, "mcp", "disable", "bare", "--agent", "claude", "--profile", "work")
	out, _ = h.run(exitDone, "mcp", "show")
	has(t, out, "claude, codex", "parley-interaction", "plan, questions and forms")
	out, _ = h.run(exitDone, "mcp", "effective", "--agent", "codex")
	has(t, out, `"10m"`, "overrides.codex.*, line", `"•••"`)
	out, _ = h.run(exitDone, "mcp", "preview", "--agent", "codex")
	has(t, out, `"tool_timeout_sec": 600`, "${env:HOME}")
	out, _ = h.run(exitDone, "mcp", "effective", "--agent", "claude", "--profile", "work", "--json")
	var e app.MCPEffective
	if err := json.Unmarshal([]byte(out), &e); err != nil || e.Servers[1].State != "off" {
		t.Errorf("%v, %+v", err, e)
	}

	for _, wrong := range [][]string{{"set", "bare", "timeout=10"}, {"set", "bare", "--file", "x", "a=b"}, {"disable", "bare", "--profile", "a/b"}} {
		before := h.file()
		h.run(exitUsage, append([]string{"mcp"}, wrong...)...)
		if h.file() != before {
			t.Errorf("%q changed the file", wrong)
		}
	}

	good := h.file()
	broken := strings.Replace(good, `"10m"`, "10m", 1)
	if err := os.WriteFile(h.overrides(), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = h.run(exitFailed, "mcp", "validate")
	has(t, out, "mcp-overrides.jsonc:", `A duration must be text: write "10m".`)
	_, errs = h.run(exitFailed, "mcp", "show")
	has(t, errs, "Its last good state stays in force", "! line")
	h.run(exitUsage, "mcp", "enable", "bare")
	if h.file() != broken {
		t.Error("a broken file was changed")
	}
	if err := os.WriteFile(h.overrides(), []byte(strings.Replace(good, `"version"`, "// my servers\n  \"version\"", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(exitDone, "mcp", "validate")

	codex := filepath.Join(h.work, "config.toml")
	if err := os.WriteFile(codex, []byte("[mcp_servers.notes]\nurl = \"https://notes.example/mcp\"\nbearer_token_env_var = \"NOTES\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs = h.run(exitDone, "mcp", "import", "codex", "--file", codex)
	has(t, out+errs, "notes", "is new", "Nothing was written")
	h.run(exitDone, "mcp", "import", "codex", "--file", codex, "--write")
	has(t, h.file(), "// my servers", "Bearer ${env:NOTES}")
	h.run(exitDone, "mcp", "remove", "notes")
	if strings.Contains(h.file(), "notes") {
		t.Errorf("still there: %s", h.file())
	}
	// Each command is a process of its own: what one did the next takes back.
	_, errs = h.run(exitDone, "mcp", "undo")
	has(t, h.file(), "// my servers", "Bearer ${env:NOTES}")
	has(t, errs, "Taken back")
	h.run(exitDone, "mcp", "remove", "notes")

	if err := os.WriteFile(filepath.Join(h.work, ".mcp.json"), []byte(`{"mcpServers": {"theirs": {"command": "`+bare+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs = h.run(exitDone, "mcp", "trust")
	has(t, out+errs, "theirs: "+bare, "are not started")
	_, errs = h.run(exitFailed, "mcp", "test", "theirs", "--agent", "demo", "--cwd", h.work)
	has(t, errs, "not trusted")
	h.run(exitDone, "mcp", "trust", "--yes")
	h.run(exitDone, "mcp", "test", "theirs", "--agent", "demo", "--cwd", h.work)
}
