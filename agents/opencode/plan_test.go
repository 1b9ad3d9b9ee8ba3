package opencode_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"parley/agents"
	"parley/agents/opencode"
	"parley/mcp"
)

// planned is a launch that needs no CLI, and its variables.
func planned(t *testing.T, spec agents.SessionSpec) (agents.Launch, map[string]string) {
	t.Helper()
	spec.Cwd, spec.RunDir = "/w", "/run"
	launch, err := opencode.New().Plan(agents.Install{Path: "/bin/opencode"}, spec)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, kv := range launch.Env {
		key, value, _ := strings.Cut(kv, "=")
		env[key] = value
	}
	return launch, env
}

// decides is what the CLI makes of a configuration's rules: the last that fits
// counts, in the order of the text. An oracle of its own.
func decides(t *testing.T, content, permission, pattern string) string {
	t.Helper()
	var config struct {
		Permission json.RawMessage `json:"permission"`
	}
	if err := json.Unmarshal([]byte(content), &config); err != nil {
		t.Fatal(err)
	}
	decision := ""
	dec := json.NewDecoder(strings.NewReader(string(config.Permission)))
	dec.Token()
	for dec.More() {
		key, _ := dec.Token()
		dec.Token()
		for dec.More() {
			of, _ := dec.Token()
			action, _ := dec.Token()
			fits, _ := path.Match(key.(string), permission)
			fitsToo, _ := path.Match(of.(string), pattern)
			if fits && fitsToo {
				decision = action.(string)
			}
		}
		dec.Token()
	}
	return decision
}

// What a sub-agent may do in each mode, and any agent before the person's rules.
func TestModesBecomeRules(t *testing.T) {
	for _, tt := range []struct {
		permission, pattern    string
		plan, ask, edits, full string
	}{
		{"read", "a.go", "allow", "allow", "allow", "allow"},
		{"read", ".env", "ask", "ask", "ask", "allow"},
		{"grep", "x", "allow", "allow", "allow", "allow"},
		{"edit", "a.go", "deny", "ask", "allow", "allow"},
		{"bash", "rm a.go", "ask", "ask", "ask", "allow"},
		{"webfetch", "x", "ask", "ask", "ask", "allow"},
		{"docs_search", "*", "ask", "ask", "ask", "allow"},
		{"question", "*", "deny", "deny", "deny", "deny"},
		{"todowrite", "*", "deny", "deny", "deny", "deny"},
		{"parley-interaction_parley_clarify", "*", "deny", "deny", "deny", "deny"},
	} {
		for mode, want := range map[agents.Mode]string{agents.ModePlan: tt.plan, agents.ModeAsk: tt.ask, agents.ModeEdits: tt.edits, agents.ModeFull: tt.full} {
			_, env := planned(t, agents.SessionSpec{Mode: mode})
			if got := decides(t, env["OPENCODE_CONFIG_CONTENT"], tt.permission, tt.pattern); got != want {
				t.Errorf("%s: %s %s is %q, want %q", mode, tt.permission, tt.pattern, got, want)
			}
		}
	}
	if _, err := opencode.New().Plan(agents.Install{Path: "/bin/opencode"}, agents.SessionSpec{Mode: "reckless"}); err == nil {
		t.Error("a mode that there is not was taken")
	}
}

// No secret is in the arguments, or printed, and what a Parley inside of an agent
// inherits goes no further; what the person says in the variable stays.
func TestPlan(t *testing.T) {
	spec := agents.SessionSpec{
		Env:     []string{"HOME=/home/me", "OPENCODE=1", "OPENCODE_PID=7", "OPENCODE_SERVER_PASSWORD=theirs", `OPENCODE_CONFIG_CONTENT={"theme":"mine"}`},
		Catalog: mcp.Catalog{{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.test", Headers: map[string]string{"X": "header-secret"}}},
	}
	launch, env := planned(t, spec)
	_, other := planned(t, spec)
	password := env["OPENCODE_SERVER_PASSWORD"]
	if len(password) < 20 || password == "theirs" || password == other["OPENCODE_SERVER_PASSWORD"] {
		t.Errorf("the password is %q, then %q", password, other["OPENCODE_SERVER_PASSWORD"])
	}
	if _, there := env["OPENCODE_PID"]; there || env["HOME"] != "/home/me" || !strings.Contains(env["OPENCODE_CONFIG_CONTENT"], `"theme":"mine"`) {
		t.Errorf("the environment is %v", env)
	}
	masked := strings.Join(launch.Masked, "\n")
	for _, secret := range []string{password, "header-secret"} {
		if strings.Contains(strings.Join(launch.Argv, " "), secret) || !strings.Contains(masked, secret) {
			t.Errorf("%q is in %q or not in %q", secret, launch.Argv, launch.Masked)
		}
	}
	if strings.Contains(strings.Join(launch.Env, "\n"), "header-secret") {
		t.Error("a header is in the environment, which everything inherits")
	}
	for _, f := range launch.Files {
		if f.Mode != 0o600 || !strings.HasPrefix(f.Path, "/run/") {
			t.Errorf("file %s with mode %o", f.Path, f.Mode)
		}
	}
	if got := strings.Join(launch.Argv[1:], " "); got != "serve --hostname 127.0.0.1 --port 0 --mdns=false" {
		t.Errorf("arguments %q", got)
	}
}

// How an end is explained.
func TestDiagnose(t *testing.T) {
	for tail, want := range map[string]string{
		"": "exited", "Configuration is invalid at /home/me/opencode.json": "broken", "Unknown argument: mdns": "too_old",
	} {
		if p := opencode.New().Diagnose(agents.Exit{Code: 1}, tail); p.Code != want || p.Title == "" || p.Advice == "" {
			t.Errorf("%q: %+v", tail, p)
		}
	}
	if p := opencode.New().Diagnose(agents.Exit{Code: -1, Signal: "SIGKILL"}, ""); !strings.Contains(p.Title, "killed") {
		t.Errorf("killed: %+v", p)
	}
}
