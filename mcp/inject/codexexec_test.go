package inject_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"parley/mcp"
	"parley/mcp/inject"
)

// What `codex exec` is told on its command line, where everybody can read it: our
// server with its time and its marks, and nothing that may be secret.
func TestCodexExecKeepsSecretsOffItsCommandLine(t *testing.T) {
	ours := mcp.Interaction("/opt/parley-mcp", "/run/credential.json", true, false, mcp.DefaultLimits())
	docs := mcp.Spec{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.test/mcp", Headers: map[string]string{"X-Key": "hush-1"}, AutoAllow: []string{"look", "a.b"}}
	own := mcp.Spec{Name: "my.own", Transport: mcp.Stdio, Command: "/bin/own", Args: []string{"--fast"}, Env: map[string]string{"KEY": "hush-2"}}
	got, err := inject.CodexExecOf(mcp.Catalog{ours, docs, own}, []string{"theirs"}, "/run/1")
	if err != nil {
		t.Fatal(err)
	}
	want := inject.CodexExec{
		Overrides: []string{
			`mcp_servers.theirs.enabled=false`,
			`mcp_servers.parley_interaction.args=["interaction"]`,
			`mcp_servers.parley_interaction.command="/opt/parley-mcp"`,
			`mcp_servers.parley_interaction.default_tools_approval_mode="approve"`,
			`mcp_servers.parley_interaction.env.PARLEY_MANAGED_MCP="1"`,
			`mcp_servers.parley_interaction.env.PARLEY_MCP_NATIVE_TASK_PLAN="0"`,
			`mcp_servers.parley_interaction.env.PARLEY_MCP_USER_CLARIFICATION="1"`,
			`mcp_servers.parley_interaction.env.PARLEY_RUN_CREDENTIAL="/run/credential.json"`,
			`mcp_servers.parley_interaction.required=true`,
			`mcp_servers.parley_interaction.tool_timeout_sec=3660`,
			`mcp_servers.docs.env_http_headers.X-Key="PARLEY_TOKEN_1"`,
			`mcp_servers.docs.tools.look.approval_mode="approve"`,
			`mcp_servers.docs.url="https://docs.test/mcp"`,
			`mcp_servers.my_own.args=["--fast"]`,
			`mcp_servers.my_own.command="/run/1/server-my_own"`,
		},
		Env:      []string{"PARLEY_TOKEN_1=hush-1"},
		Programs: []inject.Program{{Path: "/run/1/server-my_own", Text: "#!/bin/sh\nexport KEY='hush-2'\nexec '/bin/own' \"$@\"\n"}},
		Names:    map[string]string{"parley_interaction": mcp.InteractionServer, "docs": "docs", "my_own": "my.own"},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// The program that starts a person's server hands it every value as it is.
func TestCodexExecStartsAServerWithItsEnvironment(t *testing.T) {
	value := "it's \"quoted\" $HOME `x`\nand long"
	got, err := inject.CodexExecOf(mcp.Catalog{{Name: "own", Transport: mcp.Stdio, Command: "/usr/bin/printenv", Env: map[string]string{"VALUE": value}}}, nil, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := got.Programs[0]
	if err := os.WriteFile(p.Path, []byte(p.Text), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("/bin/sh", p.Path, "VALUE").Output()
	if err != nil || string(out) != value+"\n" {
		t.Errorf("the server has %q, %v; want %q", out, err, value)
	}
	if filepath.Base(p.Path) != "server-own" || slices.ContainsFunc(got.Overrides, func(o string) bool { return strings.Contains(o, "quoted") }) {
		t.Errorf("told %v", got.Overrides)
	}
}

func TestCodexExecRefusesWhatItCannotUse(t *testing.T) {
	for what, c := range map[string]struct {
		catalog  mcp.Catalog
		leaveOut []string
		says     string
	}{
		"two servers that are one to it": {catalog: mcp.Catalog{{Name: "a.b", Transport: mcp.Stdio}, {Name: "a-b", Transport: mcp.Stdio}}, says: "a-b"},
		"server-sent events":             {catalog: mcp.Catalog{{Name: "old", Transport: mcp.SSE}}, says: "sse"},
		"a secret in an address":         {catalog: mcp.Catalog{{Name: "web", Transport: mcp.HTTP, URL: "https://x.test/?key=hush"}}, says: "web"},
		"a password in an address":       {catalog: mcp.Catalog{{Name: "web", Transport: mcp.HTTP, URL: "https://me:hush@x.test/"}}, says: "web"},
		"a name that it cannot be told":  {leaveOut: []string{"my.own"}, says: "my.own"},
	} {
		if _, err := inject.CodexExecOf(c.catalog, c.leaveOut, "/run"); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
