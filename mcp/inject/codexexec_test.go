package inject_test

import (
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
	got, err := inject.CodexExecOf(mcp.Catalog{ours, docs, own}, []string{"theirs"}, "/run/1", "/opt/parley-mcp")
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
			`mcp_servers.my_own.args=["start","/run/1/server-my_own.json"]`,
			`mcp_servers.my_own.command="/opt/parley-mcp"`,
		},
		Env:    []string{"PARLEY_TOKEN_1=hush-1"},
		Starts: []inject.Start{{Path: "/run/1/server-my_own.json", JSON: []byte(`{"command":"/bin/own","args":["--fast"],"env":{"KEY":"hush-2"}}`)}},
		Names:  map[string]string{"parley_interaction": mcp.InteractionServer, "docs": "docs", "my_own": "my.own"},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
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
		"a name that it cannot be told":  {leaveOut: []string{"my.own"}, says: "my.own"},
	} {
		if _, err := inject.CodexExecOf(c.catalog, c.leaveOut, "/run", "/opt/parley-mcp"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An address is shown where it can hold no secret, and its server left out otherwise.
func TestCodexExecShowsPlainAddressesAlone(t *testing.T) {
	for address, shown := range map[string]bool{
		"https://x.test": true, "https://x.test/mcp": true, "http://127.0.0.1:80/api/v1/mcp/": true, "https://x.test/sse": true,
		"https://x.test/hush": false, "https://x.test/hush/mcp": false, "https://x.test/mcp/hush": false, "https://x.test/%68ush": false,
		"https://me:hush@x.test/mcp": false, "https://hush@x.test/mcp": false, "https://x.test/mcp?hush": false, "https://x.test/mcp#hush": false,
		"x.test:hush": false, "https://x.test:hush/mcp": false,
	} {
		got, err := inject.CodexExecOf(mcp.Catalog{{Name: "web", Transport: mcp.HTTP, URL: address}}, nil, "/run", "/opt/parley-mcp")
		if err != nil {
			t.Fatal(err)
		}
		if left := slices.Contains(got.LeftOut, "web"); left == shown || shown != slices.ContainsFunc(got.Overrides, func(o string) bool { return strings.Contains(o, address) }) {
			t.Errorf("%s: left out %t, told %q", address, left, got.Overrides)
		}
		if strings.Contains(strings.Join(got.Overrides, " "), "hush") {
			t.Errorf("%s: told %q", address, got.Overrides)
		}
	}
	got, err := inject.CodexExecOf(mcp.Catalog{{Name: "web", Transport: mcp.HTTP, URL: "https://hush.x.test/mcp", SecretURL: true}}, nil, "/run", "/opt/parley-mcp")
	if err != nil || len(got.LeftOut) != 1 || len(got.Overrides) != 0 {
		t.Errorf("an address that was filled in: %+v, %v", got, err)
	}
}
