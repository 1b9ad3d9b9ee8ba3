package servers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/agents/agenttest/leaks"
	"parley/app"
	"parley/app/servers"
	"parley/mcp"
	"parley/mcp/override"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is one Parley's servers, with a home of its own.
type world struct {
	t    *testing.T
	dir  string
	path string // of the override file
	s    *servers.Servers
	env  []string
	keys map[string]string // "agent profile" → NAME=value
	asks int               // of the keyring

	leaveOut []string // agents
}

func newWorld(t *testing.T, text string) *world {
	t.Helper()
	leaks.Each(t)
	dir := t.TempDir()
	w := &world{t: t, dir: dir, path: filepath.Join(dir, "config", "mcp-overrides.jsonc"), keys: map[string]string{}}
	for _, name := range []string{"config", "state", "home/.codex", "bin", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Join(dir, "bin"), "DOCS_KEY=from-the-environment"}
	w.program("uvx")
	if text != "" {
		w.put(w.path, text)
	}
	w.open()
	return w
}

// open opens everything anew, as a restart does.
func (w *world) open() {
	w.t.Helper()
	file, err := override.Open(override.Config{Path: w.path, State: filepath.Join(w.dir, "state")})
	if err != nil {
		w.t.Fatal(err)
	}
	trust, err := servers.OpenTrust(filepath.Join(w.dir, "state", "trusted.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.s = servers.New(servers.Config{
		File: file, Path: w.path, Agents: func() []string { return []string{"claude", "codex", "demo"} }, MCP: "/opt/parley-mcp", Limits: mcp.DefaultLimits, Trust: trust,
		Env: func(context.Context) []string { return w.env },
		Secret: func(_ context.Context, agent, profile string) ([]string, error) {
			w.asks++
			if kv, ok := w.keys[agent+" "+profile]; ok {
				return []string{kv}, nil
			}
			return nil, nil
		},
		LeaveOut: func(agent string) bool { return slices.Contains(w.leaveOut, agent) },
		Test: func(_ context.Context, s mcp.Spec, _ []string) app.MCPTest {
			return app.MCPTest{OK: true, Server: s.Command, Stderr: fmt.Sprint(s.Env)}
		},
	})
}

func (w *world) put(path, text string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *world) program(name string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, "bin", name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) launch(agent, profile string) servers.Handed {
	w.t.Helper()
	h, err := w.s.For(w.t.Context(), servers.Launch{
		Session: app.SessionID(agent + profile), Agent: agent, Profile: profile, Cwd: filepath.Join(w.dir, "work"), Env: w.env,
		Ours: mcp.Interaction("/opt/parley-mcp", "/run/credential", true, false, mcp.DefaultLimits()), Limits: mcp.DefaultLimits(),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func names(c mcp.Catalog) string {
	var out []string
	for _, s := range c {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func noticed(h servers.Handed, want string) bool {
	return slices.ContainsFunc(h.Notices, func(n string) bool { return strings.Contains(n, want) })
}

const file = `{
  "servers": {
    "docs": { "command": "uvx", "args": ["docs"], "env": { "KEY": "${env:DOCS_KEY}", "TOKEN": "${keyring:DOCS_TOKEN}" }, "agents": ["claude", "codex"] },
    "web": { "url": "https://w/mcp", "headers": { "Authorization": "Bearer literal-secret-value" }, "timeout": "90s" },
    "old": { "type": "sse", "url": "https://w/sse" }
  },
  "overrides": { "codex": { "work": { "web": { "timeout": "10m" }, "docs": { "env": { "TOKEN": null } } } } }
}
`

func TestLaunch(t *testing.T) {
	w := newWorld(t, file)
	w.keys["claude default"] = "DOCS_TOKEN=from-the-keyring"
	h := w.launch("claude", "")
	if got := names(h.Catalog); got != "parley-interaction docs old web" {
		t.Fatalf("claude gets %s, notices %q", got, h.Notices)
	}
	docs := h.Catalog[1]
	if docs.Command != filepath.Join(w.dir, "bin", "uvx") || docs.Env["KEY"] != "from-the-environment" || docs.Env["TOKEN"] != "from-the-keyring" {
		t.Errorf("docs is %+v", docs)
	}
	if !slices.Contains(h.Secrets, "from-the-keyring") || !slices.Contains(h.Secrets, "from-the-environment") {
		t.Errorf("to be hidden: %q", h.Secrets)
	}
	// Without the secret the server is left out, and the agent comes up all the same.
	h = w.launch("codex", "")
	if got := names(h.Catalog); got != "parley-interaction web" {
		t.Errorf("codex gets %s", got)
	}
	for _, want := range []string{"docs was left out: env.TOKEN needs ${keyring:DOCS_TOKEN}", "parley secrets set DOCS_TOKEN --agent codex", "old was left out: codex does not speak sse"} {
		if !noticed(h, want) {
			t.Errorf("%q is not in %q", want, h.Notices)
		}
	}
	h = w.launch("codex", "work")
	if got := names(h.Catalog); got != "parley-interaction docs web" || h.Catalog[2].Timeout.String() != "10m0s" {
		t.Errorf("codex/work gets %s, %+v", got, h.Catalog)
	}
	asked := w.asks
	if h = w.launch("demo", ""); names(h.Catalog) != "parley-interaction old web" || w.asks != asked {
		t.Errorf("demo gets %s; the keyring was asked %d times for nothing", names(h.Catalog), w.asks-asked)
	}
	// C12: nothing was written with its value.
	if got := w.get(w.path); got != file {
		t.Errorf("the file became %s", got)
	}
	if got := w.get(filepath.Join(w.dir, "state", "mcp-overrides.last-good.jsonc")); strings.Contains(got, "from-the") {
		t.Errorf("a value was kept: %s", got)
	}
}

func TestWhatCannotStartIsLeftOut(t *testing.T) {
	w := newWorld(t, `{"servers": {
		"a": {"command": "nowhere"}, "b": {"command": "/nowhere/b"}, "c": {"command": "bin/c"}, "d": {"command": "uvx", "cwd": "/nowhere"},
		"e": {"command": "uvx", "env": {"K": "${env:NOT_SET}"}}, "f": {}, "g": {"command": "uvx", "cwd": "/"}}}`)
	h := w.launch("claude", "")
	if got := names(h.Catalog); got != "parley-interaction g" || len(h.Notices) != 6 {
		t.Errorf("%s, %q", got, h.Notices)
	}
	for _, want := range []string{"a was left out: its command nowhere is not in the agent's PATH", "/nowhere/b is not there", "no absolute path", "folder /nowhere", "the variable is not set", "needs a command"} {
		if !noticed(h, want) {
			t.Errorf("%q is not in %q", want, h.Notices)
		}
	}
}

// A broken file starts no server that it does not know for good, and says so in
// the session.
func TestBrokenFile(t *testing.T) {
	w := newWorld(t, "{")
	if h := w.launch("demo", ""); names(h.Catalog) != "parley-interaction" || !noticed(h, "no server of yours") {
		t.Errorf("%s, %q", names(h.Catalog), h.Notices)
	}
	w.put(w.path, file)
	w.open()
	w.put(w.path, "{")
	w.open()
	if h := w.launch("demo", ""); names(h.Catalog) != "parley-interaction old web" || !noticed(h, "stays in force") || !noticed(h, "line 1, column 2") {
		t.Errorf("%s, %q", names(h.Catalog), h.Notices)
	}
	if f := w.s.File(); f.InForce != "last_good" || len(f.Problems) != 1 || f.GoodAt == 0 || f.Text != "{" {
		t.Errorf("%+v", f)
	}
}

// C01, C11: the agents' own files are read and never written; a server of the
// same name stays theirs and ours is not started beside it.
func TestOwnServersStayInForce(t *testing.T) {
	w := newWorld(t, `{"servers": {"docs": {"command": "uvx"}, "web": {"url": "https://w"}}}`)
	claude, codex := filepath.Join(w.dir, "home", ".claude.json"), filepath.Join(w.dir, "home", ".codex", "config.toml")
	project := filepath.Join(w.dir, "work")
	own := map[string]string{
		claude: fmt.Sprintf(`{"mcpServers": {"docs": {"command": "x"}}, "projects": {%q: {"mcpServers": {"web": {}}}}}`, project),
		codex:  "# mine\n[mcp_servers.docs]\ncommand = \"x\"\n[mcp_servers.parley-interaction]\ncommand = \"y\"\n",
	}
	for path, text := range own {
		w.put(path, text)
	}
	if h := w.launch("claude", ""); names(h.Catalog) != "parley-interaction" || !noticed(h, "docs was left out") {
		t.Errorf("claude: %s, %q", names(h.Catalog), h.Notices)
	}
	if h := w.launch("codex", ""); names(h.Catalog) != "parley-interaction web" {
		t.Errorf("codex: %s, %q", names(h.Catalog), h.Notices)
	}
	if h := w.launch("demo", ""); names(h.Catalog) != "parley-interaction docs web" {
		t.Errorf("demo: %s", names(h.Catalog))
	}
	e, err := w.s.Effective(t.Context(), "claude", "", project)
	if err != nil || len(e.Own) != 2 || e.Own[0] != (app.MCPOwn{Name: "docs", File: claude}) {
		t.Errorf("%+v, %v", e.Own, err)
	}
	if _, err := w.s.Edit(t.Context(), app.MCPEdit{Name: "docs", Agent: "claude", Enabled: new(bool)}); err != nil {
		t.Fatal(err)
	}
	for path, text := range own {
		if got := w.get(path); got != text {
			t.Errorf("%s became %s", path, got)
		}
	}
}

// With the setting, an agent that can be told starts without the servers of its
// own files. Where it leaves out all at once their names are free for the person's
// other servers; an agent that cannot be told keeps its own, and says so.
func TestOwnServersAreLeftOut(t *testing.T) {
	w := newWorld(t, `{"servers": {"docs": {"command": "uvx"}}}`)
	w.put(filepath.Join(w.dir, "home", ".claude.json"), `{"mcpServers": {"docs": {"command": "x"}, "mine": {"command": "x"}}}`)
	w.put(filepath.Join(w.dir, "home", ".codex", "config.toml"), "[mcp_servers.docs]\ncommand = \"x\"\n")
	for _, agent := range []string{"claude", "codex", "demo"} {
		if h := w.launch(agent, ""); h.LeaveOut {
			t.Errorf("%s: nobody asked for it", agent)
		}
	}
	live := []app.SessionID{"claude", "codex", "demo"} // the names of the launches
	w.leaveOut = []string{"claude", "codex", "demo"}
	if got := w.s.Outdated(t.Context(), live); !slices.Equal(got, live[:2]) {
		t.Errorf("outdated are %q", got)
	}
	if h := w.launch("claude", ""); !h.LeaveOut || names(h.Catalog) != "parley-interaction docs" || strings.Join(h.Own, " ") != "docs mine" {
		t.Errorf("claude: %+v", h)
	}
	if h := w.launch("codex", ""); !h.LeaveOut || names(h.Catalog) != "parley-interaction" || !noticed(h, "give yours another name") {
		t.Errorf("codex: %+v", h)
	}
	if h := w.launch("demo", ""); h.LeaveOut || names(h.Catalog) != "parley-interaction docs" || !noticed(h, "so they stay") {
		t.Errorf("demo: %+v", h)
	}
	for agent, stays := range map[string]bool{"claude": false, "codex": false, "demo": true} {
		e, err := w.s.Effective(t.Context(), agent, "", "")
		if err != nil || e.OwnOut == stays || (e.OwnStays != "") != stays {
			t.Errorf("%s: %v, %q, %v", agent, e.OwnOut, e.OwnStays, err)
		}
	}
}

// X07: a project's servers start only once the person trusted the file as it is;
// after a change they are asked again. It cannot take our server's name, nor
// have placeholders filled in.
func TestProjectFile(t *testing.T) {
	w := newWorld(t, file)
	cwd := filepath.Join(w.dir, "work")
	path := filepath.Join(cwd, servers.ProjectFile)
	w.put(path, `{"mcpServers": {"theirs": {"command": "uvx", "args": ["--token=abcdefghijkl"], "env": {"K": "${env:DOCS_KEY}", "H": "${HOME}"}},
		"parley-interaction": {"command": "evil"}, "web": {"command": "evil"}}}`)
	h := w.launch("demo", "")
	if names(h.Catalog) != "parley-interaction old web" || !noticed(h, "theirs") || h.Catalog[0].Command != "/opt/parley-mcp" || h.Catalog[2].URL == "" {
		t.Fatalf("%s, %q", names(h.Catalog), h.Notices)
	}
	p := w.s.Project(cwd)
	if p.Trusted || p.Sum == "" || len(p.Servers) != 2 || strings.Contains(fmt.Sprint(p.Servers), "abcdefghijkl") {
		t.Fatalf("%+v", p)
	}
	if _, err := w.s.TrustProject(cwd, "another sum"); app.ErrorCode(err) != app.CodeChangedMeanwhile {
		t.Errorf("trusted unseen: %v", err)
	}
	if p, err := w.s.TrustProject(cwd, p.Sum); err != nil || !p.Trusted {
		t.Fatalf("%+v, %v", p, err)
	}
	w.open() // it lasts
	h = w.launch("demo", "")
	if names(h.Catalog) != "parley-interaction old theirs web" {
		t.Fatalf("%s, %q", names(h.Catalog), h.Notices)
	}
	if env := h.Catalog[2].Env; env["K"] != "${env:DOCS_KEY}" || env["H"] != "${HOME}" {
		t.Errorf("a project's placeholders were filled in: %v", env)
	}
	// Claude reads the file by itself, and asks by itself.
	if h := w.launch("claude", ""); strings.Contains(names(h.Catalog), "theirs") {
		t.Errorf("claude gets %s twice", names(h.Catalog))
	}
	w.put(path, `{"mcpServers": {"theirs": {"command": "uvx", "args": ["other"]}}}`)
	if h := w.launch("demo", ""); strings.Contains(names(h.Catalog), "theirs") {
		t.Error("a changed file is trusted")
	}
	w.put(path, `{`)
	if h := w.launch("demo", ""); !noticed(h, "is not used") {
		t.Errorf("%q", h.Notices)
	}
}

func TestViewsShowNoSecret(t *testing.T) {
	w := newWorld(t, strings.NewReplacer(`"KEY": `, `"API_TOKEN": "literal-token", "PLAIN": "shown", "KEY": `,
		`["docs"]`, `["docs", "--api-key=argument-secret"]`, `https://w/sse`, `https://w/sse?api_key=query-secret-value&lang=shown-too`).Replace(file))
	w.keys["claude default"] = "DOCS_TOKEN=from-the-keyring"
	w.launch("claude", "")
	var all strings.Builder
	for _, agent := range []string{"claude", "codex", "demo"} {
		e, err := w.s.Effective(t.Context(), agent, "", "")
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.s.Preview(t.Context(), agent, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(p.Text)) || p.How == "" {
			t.Errorf("%s: %s", agent, p.Text)
		}
		fmt.Fprintf(&all, "%+v\n%s\n", e, p.Text)
	}
	for _, secret := range []string{"literal-token", "literal-secret-value", "from-the-keyring", "from-the-environment", "argument-secret", "query-secret-value"} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("%q is shown in %s", secret, all.String())
		}
	}
	for _, want := range []string{"${env:DOCS_KEY}", "${keyring:DOCS_TOKEN}", "shown", "lang=shown-too", `"tool_timeout_sec": 90`, `"timeout": 90000`} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
	e, _ := w.s.Effective(t.Context(), "codex", "work", "")
	for _, s := range e.Servers {
		for _, f := range s.Settings {
			if s.Name == "web" && f.Field == "timeout" && (f.Layer != "overrides" || f.Agent != "codex" || f.Line != 7 || f.Hides[0].Value != `"90s"` || f.Hides[0].Line != 4) {
				t.Errorf("%+v", f)
			}
		}
	}
	if _, err := w.s.Effective(t.Context(), "nobody", "", ""); app.ErrorCode(err) != app.CodeInvalidArgument {
		t.Errorf("an unknown agent: %v", err)
	}
}

// Running agents keep what they have; which of them would get something else now
// is known.
func TestOutdated(t *testing.T) {
	w := newWorld(t, file)
	w.launch("demo", "")
	w.launch("claude", "")
	ids := []app.SessionID{"demo", "claude", "unknown"}
	if got := w.s.Outdated(t.Context(), ids); len(got) != 0 {
		t.Errorf("outdated at once: %v", got)
	}
	no := false
	if _, err := w.s.Edit(t.Context(), app.MCPEdit{Name: "web", Agent: "demo", Enabled: &no}); err != nil {
		t.Fatal(err)
	}
	if got := w.s.Outdated(t.Context(), ids); len(got) != 1 || got[0] != "demo" {
		t.Errorf("outdated: %v", got)
	}
	if _, err := w.s.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.s.Outdated(t.Context(), ids); len(got) != 0 {
		t.Errorf("after undo: %v", got)
	}
}
