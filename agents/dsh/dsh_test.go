package dsh_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/dsh"
	"parley/mcp"
)

// The servers and the permission mode are patches of the run folder: nothing of
// them is in the arguments, and the servers have their time limit.
func TestPlan(t *testing.T) {
	catalog := mcp.Catalog{
		{Name: "parley-interaction", Transport: mcp.Stdio, Command: "/bin/parley-mcp", Args: []string{"interaction"}, Env: map[string]string{"API_TOKEN": "s3cr3t-s3cr3t"}, Timeout: time.Hour},
		{Name: "the web", Transport: mcp.HTTP, URL: "https://h/mcp", Headers: map[string]string{"X": "y"}},
	}
	launch, err := dsh.New("test").Plan(agents.Install{Path: "/n/dsh"}, agents.SessionSpec{Cwd: "/w", RunDir: "/run", Mode: agents.ModeEdits, Catalog: catalog})
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"/n/dsh", "--profile", "acp", "--patch", "/run/servers.patch.yml", "--patch", "/run/permissions.patch.yml"}
	if diff := cmp.Diff(argv, launch.Argv); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	want := []string{
		`[{"insert":[` +
			`{"id":"parley-mcp-parley-interaction","name":"@deepseek-ai/dsh-mcp-client","config":{"serverName":"parley-interaction","transport":"stdio","command":"/bin/parley-mcp","args":["interaction"],"env":{"API_TOKEN":"s3cr3t-s3cr3t"},"toolCallTimeoutMs":3600000}},` +
			`{"id":"parley-mcp-the_web","name":"@deepseek-ai/dsh-mcp-client","config":{"serverName":"the_web","transport":"streamable-http","url":"https://h/mcp","headers":{"X":"y"}}}]}]`,
		`[{"id":"sandbox-policy","config":{"mode":"workspace-write","workspaceRoot":"/w"}},{"id":"approval","config":{"policy":"ask"}},{"id":"permission","disabled":true}]`,
	}
	for i, f := range launch.Files {
		if string(f.Data) != want[i] || f.Mode != 0o600 {
			t.Errorf("%s (%o): %s", f.Path, f.Mode, f.Data)
		}
	}
	if diff := cmp.Diff([]string{"s3cr3t-s3cr3t"}, launch.Masked); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
}

func TestModes(t *testing.T) {
	for mode, want := range map[agents.Mode][2]string{
		"": {"read-only", "ask"}, agents.ModePlan: {"read-only", "never"}, agents.ModeAsk: {"read-only", "ask"},
		agents.ModeEdits: {"workspace-write", "ask"}, agents.ModeFull: {"danger-full-access", "never"},
	} {
		launch, err := dsh.New("test").Plan(agents.Install{Path: "/n/dsh"}, agents.SessionSpec{Cwd: "/w", RunDir: "/run", Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var rows []struct {
			ID       string
			Disabled bool
			Config   struct{ Mode, Policy string }
		}
		if err := json.Unmarshal(launch.Files[1].Data, &rows); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{rows[0].Config.Mode, rows[1].Config.Policy}; got != want || !rows[2].Disabled {
			t.Errorf("%q became %v", mode, rows)
		}
		if string(launch.Files[0].Data) != "[]" { // an empty file would be refused
			t.Errorf("no servers are %s", launch.Files[0].Data)
		}
	}
	_, err := dsh.New("test").Plan(agents.Install{Path: "/n/dsh"}, agents.SessionSpec{Mode: "wild"})
	if refused, ok := errors.AsType[*agents.PlanError](err); !ok || refused.Problem.Code != "refused_mode" {
		t.Errorf("an unknown mode: %v", err)
	}
}

// What the CLI cannot be handed, and what it would run, is no launch.
func TestWhatCannotBeHandedOver(t *testing.T) {
	for what, catalog := range map[string]mcp.Catalog{
		"a transport": {{Name: "a", Transport: mcp.SSE, URL: "https://h/sse"}},
		"one name":    {{Name: "a b", Transport: mcp.Stdio, Command: "x"}, {Name: "a:b", Transport: mcp.Stdio, Command: "x"}},
		"code":        {{Name: "a", Transport: mcp.Stdio, Command: "x", Env: map[string]string{"__jsExpr": "process.exit()"}}},
		"code, http":  {{Name: "a", Transport: mcp.HTTP, URL: "https://h", Headers: map[string]string{"__jsExpr": "1"}}},
	} {
		_, err := dsh.New("test").Plan(agents.Install{Path: "/n/dsh"}, agents.SessionSpec{RunDir: "/run", Catalog: catalog})
		if err == nil || !strings.Contains(err.Error(), `"a`) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A release from before the profile is told from one that broke.
func TestDiagnose(t *testing.T) {
	tail := "dsh: profile \"acp\" does not exist; create it with 'dsh plugin --profile acp add <package>'\n"
	if p := dsh.New("test").Diagnose(agents.Exit{Code: 1}, tail); p.Code != "too_old" || p.Command == "" || p.Evidence == "" {
		t.Errorf("diagnosed as %+v", p)
	}
	if p := dsh.New("test").Diagnose(agents.Exit{Code: 1}, "dsh: AUTH: 401: no key"); p.Code != "not_logged_in" || p.Command != "dsh web" {
		t.Errorf("diagnosed as %+v", p)
	}
}
