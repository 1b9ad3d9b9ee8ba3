package foreign_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"parley/mcp/catalogue"
	"parley/mcp/foreign"
)

// flat writes entries down so that a difference is read at a glance.
func flat(entries []catalogue.Entry) map[string]string {
	out := map[string]string{}
	for _, e := range entries {
		for name, f := range e.Fields {
			out[e.Name+"."+name] = f.Value.JSON()
		}
	}
	return out
}

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		format foreign.Format
		text   string
		want   map[string]string
		notes  []string // part of each
	}{
		{foreign.Claude, `{"numStartups": 3, "mcpServers": {
			"docs": {"type": "stdio", "command": "uvx", "args": ["docs"], "env": {"KEY": "${DOCS_KEY}", "N": 1, "D": "${X:-y}"}, "timeout": 600000},
			"web": {"type": "http", "url": "https://w/mcp", "headers": {"Authorization": "Bearer ${T}"}},
			"old": {"type": "sse", "url": "https://w/sse"},
			"parley-interaction": {"command": "/x/parley-mcp", "env": {"PARLEY_MANAGED_MCP": "1"}},
			"a b": {"command": "x"}, "odd": 1}}`,
			map[string]string{
				"docs.command": `"uvx"`, "docs.args": `["docs"]`, "docs.env.KEY": `"${env:DOCS_KEY}"`, "docs.env.N": `"1"`, "docs.env.D": `"${X:-y}"`, "docs.timeout": `"10m"`,
				"web.url": `"https://w/mcp"`, "web.headers.Authorization": `"Bearer ${env:T}"`, "old.type": `"sse"`, "old.url": `"https://w/sse"`,
			}, []string{"a b was left out", "env.D holds ${X:-y}", "odd is no table", "parley-interaction is Parley's"}},
		{foreign.Codex, `
model = "gpt" # a comment
[mcp_servers.docs]
command = "uvx"
args = ["docs"]
env = { KEY = "v" }
env_vars = ["HOME"]
tool_timeout_sec = 90.5
startup_timeout_sec = 20
enabled = false
[mcp_servers."web"]
url = "https://w/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { A = "b" }
env_http_headers = { C = "D" }
`,
			map[string]string{
				"docs.command": `"uvx"`, "docs.args": `["docs"]`, "docs.env.KEY": `"v"`, "docs.env.HOME": `"${env:HOME}"`, "docs.timeout": `"1m31s"`, "docs.enabled": "false",
				"web.url": `"https://w/mcp"`, "web.headers.Authorization": `"Bearer ${env:TOKEN}"`, "web.headers.A": `"b"`, "web.headers.C": `"${env:D}"`,
			}, []string{"startup_timeout_sec has no counterpart"}},
		{foreign.OpenCode, "{ // mine\n\"theme\": \"x\", \"mcp\": {\n\"docs\": {\"type\": \"local\", \"command\": [\"uvx\", \"docs\"], \"environment\": {\"K\": \"{env:DOCS}\", \"F\": \"{file:~/.k}\"}, \"enabled\": true, \"timeout\": 5000},\n\"web\": {\"type\": \"remote\", \"url\": \"https://w\", \"enabled\": false, \"oauth\": {}},\n}}",
			map[string]string{
				"docs.command": `"uvx"`, "docs.args": `["docs"]`, "docs.env.K": `"${env:DOCS}"`, "docs.env.F": `"{file:~/.k}"`, "docs.timeout": `"5s"`,
				"web.url": `"https://w"`, "web.enabled": "false",
			}, []string{"{file:~/.k}", "oauth has no counterpart"}},
		{foreign.Gemini, `{"mcpServers": {"docs": {"command": "uvx", "env": {"A": "$A", "B": "${B}"}, "trust": true}, "web": {"httpUrl": "https://w"}, "old": {"url": "https://s"}}}`,
			map[string]string{"docs.command": `"uvx"`, "docs.env.A": `"${env:A}"`, "docs.env.B": `"${env:B}"`, "web.url": `"https://w"`, "old.url": `"https://s"`, "old.type": `"sse"`},
			[]string{"trust has no counterpart"}},
		{foreign.Cursor, `{"mcpServers": {"docs": {"command": "uvx", "env": {"K": "${env:K}"}}}}`,
			map[string]string{"docs.command": `"uvx"`, "docs.env.K": `"${env:K}"`}, nil},
		{foreign.VSCode, `{"inputs": [], "servers": {"docs": {"type": "stdio", "command": "uvx", "env": {"K": "${input:key}"}}}}`,
			map[string]string{"docs.command": `"uvx"`, "docs.env.K": `"${input:key}"`}, []string{"${input:key}"}},
		{foreign.VSCode, `{"editor.fontSize": 12, "mcp": {"servers": {"docs": {"command": "uvx"}}}}`, map[string]string{"docs.command": `"uvx"`}, nil},
		{foreign.Project, `{"mcpServers": {"docs": {"command": "uvx", "env": {"K": "${HOME}", "L": "${env:HOME}"}}}}`,
			map[string]string{"docs.command": `"uvx"`, "docs.env.K": `"${HOME}"`, "docs.env.L": `"${env:HOME}"`}, nil},
	} {
		found, err := foreign.Parse(tc.format, []byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", tc.format, err)
			continue
		}
		if diff := gocmp.Diff(tc.want, flat(found.Entries)); diff != "" {
			t.Errorf("%s: %s", tc.format, diff)
		}
		if len(found.Notes) != len(tc.notes) {
			t.Errorf("%s: notes %q", tc.format, found.Notes)
		}
		for _, want := range tc.notes {
			if !slices.ContainsFunc(found.Notes, func(n string) bool { return strings.Contains(n, want) }) {
				t.Errorf("%s: %q is not noted in %q", tc.format, want, found.Notes)
			}
		}
	}
}

func TestEkko(t *testing.T) {
	found, err := foreign.Parse(foreign.Ekko, []byte(`{
		"configs": {"codex": {"default": {"docs": {"timeout": 600000}, "ekko-studio-interaction": {"enabled": false}}}},
		"disabled": {"pi": {"*": ["docs", "ekko-studio-plan"]}, "grok": ["docs"]}}`))
	if err != nil || len(found.Rules) != 2 || len(found.Switches) != 3 || len(found.Notes) != 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	if r := found.Rules[1]; r.Name != "parley-interaction" || r.Agent != "codex" || r.Fields["enabled"].Value.Bool {
		t.Errorf("rule %+v", r)
	}
	if s := found.Switches[0]; s.Agent != "grok" || s.Profile != catalogue.Any {
		t.Errorf("switch %+v", s)
	}
	if s := found.Switches[2]; s.Name != "parley-interaction" {
		t.Errorf("switch %+v", s)
	}
}

func TestBrokenFilesAreSaid(t *testing.T) {
	for _, format := range append([]foreign.Format{foreign.Project}, foreign.Formats...) {
		for _, text := range []string{"{", "[1]", `"x"`, "= 1", strings.Repeat("{\"a\":", 200000)} {
			found, err := foreign.Parse(format, []byte(text))
			if err == nil && format != foreign.Codex {
				t.Errorf("%s takes %.20q: %+v", format, text, found)
			}
			if err == nil && (len(found.Entries) > 0 || text == "{") {
				t.Errorf("%s takes %.20q: %+v", format, text, found)
			}
		}
	}
	if _, err := foreign.Parse(foreign.Codex, []byte("a = 1\nb = \n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("no place: %v", err)
	}
	// C06: the same table twice.
	if _, err := foreign.Parse(foreign.Codex, []byte("[mcp_servers.a]\n[mcp_servers.\"a\"]\n")); err == nil {
		t.Error("a table that is there twice is taken")
	}
}

// C02, C06: whatever else a TOML file holds, and however it writes its tables, its
// servers are found.
func TestOddTOML(t *testing.T) {
	text := `# mine
big = 9223372036854775807
when = 1979-05-27T07:32:00Z # a date
days = [1979-05-27, 07:32:00]
1234 = "a key of digits"
a."b.c".d = { "inline" = true, 'e f' = [1, 2.5e3] }
mcp_servers.dotted.command = "x"
mcp_servers.dotted."env".KEY = "v"
mcp_servers.inline = { command = "y", args = ["a"] }

[mcp_servers."quoted"]
command = "z"
[mcp_servers.77]
url = "https://w/mcp"
`
	found, err := foreign.Parse(foreign.Codex, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"dotted.command": `"x"`, "dotted.env.KEY": `"v"`, "inline.command": `"y"`, "inline.args": `["a"]`,
		"quoted.command": `"z"`, "77.url": `"https://w/mcp"`,
	}
	if diff := gocmp.Diff(want, flat(found.Entries)); diff != "" {
		t.Error(diff)
	}
	names, err := foreign.Names(foreign.Codex, []byte(text), "")
	if err != nil || !slices.Equal(names, []string{"77", "dotted", "inline", "quoted"}) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestNames(t *testing.T) {
	claude := []byte(`{"mcpServers": {"a": {}, "b": {}}, "projects": {"/here": {"mcpServers": {"b": {}, "c": {}}}, "/there": {"mcpServers": {"d": {}}}}}`)
	for _, tc := range []struct {
		format foreign.Format
		text   []byte
		want   []string
	}{
		{foreign.Claude, claude, []string{"a", "b", "c"}},
		{foreign.Codex, []byte("mcp_servers.x.command = \"y\"\n[mcp_servers.z]\n"), []string{"x", "z"}},
		{foreign.OpenCode, []byte(`{"mcp": {"o": {}}}`), []string{"o"}},
		{foreign.Claude, []byte(`{}`), nil},
	} {
		got, err := foreign.Names(tc.format, tc.text, "/here")
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, %v", tc.format, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("codex", []byte("[mcp_servers.a]\nurl = 1\n"))
	f.Add("gemini", []byte(`{"mcpServers": {"a": {"httpUrl": "$X", "timeout": 1e300}}}`))
	f.Add("ekko", []byte(`{"configs": {"a": {"b": 1}}}`))
	f.Fuzz(func(t *testing.T, format string, text []byte) {
		found, err := foreign.Parse(foreign.Format(format), text)
		if err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
		for _, e := range found.Entries {
			for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
				if err := catalogue.CheckField(name, e.Fields[name].Value); err != nil {
					t.Fatalf("%s of %s is taken: %v", name, e.Name, err)
				}
			}
		}
	})
}
