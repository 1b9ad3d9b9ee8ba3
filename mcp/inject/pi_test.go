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

// literal reads a value as Pi does, as far as ours may go: a value that it would
// fill in or run is a mistake.
func literal(t interface{ Fatalf(string, ...any) }, value string) string {
	if strings.HasPrefix(value, "!") {
		t.Fatalf("Pi would run %q", value)
	}
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '$' {
			if i++; i == len(value) || value[i] != '$' && value[i] != '!' {
				t.Fatalf("Pi would fill in %q", value)
			}
		}
		out.WriteByte(value[i])
	}
	return out.String()
}

// parsePi reads the registrations as the CLI does: an oracle of its own, so that
// a field written under a wrong name is lost here and noticed.
func parsePi(t interface{ Fatalf(string, ...any) }, data []byte) mcp.Catalog {
	var file struct {
		Servers map[string]struct {
			Command, URL, Cwd, Exposure string
			Args                        []string
			Env, Headers                map[string]string
			Seconds                     float64 `json:"timeout"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("the configuration is no JSON: %v", err)
	}
	var out mcp.Catalog
	for name, s := range file.Servers {
		if s.Exposure != "direct" {
			t.Fatalf("the tools of %s are hidden", name)
		}
		for _, values := range []map[string]string{s.Env, s.Headers} {
			for key, value := range values {
				values[key] = literal(t, value)
			}
		}
		transport := mcp.Stdio
		if s.URL != "" {
			transport = mcp.HTTP
		}
		out = append(out, mcp.Spec{
			Name: name, Transport: transport, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
			Timeout: time.Duration(s.Seconds*1000+0.5) * time.Millisecond,
		})
	}
	return byName(out)
}

func TestPiInjectThenParseGivesTheSameCatalogue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		catalog := genCatalog().Draw(t, "catalogue")
		for i := range catalog {
			if catalog[i].Transport == mcp.SSE { // refused, see below
				catalog[i].Transport = mcp.HTTP
			}
			catalog[i].AlwaysLoad = false // all tools are plain ones
		}
		data, err := inject.Pi(catalog)
		if err != nil {
			t.Fatalf("pi: %v", err)
		}
		if diff := gocmp.Diff(byName(slices.Clone(catalog)), parsePi(t, data), sameCatalogue); diff != "" {
			t.Fatalf("pi (-put in +came out):\n%s", diff)
		}
	})
}

// Values stay as they are, whatever they look like to Pi.
func TestPiFillsNothingIn(t *testing.T) {
	env := map[string]string{"A": "!rm -rf /", "B": "$HOME", "C": "${HOME}", "D": "a$", "E": "$$", "F": "plain!", "G": "$!x"}
	data, err := inject.Pi(mcp.Catalog{{Name: "docs", Transport: mcp.Stdio, Command: "docs", Env: env}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(env, parsePi(t, data)[0].Env); diff != "" {
		t.Error(diff)
	}
}

func TestPiRefusesWhatItCannotUse(t *testing.T) {
	for what, c := range map[string]struct {
		catalog mcp.Catalog
		says    string
	}{
		"two servers of one name": {mcp.Catalog{{Name: "docs", Transport: mcp.Stdio}, {Name: "docs", Transport: mcp.Stdio}}, "docs"},
		"server-sent events":      {mcp.Catalog{{Name: "old", Transport: mcp.SSE}}, "sse"},
	} {
		if _, err := inject.Pi(c.catalog); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
