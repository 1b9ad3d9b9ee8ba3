package inject_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/mcp"
	"parley/mcp/inject"
)

// parseClaude reads a --mcp-config as the CLI does: an oracle of its own, so
// that a field written under a wrong name is lost here and noticed.
func parseClaude(t interface{ Fatalf(string, ...any) }, data []byte) mcp.Catalog {
	var file struct {
		Servers map[string]struct {
			Type, Command, URL string
			Args               []string
			Env, Headers       map[string]string
			Timeout            int64 `json:"timeout"`
			AlwaysLoad         bool  `json:"alwaysLoad"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("the configuration is no JSON: %v", err)
	}
	var out mcp.Catalog
	for name, s := range file.Servers {
		out = append(out, mcp.Spec{
			Name: name, Transport: mcp.Transport(s.Type), Command: s.Command, Args: s.Args, Env: s.Env,
			URL: s.URL, Headers: s.Headers,
			Timeout: time.Duration(s.Timeout) * time.Millisecond, AlwaysLoad: s.AlwaysLoad,
		})
	}
	return byName(out)
}

func parseACP(servers []inject.ACPServer) mcp.Catalog {
	collect := func(ps []inject.Pair) map[string]string {
		m := map[string]string{}
		for _, p := range ps {
			m[p.Name] = p.Value
		}
		return m
	}
	var out mcp.Catalog
	for _, s := range servers {
		out = append(out, mcp.Spec{
			Name: s.Name, Transport: s.Transport, Command: s.Command, Args: s.Args, Env: collect(s.Env),
			URL: s.URL, Headers: collect(s.Headers),
		})
	}
	return out
}

func byName(c mcp.Catalog) mcp.Catalog {
	slices.SortFunc(c, func(a, b mcp.Spec) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// A server without arguments may come back with an empty list or none.
var sameCatalogue = cmpopts.EquateEmpty()

func genCatalog() *rapid.Generator[mcp.Catalog] {
	text := rapid.StringMatching(`[ -~äß问🤔]{0,12}`)
	table := rapid.MapOfN(rapid.StringMatching(`[A-Z_]{1,8}`), text, 0, 3)
	spec := rapid.Custom(func(t *rapid.T) mcp.Spec {
		s := mcp.Spec{
			Name:       rapid.StringMatching(`[a-z][a-z0-9-]{0,10}`).Draw(t, "name"),
			Transport:  rapid.SampledFrom([]mcp.Transport{mcp.Stdio, mcp.HTTP, mcp.SSE}).Draw(t, "transport"),
			Timeout:    time.Duration(rapid.Int64Range(0, 90_000_000).Draw(t, "ms")) * time.Millisecond,
			AlwaysLoad: rapid.Bool().Draw(t, "load"),
		}
		if s.Transport == mcp.Stdio {
			s.Command = "/" + text.Draw(t, "command")
			s.Args = rapid.SliceOfN(text, 0, 3).Draw(t, "args")
			s.Env = table.Draw(t, "env")
		} else {
			s.URL = "https://example.test/" + text.Draw(t, "path")
			s.Headers = table.Draw(t, "headers")
		}
		return s
	})
	return rapid.Custom(func(t *rapid.T) mcp.Catalog {
		return rapid.SliceOfNDistinct(spec, 0, 5, func(s mcp.Spec) string { return s.Name }).Draw(t, "catalogue")
	})
}

func TestInjectThenParseGivesTheSameCatalogue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		catalog := genCatalog().Draw(t, "catalogue")

		data, err := inject.Claude(catalog)
		if err != nil {
			t.Fatalf("claude: %v", err)
		}
		if diff := gocmp.Diff(byName(slices.Clone(catalog)), parseClaude(t, data), sameCatalogue); diff != "" {
			t.Fatalf("claude (-put in +came out):\n%s", diff)
		}

		servers, err := inject.ACP(catalog)
		if err != nil {
			t.Fatalf("acp: %v", err)
		}
		// ACP has no field for these two.
		bare := make(mcp.Catalog, len(catalog))
		for i, s := range catalog {
			s.Timeout, s.AlwaysLoad = 0, false
			bare[i] = s
		}
		if diff := gocmp.Diff(bare, parseACP(servers), sameCatalogue); diff != "" {
			t.Fatalf("acp (-put in +came out):\n%s", diff)
		}
	})
}

func TestClaudeGetsOurServerLoadedAndWithTimeToWait(t *testing.T) {
	limits := mcp.DefaultLimits()
	ours := mcp.Interaction("/opt/parley/parley-mcp", "/run/parley/credential.json", true, false, limits)
	data, err := inject.Claude(mcp.Catalog{ours})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]map[string]map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "stdio", "command": "/opt/parley/parley-mcp", "args": []any{"interaction"},
		"env": map[string]any{
			"PARLEY_RUN_CREDENTIAL": "/run/parley/credential.json", "PARLEY_MANAGED_MCP": "1",
			"PARLEY_MCP_USER_CLARIFICATION": "1", "PARLEY_MCP_NATIVE_TASK_PLAN": "0",
		},
		"timeout": float64(3_660_000), "alwaysLoad": true, // 61 minutes, in milliseconds
	}
	if diff := gocmp.Diff(want, got["mcpServers"][mcp.InteractionServer]); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	rules := inject.ClaudeAllow(mcp.Catalog{ours})
	if want := "mcp__parley-interaction__parley_clarify"; !slices.Contains(rules, want) {
		t.Errorf("rules %q lack %q", rules, want)
	}
}

func TestWhatCannotBeInjectedIsRefused(t *testing.T) {
	twice := mcp.Catalog{{Name: "docs", Transport: mcp.Stdio, Command: "a"}, {Name: "docs", Transport: mcp.Stdio, Command: "b"}}
	if _, err := inject.Claude(twice); err == nil || !strings.Contains(err.Error(), "docs") {
		t.Errorf("two servers of one name: %v", err)
	}
	odd := mcp.Catalog{{Name: "docs", Transport: "pigeon"}}
	if _, err := inject.Claude(odd); err == nil || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("claude, unknown transport: %v", err)
	}
	if _, err := inject.ACP(odd); err == nil || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("acp, unknown transport: %v", err)
	}
}

// A server with a folder of its own really runs there, whatever the folder and
// the arguments hold.
func TestServerOfItsOwnFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell to go to the folder first")
	}
	dir := filepath.Join(t.TempDir(), `-it's "a" $(folder)`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	spec := mcp.Spec{Name: "s", Transport: mcp.Stdio, Command: "/bin/sh", Args: []string{"-c", `pwd; printf '%s\n' "$@"`, "sh", "-n", "a b", "$HOME"}, Cwd: dir}
	data, err := inject.Claude(mcp.Catalog{spec})
	if err != nil {
		t.Fatal(err)
	}
	forClaude := parseClaude(t, data)[0]
	forACP, err := inject.ACP(mcp.Catalog{spec})
	if err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{append([]string{forClaude.Command}, forClaude.Args...), append([]string{forACP[0].Command}, forACP[0].Args...)} {
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		if want := dir + "\n-n\na b\n$HOME\n"; err != nil || string(out) != want {
			t.Errorf("%q ran as %q, %v", argv, out, err)
		}
	}
}

// A view of what an ACP agent gets has the protocol's own names.
func TestACPServersAsTheyGoOut(t *testing.T) {
	list, err := inject.ACP(mcp.Catalog{
		{Name: "docs", Transport: mcp.Stdio, Command: "uvx", Env: map[string]string{"B": "2", "A": "1"}},
		{Name: "web", Transport: mcp.HTTP, URL: "https://h/mcp", Headers: map[string]string{"X": "y"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(list)
	want := `[{"name":"docs","command":"uvx","args":[],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},` +
		`{"type":"http","name":"web","url":"https://h/mcp","headers":[{"name":"X","value":"y"}]}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
