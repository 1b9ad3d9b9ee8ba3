package inject_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/mcp"
	"parley/mcp/inject"
)

// parseCodex reads the overrides as the CLI does: an oracle of its own, so that
// a field written under a wrong name is lost here and noticed.
func parseCodex(t interface{ Fatalf(string, ...any) }, data []byte) mcp.Catalog {
	var config struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
			Cwd     string            `json:"cwd"`
			URL     string            `json:"url"`
			Headers map[string]string `json:"http_headers"`
			Seconds float64           `json:"tool_timeout_sec"`
		} `json:"mcp_servers"`
		Direct []string `json:"features.code_mode.direct_only_tool_namespaces"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatalf("the configuration is no JSON: %v", err)
	}
	var out mcp.Catalog
	for name, s := range config.Servers {
		transport := mcp.Stdio
		if s.URL != "" {
			transport = mcp.HTTP
		}
		out = append(out, mcp.Spec{
			Name: name, Transport: transport, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
			Timeout:    time.Duration(s.Seconds*1000+0.5) * time.Millisecond,
			AlwaysLoad: slices.Contains(config.Direct, "mcp__"+strings.ReplaceAll(name, "-", "_")),
		})
	}
	return byName(out)
}

func TestCodexInjectThenParseGivesTheSameCatalogue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		catalog := genCatalog().Draw(t, "catalogue")
		for i := range catalog {
			if catalog[i].Transport == mcp.SSE { // refused, see below
				catalog[i].Transport = mcp.HTTP
			}
		}
		data, err := inject.Codex(catalog, inject.CodexOwn{})
		if err != nil {
			t.Fatalf("codex: %v", err)
		}
		if diff := gocmp.Diff(byName(slices.Clone(catalog)), parseCodex(t, data), sameCatalogue); diff != "" {
			t.Fatalf("codex (-put in +came out):\n%s", diff)
		}
	})
}

func TestCodexGetsOurServerPlainAndWithTimeToWait(t *testing.T) {
	ours := mcp.Interaction("/opt/parley/parley-mcp", "/run/parley/credential.json", true, false, mcp.DefaultLimits())
	theirs := mcp.Spec{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.test/mcp", Headers: map[string]string{"X-Key": "k"}, AutoAllow: []string{"look"}}
	data, err := inject.Codex(mcp.Catalog{ours, theirs}, inject.CodexOwn{LeaveOut: []string{"own"}, Direct: []string{"mcp__own", "mcp__parley_interaction"}})
	if err != nil {
		t.Fatal(err)
	}
	var pretty any
	if err := json.Unmarshal(data, &pretty); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(pretty, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "codex.json", string(text)+"\n")
}

func TestCodexRefusesWhatItCannotUse(t *testing.T) {
	for what, c := range map[string]struct {
		catalog mcp.Catalog
		says    string
	}{
		"two servers of one name": {mcp.Catalog{{Name: "docs", Transport: mcp.Stdio}, {Name: "docs", Transport: mcp.Stdio}}, "docs"},
		"server-sent events":      {mcp.Catalog{{Name: "old", Transport: mcp.SSE}}, "sse"},
	} {
		if _, err := inject.Codex(c.catalog, inject.CodexOwn{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
