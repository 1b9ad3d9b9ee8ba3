package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/app/api"
	"parley/build/clis"
)

// agent is what the page's list says of a family.
func (h *home) agent(family string) api.Agent {
	h.t.Helper()
	list, err := h.client().Agents(h.t.Context(), true)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, a := range list.Agents {
		if a.Family == family {
			return a
		}
	}
	h.t.Fatalf("no %s in %+v", family, list)
	return api.Agent{}
}

// Codex that is not there, was never logged in, or cannot read its configuration
// is shown as such, with what to do; once that is done it is taken as it is.
func TestCodexThatCannotBeUsed(t *testing.T) {
	h := &claudeHome{home: newHome(t)}
	h.user = h.get("HOME")
	t.Cleanup(h.nothingLeft)
	program := clis.Codex.Path(t)
	model, err := fakemodel.Start(fakemodel.Script{onSaying("hello", fakemodel.Text("Good morning."))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	h.model = model
	server := h.start("serve")
	server.says(server.out, "/link/")
	explained := func(code int, parts ...string) {
		t.Helper()
		out, errs := h.run(code, "run", "--agent", "codex", "hello")
		for _, part := range parts {
			if !strings.Contains(errs, part) {
				t.Errorf("%q lacks %q", errs, part)
			}
		}
		if strings.TrimSpace(out) != "" {
			t.Errorf("standard output: %q", out)
		}
	}

	if a := h.agent("codex"); a.State != api.AgentNotFound || a.InstallCmd != "npm install -g @openai/codex" || a.Name != "Codex" {
		t.Errorf("not there: %+v", a)
	}
	explained(exitNoAgent, "Codex was not found on this computer.", "npm install -g @openai/codex")

	link := filepath.Join(h.user, ".local", "bin", "codex")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	if a := h.agent("codex"); a.State != api.AgentNotLoggedIn || a.LoginCmd != "codex login" || a.Version != "0.171.0" || a.Path != link || !a.CanSteer || len(a.Modes) != 4 {
		t.Errorf("never logged in: %+v", a)
	}
	if _, err := os.Stat(filepath.Join(h.user, ".codex")); err == nil {
		t.Error("looking made its folder")
	}
	explained(exitNoAgent, "Codex is not logged in.", "codex login")

	h.write(".codex/config.toml", "model = [\n")
	explained(exitFailed, "Codex cannot read its own configuration.", "config.toml")

	h.write(".codex/config.toml", strings.ReplaceAll(codexConfig, "$URL", model.URL()))
	if a := h.agent("codex"); a.State != api.AgentUnchecked {
		t.Errorf("with a provider of their own: %+v", a)
	}
	explained(exitNoAgent, "The key for Codex's provider is not set.")
	h.env = append(h.env, "FAKE_KEY="+apiKey)
	if out, _ := h.run(exitDone, "run", "--agent", "codex", "hello"); !strings.Contains(out, "Good morning.") {
		t.Errorf("said %q", out)
	}
}

// The program that npm installs is a script around the real one. Both are ended.
func TestCodexByItsLauncher(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("not run: the launcher needs node, which is not here")
	}
	f := codexFamily
	h := newAgent(t, f, f.onAsking("build it", "q1", "Which database?", "Postgres", "SQLite"), onResult("q1", fakemodel.Text("Then I take that.")))
	link := filepath.Join(h.user, ".local", "bin", "codex")
	modules, _, _ := strings.Cut(f.cli.Path(t), "/@openai/")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules, "@openai", "codex", "bin", "codex.js"), link); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.without("PATH").env, "PATH=/usr/bin:/bin:"+filepath.Dir(node))
	f.serves(h)
	r := f.begin(h, "", "build it")
	asked := r.asks(app.KindClarify)
	if tree := count(h.tree()); tree["node"] == 0 || tree["codex"] == 0 {
		t.Errorf("the tree is %v", tree)
	}
	if _, err := h.client().Close(t.Context(), asked.SessionID); err != nil {
		t.Fatal(err)
	}
	r.code()
	h.nothingLeft()
}
