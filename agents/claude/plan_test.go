package claude_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/mcp"
)

func plan(t *testing.T, change func(*agents.SessionSpec)) (agents.Launch, error) {
	t.Helper()
	limits := mcp.DefaultLimits()
	spec := agents.SessionSpec{
		SessionID: "s", Cwd: "/home/ada/project", RunDir: "/run/parley/1", OwnServers: true, Limits: limits,
		Env: []string{"HOME=/home/ada", "ANTHROPIC_API_KEY=sk-very-secret", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=other", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=120000"},
		Catalog: mcp.Catalog{
			mcp.Interaction("/opt/parley-mcp", "/run/parley/1/credential.json", true, false, limits),
			{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.example.org/mcp", Headers: map[string]string{"Authorization": "Bearer hush-hush"}, AutoAllow: []string{"search"}},
		},
	}
	if change != nil {
		change(&spec)
	}
	return newAdapter().Plan(agents.Install{Path: "/opt/claude"}, spec)
}

func TestPlan(t *testing.T) {
	got, err := plan(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/opt/claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--permission-prompt-tool", "stdio", "--mcp-config", "/run/parley/1/claude-mcp.json",
		"--allowedTools", "mcp__parley-interaction__parley_update_plan,mcp__parley-interaction__parley_clarify,mcp__parley-interaction__interactive_form_question",
		"--permission-mode=default"}
	if diff := cmp.Diff(want, got.Argv); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"HOME=/home/ada", "ANTHROPIC_API_KEY=sk-very-secret", "MCP_TIMEOUT=30000", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0", "PATH=/opt"}, got.Env); diff != "" {
		t.Error(diff)
	}
	if got.Dir != "/home/ada/project" || got.Connect != agents.ConnectStdio || len(got.Files) != 1 || got.Files[0].Mode != 0o600 {
		t.Errorf("launch %+v", got)
	}
	var file struct {
		Servers map[string]struct {
			Timeout    int64             `json:"timeout"`
			AlwaysLoad bool              `json:"alwaysLoad"`
			Headers    map[string]string `json:"headers"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(got.Files[0].Data, &file); err != nil {
		t.Fatal(err)
	}
	ours := file.Servers[mcp.InteractionServer]
	if budget := mcp.DefaultLimits().ToolBudget(); ours.Timeout != budget.Milliseconds() || budget < 6*time.Minute || !ours.AlwaysLoad {
		t.Errorf("our server %+v", ours)
	}
	if file.Servers["docs"].Headers["Authorization"] != "Bearer hush-hush" {
		t.Error("the header is missing in the file")
	}
	for _, secret := range []string{"sk-very-secret", "Bearer hush-hush"} {
		if strings.Contains(strings.Join(got.Argv, " "), secret) {
			t.Errorf("%s is in the arguments", secret)
		}
		if !slices.Contains(got.Masked, secret) {
			t.Errorf("%s is not masked: %q", secret, got.Masked)
		}
	}
	again, err := plan(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the same wish gives another plan: %s", diff)
	}
}

func TestPlanWishes(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*agents.SessionSpec)
		want   string // an argument
	}{
		{"plan", func(s *agents.SessionSpec) { s.Mode = agents.ModePlan }, "--permission-mode=plan"},
		{"ask", func(s *agents.SessionSpec) { s.Mode = agents.ModeAsk }, "--permission-mode=default"},
		{"edits", func(s *agents.SessionSpec) { s.Mode = agents.ModeEdits }, "--permission-mode=acceptEdits"},
		{"full", func(s *agents.SessionSpec) { s.Mode = agents.ModeFull }, "--permission-mode=bypassPermissions"},
		{"edits as root", func(s *agents.SessionSpec) { s.Mode, s.Root = agents.ModeEdits, true }, "--permission-mode=acceptEdits"},
		{"full as root in a sandbox", func(s *agents.SessionSpec) {
			s.Mode, s.Root, s.Env = agents.ModeFull, true, append(s.Env, "IS_SANDBOX=1")
		}, "--permission-mode=bypassPermissions"},
		{"only ours", func(s *agents.SessionSpec) { s.OwnServers = false }, "--strict-mcp-config"},
		{"resume", func(s *agents.SessionSpec) { s.NativeID = "n1" }, "--resume=n1"},
		{"model", func(s *agents.SessionSpec) { s.Model = "-p" }, "--model=-p"},
		{"effort", func(s *agents.SessionSpec) { s.Effort = "high" }, "--effort=high"},
	} {
		got, err := plan(t, c.change)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !slices.Contains(got.Argv, c.want) {
			t.Errorf("%s: %q", c.name, got.Argv)
		}
	}
	bare, err := plan(t, func(s *agents.SessionSpec) { s.Catalog = nil })
	if err != nil || len(bare.Files) != 0 || slices.Contains(bare.Argv, "--mcp-config") || slices.Contains(bare.Argv, "--allowedTools") {
		t.Errorf("without servers: %q, %v", bare.Argv, err)
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, change := range map[string]func(*agents.SessionSpec){
		"full as root": func(s *agents.SessionSpec) { s.Mode, s.Root = agents.ModeFull, true },
		"unknown mode": func(s *agents.SessionSpec) { s.Mode = "yolo" },
	} {
		_, err := plan(t, change)
		if p, ok := errors.AsType[*agents.PlanError](err); !ok || p.Problem.Code != "refused_mode" || p.Problem.Title == "" || p.Problem.Advice == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := plan(t, func(s *agents.SessionSpec) { s.Catalog = append(s.Catalog, s.Catalog[0]) }); err == nil {
		t.Error("two servers of one name")
	}
}

func TestDiagnose(t *testing.T) {
	for _, c := range []struct {
		exit agents.Exit
		tail string
		code string
	}{
		{agents.Exit{Code: 1}, "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons", "refused_mode"},
		{agents.Exit{Code: 1}, "No conversation found with session ID: 1", "session_lost"},
		{agents.Exit{Code: 1}, "Not logged in · Please run /login", "not_logged_in"},
		{agents.Exit{Code: 1}, "error: unknown option '--permission-prompt-tool'", "broken"},
		{agents.Exit{Code: 1}, "claude: /lib/libc.so.6: version `GLIBC_2.38' not found", "broken"},
		{agents.Exit{Code: 127}, "", "broken"},
		{agents.Exit{Code: 1}, "boom", "exited"},
		{agents.Exit{Code: 0}, "", "exited"},
		{agents.Exit{Code: -1, Signal: "SIGKILL"}, "", "exited"},
		{agents.Exit{Code: -1, Signal: "SIGSEGV"}, strings.Repeat("line\n", 5000), "exited"},
	} {
		p := newAdapter().Diagnose(c.exit, c.tail)
		if p.Code != c.code || p.Title == "" || p.Advice == "" || len(p.Evidence) > 5<<10 {
			t.Errorf("%+v %.40q: %+v", c.exit, c.tail, p)
		}
	}
}

func TestInfo(t *testing.T) {
	info := newAdapter().Info()
	if info.Family != agents.Claude || len(info.Binaries) == 0 || !info.Caps.Steer || !info.Caps.Interrupt || len(info.Caps.Modes) != 4 {
		t.Errorf("info %+v", info)
	}
}
