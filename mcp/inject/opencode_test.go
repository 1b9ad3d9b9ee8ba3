package inject_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/mcp"
	"parley/mcp/inject"
)

var references = regexp.MustCompile(`\{(env|file):([^}]+)\}`)

// parseOpenCode reads a configuration as the CLI does: references anywhere in the
// text are replaced first, those to a file by what is in it. An oracle of its
// own, so that what is written wrongly is lost here and noticed.
func parseOpenCode(t interface{ Fatalf(string, ...any) }, data []byte, files []inject.OpenCodeFile) mcp.Catalog {
	text := references.ReplaceAllStringFunc(string(data), func(ref string) string {
		m := references.FindStringSubmatch(ref)
		for _, f := range files {
			if m[1] == "file" && f.Path == m[2] {
				quoted, err := json.Marshal(string(f.Data))
				if err != nil {
					t.Fatalf("%v", err)
				}
				return string(quoted[1 : len(quoted)-1])
			}
		}
		return "" // a variable or a file that is not there
	})
	var config struct {
		Servers map[string]struct {
			Type        string            `json:"type"`
			Command     []string          `json:"command"`
			Environment map[string]string `json:"environment"`
			Cwd         string            `json:"cwd"`
			URL         string            `json:"url"`
			Headers     map[string]string `json:"headers"`
			Enabled     bool              `json:"enabled"`
			Timeout     int64             `json:"timeout"`
		} `json:"mcp"`
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatalf("the configuration is no JSON: %v\n%s", err, text)
	}
	var out mcp.Catalog
	for name, s := range config.Servers {
		spec := mcp.Spec{
			Name: name, Transport: mcp.HTTP, Env: s.Environment, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers, Timeout: time.Duration(s.Timeout) * time.Millisecond,
		}
		if s.Type == "local" {
			spec.Transport, spec.Command, spec.Args = mcp.Stdio, s.Command[0], s.Command[1:]
		}
		if !s.Enabled {
			t.Fatalf("%s is switched off", name)
		}
		out = append(out, spec)
	}
	return byName(out)
}

func TestOpenCodeInjectThenParseGivesTheSameCatalogue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		catalog := genCatalog().Draw(t, "catalogue")
		for i := range catalog {
			s := &catalog[i]
			s.Timeout, s.AlwaysLoad = s.Timeout.Truncate(time.Millisecond), false
			if s.Transport == mcp.SSE { // the CLI finds out by itself
				s.Transport = mcp.HTTP
			}
			// What the CLI would replace, in places where a person may have it.
			s.Managed = rapid.Bool().Draw(t, "managed")
			if s.Transport == mcp.Stdio {
				odd := rapid.SampledFrom([]string{"{env:HOME}", "{file:/etc/passwd}", "{{file:x}}", `a "{env:X}" b`, "{file:/run/opencode-value-1}"}).Draw(t, "odd")
				s.Args = append(s.Args, odd)
				if s.Env == nil {
					s.Env = map[string]string{}
				}
				s.Env["ODD"] = odd
			}
		}
		data, files, err := inject.OpenCode(catalog, inject.OpenCodeOwn{Folder: "/run"})
		if err != nil {
			t.Fatalf("opencode: %v", err)
		}
		if diff := gocmp.Diff(bare(catalog), parseOpenCode(t, data, files), sameCatalogue); diff != "" {
			t.Fatalf("opencode (-put in +came out):\n%s\n%s", diff, data)
		}
	})
}

// bare is a catalogue without what a configuration does not say.
func bare(c mcp.Catalog) mcp.Catalog {
	c = slices.Clone(c)
	for i := range c {
		c[i].Managed = false
	}
	return byName(c)
}

func TestOpenCodeGetsOurServerWithTimeToWait(t *testing.T) {
	ours := mcp.Interaction("/opt/parley/parley-mcp", "/run/parley/credential.json", true, false, mcp.DefaultLimits())
	theirs := mcp.Spec{Name: "docs", Transport: mcp.HTTP, URL: "https://docs.test/mcp", Headers: map[string]string{"X-Key": "the-secret"}}
	data, files, err := inject.OpenCode(mcp.Catalog{ours, theirs}, inject.OpenCodeOwn{
		Content: `{"theme":"mine {env:THEME}","mcp":{"own":{"type":"local","command":["own"]}},"permission":{"bash":{"git status*":"allow"}}}`,
		Rules: []inject.OpenCodeRule{
			{Permission: "**", Pattern: "*", Action: "ask"}, {Permission: "rea?", Pattern: "*", Action: "allow"}, {Permission: "rea?", Pattern: "*.env", Action: "ask"},
		},
		Folder: "/run/parley",
	})
	if err != nil {
		t.Fatal(err)
	}
	// The order of the rules counts, so the text is compared as it stands.
	golden(t, "opencode.json", string(data)+"\n")
	if strings.Contains(string(data), "the-secret") {
		t.Error("a secret stands in the environment")
	}
	if len(files) != 1 || files[0].Path != "/run/parley/opencode-value-1" || string(files[0].Data) != "the-secret" {
		t.Errorf("files %+v", files)
	}
}

func TestOpenCodeRulesComeAfterThePersons(t *testing.T) {
	rules := []inject.OpenCodeRule{{Permission: "**", Pattern: "*", Action: "ask"}}
	for own, want := range map[string]string{
		``:                                  `{"permission":{"**":{"*":"ask"}}}`,
		`{"permission":"allow"}`:            `{"permission":{"*":"allow","**":{"*":"ask"}}}`,
		`{"permission":{}}`:                 `{"permission":{"**":{"*":"ask"}}}`,
		`{"permission":{"edit":"deny"}}`:    `{"permission":{"edit":"deny","**":{"*":"ask"}}}`,
		"{\n \"permission\": { \"a\": {}}}": `{"permission":{"a":{},"**":{"*":"ask"}}}`,
	} {
		data, _, err := inject.OpenCode(nil, inject.OpenCodeOwn{Content: own, Rules: rules})
		if err != nil || string(data) != want {
			t.Errorf("%s: %s, %v; want %s", own, data, err, want)
		}
	}
}

func TestOpenCodeRefusesWhatItCannotUse(t *testing.T) {
	for what, c := range map[string]struct {
		catalog mcp.Catalog
		own     string
		says    string
	}{
		"two servers of one name":    {mcp.Catalog{{Name: "docs", Transport: mcp.Stdio}, {Name: "docs", Transport: mcp.Stdio}}, "", "docs"},
		"an unknown transport":       {mcp.Catalog{{Name: "docs", Transport: "pigeon"}}, "", "pigeon"},
		"their content is no JSON":   {nil, "{// mine\n}", "OPENCODE_CONFIG_CONTENT"},
		"their servers are a text":   {nil, `{"mcp":"x"}`, "mcp"},
		"their permission is broken": {nil, `{"permission":7`, "OPENCODE_CONFIG_CONTENT"},
	} {
		if _, _, err := inject.OpenCode(c.catalog, inject.OpenCodeOwn{Content: c.own}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
