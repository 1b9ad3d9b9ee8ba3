package servers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
)

func TestEdits(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		name string
		edit app.MCPEdit
		want string // in the file; "" for an error
		not  string
		bad  string // part of the error
	}{
		{"an override", app.MCPEdit{Name: "web", Agent: "codex", Fields: map[string]string{"timeout": `"5m"`}}, `"timeout": "5m"`, "", ""},
		{"a variable", app.MCPEdit{Name: "docs", Agent: "codex", Profile: "work", Fields: map[string]string{"env.X": `"1"`}}, `"X": "1"`, "", ""},
		{"a new server", app.MCPEdit{Name: "new", Server: true, Fields: map[string]string{"command": `"uvx"`, "args": `["x"]`}}, `"new": {`, "", ""},
		{"off", app.MCPEdit{Name: "web", Agent: "codex", Enabled: &no}, `"disabled"`, "", ""},
		{"off for all", app.MCPEdit{Name: "web", Server: true, Enabled: &no}, `"enabled": false`, "", ""},
		{"the managed one off", app.MCPEdit{Name: "parley-interaction", Agent: "codex", Enabled: &no}, `["parley-interaction"]`, "", ""},
		{"a field away", app.MCPEdit{Name: "web", Server: true, Fields: map[string]string{"timeout": ""}}, "", `"90s"`, ""},
		{"a server away", app.MCPEdit{Name: "web", Server: true, Remove: true}, `"docs"`, `"web"`, ""},
		{"an override away", app.MCPEdit{Name: "web", Agent: "codex", Profile: "work", Remove: true}, `"90s"`, `"10m"`, ""},
		{"nothing to do", app.MCPEdit{Name: "web", Agent: "demo", Enabled: &yes}, file, "", ""},
		{"a managed command", app.MCPEdit{Name: "parley-interaction", Agent: "codex", Fields: map[string]string{"command": `"x"`}}, "", "", "only timeout and enabled"},
		{"a managed server away", app.MCPEdit{Name: "parley-interaction", Server: true, Fields: map[string]string{"command": `"x"`}}, "", "", "cannot be defined anew"},
		{"no such server", app.MCPEdit{Name: "wbe", Agent: "codex", Fields: map[string]string{"timeout": `"5m"`}}, "", "", "no server wbe"},
		{"no such agent", app.MCPEdit{Name: "web", Agent: "codeks", Fields: map[string]string{"timeout": `"5m"`}}, "", "", "no agent codeks"},
		{"no such field", app.MCPEdit{Name: "web", Agent: "codex", Fields: map[string]string{"tiemout": `"5m"`}}, "", "", "field tiemout"},
		{"a bad value", app.MCPEdit{Name: "web", Agent: "codex", Fields: map[string]string{"timeout": `600`}}, "", "", "must be text"},
		{"no JSON", app.MCPEdit{Name: "web", Agent: "codex", Fields: map[string]string{"timeout": `5m`}}, "", "", "no JSON"},
		{"no name", app.MCPEdit{Agent: "codex"}, "", "", "Which server"},
		{"a bad name", app.MCPEdit{Name: "a b", Server: true, Fields: map[string]string{"command": `"x"`}}, "", "", "letters, digits"},
		{"another revision", app.MCPEdit{Name: "web", Agent: "codex", Enabled: &no, Revision: "x"}, "", "", "changed meanwhile"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, file)
			f, err := w.s.Edit(t.Context(), tc.edit)
			got := w.get(w.path)
			if tc.bad != "" {
				if err == nil || !strings.Contains(app.ErrorMessage(err), tc.bad) || got != file {
					t.Errorf("%v, file\n%s", err, got)
				}
				return
			}
			if err != nil || !strings.Contains(got, tc.want) || tc.not != "" && strings.Contains(got, tc.not) || f.Text != got {
				t.Errorf("%v, file\n%s", err, got)
			}
		})
	}
}

// On after off is the file as it was, or says no more than it must.
func TestOnAndOff(t *testing.T) {
	yes, no := true, false
	w := newWorld(t, file)
	edit := func(agent, profile string, on *bool) {
		t.Helper()
		if _, err := w.s.Edit(t.Context(), app.MCPEdit{Name: "web", Agent: agent, Profile: profile, Enabled: on}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(agent, profile string) string {
		e, err := w.s.Effective(t.Context(), agent, profile, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Servers {
			if s.Name == "web" {
				return s.State
			}
		}
		return ""
	}
	edit("codex", "", &no)
	if state("codex", "") != "off" || state("claude", "") != "on" {
		t.Error("not off, or off elsewhere")
	}
	edit("codex", "work", &yes) // nearer than what switched it off
	if state("codex", "work") != "on" || state("codex", "default") != "off" {
		t.Errorf("work %s, default %s: %s", state("codex", "work"), state("codex", "default"), w.get(w.path))
	}
	edit("codex", "", &yes)
	if state("codex", "") != "on" {
		t.Errorf("still %s", state("codex", ""))
	}
	edit("", "", &no)
	edit("", "", &yes)
	if state("demo", "") != "on" || strings.Contains(w.get(w.path), `"*": { "*"`) {
		t.Errorf("demo %s: %s", state("demo", ""), w.get(w.path))
	}
}

func TestEditorSavesAndUndoes(t *testing.T) {
	w := newWorld(t, file)
	f := w.s.File()
	if got := w.s.Check("{\"servers\": {\n\"a\": {\"timeout\": 1}}}"); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("%+v", got)
	}
	if got := w.s.Check(`{"overrides": {"codex": {"*": {"wbe": {}}}}}`); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := w.s.Replace(t.Context(), f.Revision, "{"); app.ErrorCode(err) != app.CodeInvalidArgument {
		t.Errorf("a broken text: %v", err)
	}
	// C10: the editor was open while the file changed outside.
	outside := strings.Replace(file, "90s", "95s", 1)
	w.put(w.path, outside)
	if _, err := w.s.Replace(t.Context(), f.Revision, "{}"); app.ErrorCode(err) != app.CodeChangedMeanwhile || w.get(w.path) != outside {
		t.Errorf("over an outside change: %v", err)
	}
	f = w.s.File()
	if _, err := w.s.Replace(t.Context(), f.Revision, "{}"); err != nil || w.get(w.path) != "{}" {
		t.Errorf("%v", err)
	}
	if _, err := w.s.Undo(t.Context()); err != nil || w.get(w.path) != outside {
		t.Errorf("%v", err)
	}
	if _, err := w.s.Undo(t.Context()); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("%v", err)
	}
}

func TestTry(t *testing.T) {
	w := newWorld(t, file)
	w.keys["claude default"] = "DOCS_TOKEN=from-the-keyring"
	got, err := w.s.Try(t.Context(), "docs", "claude", "", "")
	if err != nil || !got.OK || got.Server != filepath.Join(w.dir, "bin", "uvx") {
		t.Fatalf("%+v, %v", got, err)
	}
	if strings.Contains(got.Stderr, "from-the-keyring") {
		t.Errorf("its words hold a secret: %s", got.Stderr)
	}
	if got, err := w.s.Try(t.Context(), "docs", "codex", "", ""); err != nil || got.OK || !strings.Contains(got.Problem, "parley secrets set") {
		t.Errorf("without its secret: %+v, %v", got, err)
	}
	if _, err := w.s.Try(t.Context(), "nothing", "claude", "", ""); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("%v", err)
	}
	cwd := filepath.Join(w.dir, "work")
	w.put(filepath.Join(cwd, ".mcp.json"), `{"mcpServers": {"theirs": {"command": "uvx"}}}`)
	if got, err := w.s.Try(t.Context(), "theirs", "demo", "", cwd); err != nil || got.OK || !strings.Contains(got.Problem, "trusted") {
		t.Errorf("a project's server: %+v, %v", got, err)
	}
}

func TestImport(t *testing.T) {
	w := newWorld(t, file)
	codex := filepath.Join(w.dir, "home", ".codex", "config.toml")
	text := "[mcp_servers.web]\nurl = \"https://other\"\n[mcp_servers.notes]\ncommand = \"uvx\"\nargs = [\"notes\"]\nenv = { API_TOKEN = \"literal-token\" }\ntool_timeout_sec = 90\n[mcp_servers.half]\n"
	w.put(codex, text)
	got, err := w.s.Import(t.Context(), app.MCPImportRequest{From: "codex"})
	if err != nil || got.Path != codex || len(got.Servers) != 3 || got.Written || w.get(w.path) != file {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Servers[0].Skip == "" || got.Servers[1].Skip != "" || got.Servers[1].Fields["timeout"] != `"1m30s"` || got.Servers[2].Skip == "" {
		t.Errorf("%+v", got.Servers)
	}
	if got.Servers[1].Fields["env.API_TOKEN"] != `"•••"` {
		t.Errorf("a secret is shown: %+v", got.Servers[1])
	}
	if got, err = w.s.Import(t.Context(), app.MCPImportRequest{From: "codex", Write: true}); err != nil || !got.Written {
		t.Fatalf("%+v, %v", got, err)
	}
	now := w.get(w.path)
	if !strings.Contains(now, `"args": ["notes"]`) || !strings.Contains(now, "literal-token") || strings.Contains(now, "https://other") || strings.Contains(now, "half") {
		t.Errorf("the file holds %s", now)
	}
	if w.get(codex) != text {
		t.Error("the other program's file was changed")
	}
	ekko := filepath.Join(w.dir, "ekko.json")
	w.put(ekko, `{"configs": {"codex": {"default": {"ekko-studio-plan": {"timeout": 900000}, "gone": {"enabled": false}}}}, "disabled": {"demo": {"*": ["web"]}}}`)
	if got, err = w.s.Import(t.Context(), app.MCPImportRequest{From: "ekko", Path: ekko, Write: true}); err != nil || len(got.Notes) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if now := w.get(w.path); !strings.Contains(now, `"timeout": "15m"`) || !strings.Contains(now, `["web"]`) {
		t.Errorf("the file holds %s", now)
	}
	for from, code := range map[string]app.Code{"emacs": app.CodeInvalidArgument, "gemini": app.CodeNotFound, "ekko": app.CodeInvalidArgument} {
		if _, err := w.s.Import(t.Context(), app.MCPImportRequest{From: from}); app.ErrorCode(err) != code {
			t.Errorf("%s: %v", from, err)
		}
	}
	if err := os.WriteFile(codex, []byte("a = \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Import(t.Context(), app.MCPImportRequest{From: "codex"}); !strings.Contains(app.ErrorMessage(err), "line 1") {
		t.Errorf("%v", err)
	}
}
