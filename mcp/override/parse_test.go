package override_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"

	"parley/mcp/catalogue"
	"parley/mcp/override"
)

// sample has all that editors and people put into such a file.
const sample = `{
	"$schema": "./mcp-overrides.schema.json", // for the editor
	"version": 1,
	/* the ones I use
	   every day */
	"servers": {
		"docs": { "command": "uvx", "args": ["docs-mcp", "--url=https://x//y"], "env": { "KEY": "${env:DOCS_KEY}" }, "agents": ["claude", "codex"] },
		// over HTTP
		"tracker": {
			"url": "https://tracker.example/mcp",
			"headers": { "Authorization": "Bearer ${keyring:tracker}", },
			"timeout": "90s",
		},
	},
	"from_a_newer_version": [1, 12345678901234567890],
	"overrides": {
		"*": { "*": { "docs": { "timeout": "10m", "env": { "KEY": null } } } },
		"codex": { "work": { "tracker": { "headers": null, "enabled": false } } }
	},
	"disabled": { "pi": { "*": ["docs", /* not now */ "docs"] } }
}
`

func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"as is": sample, "with a byte order mark": "\ufeff" + sample, "with CRLF": strings.ReplaceAll(sample, "\n", "\r\n"),
		"comment on the last line": strings.TrimSpace(sample) + " // end",
	} {
		c, err := override.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(c.Servers) != 2 || len(c.Rules) != 2 || len(c.Switches) != 1 {
			t.Fatalf("%s: %+v", name, c)
		}
		docs, tracker := c.Servers[0], c.Servers[1]
		if v := docs.Fields["env.KEY"]; v.Value.Text != "${env:DOCS_KEY}" || v.Line != 7 || v.Column != 91 {
			t.Errorf("%s: env.KEY is %+v", name, v)
		}
		if tracker.Line != 9 || tracker.Column != 3 || tracker.Fields["headers.Authorization"].Value.Text != "Bearer ${keyring:tracker}" {
			t.Errorf("%s: tracker is %+v", name, tracker)
		}
		if r := c.Rules[0]; r.Agent != "*" || r.Profile != "*" || !r.Fields["env.KEY"].Value.IsNull() || r.Fields["timeout"].Value.Text != "10m" {
			t.Errorf("%s: rule %+v", name, r)
		}
		if r := c.Rules[1]; !r.Fields["headers"].Value.IsNull() || r.Fields["enabled"].Value.Bool || r.Fields["enabled"].Value.Kind != catalogue.KindBool {
			t.Errorf("%s: rule %+v", name, r)
		}
		if s := c.Switches[0]; s.Agent != "pi" || s.Name != "docs" || s.Line != 20 {
			t.Errorf("%s: switch %+v", name, s)
		}
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	deep := strings.Repeat("[", 100000) + strings.Repeat("]", 100000)
	for _, tc := range []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"the mock's", "{\n  \"overrides\": {\n    \"codex\": { \"default\": { \"docs\": { \"timeout\": 10m } } }\n  }\n}", 3, 50, `write "10m"`},
		{"the same in parts", `{"servers": {"a": {"timeout": 1 h 30m, "args": []}}}`, 1, 31, `write "1h30m"`},
		{"a slip elsewhere in the line", `{"servers": {"a": {"timeout": "1m" "args": []}}}`, 1, 36, "nvalid"},
		{"a number for a duration", "{ \"overrides\": {\"*\": {\"*\": {\"docs\": {\"timeout\": 600}}}} }", 1, 49, `A duration must be text, such as "10m"`},
		{"cut off", "{ \"servers\": {", 1, 15, "ends too early"},
		{"cut off in a text", "{\n \"servers", 2, 10, "ends too early"},
		{"cut off in a comment", "{ /* x", 1, 3, "ends too early"},
		{"empty", "", 1, 1, "empty"}, {"blank", " \n ", 1, 1, "empty"},
		{"a list", "[]", 1, 1, "object in braces"}, {"null", "null", 1, 1, "object in braces"},
		{"twice", "{\"servers\": {\n\"a\": {}, \"a\": {}}}", 2, 10, "twice"},
		{"twice at the top", "{\"servers\": {}, \"servers\": {}}", 1, 17, "twice"},
		{"a server as text", `{"servers": {"a": "uvx"}}`, 1, 19, "object in braces"},
		{"env as text", `{"servers": {"a": {"env": "X=1"}}}`, 1, 27, "table"},
		{"a number in env", `{"servers": {"a": {"env": {"X": 1}}}}`, 1, 33, "must be text"},
		{"args as text", `{"servers": {"a": {"args": "-y"}}}`, 1, 28, "list of texts"},
		{"a number in args", `{"servers": {"a": {"args": ["-y", 1]}}}`, 1, 28, "list of texts"},
		{"a secret in args", `{"servers": {"a": {"args": ["${keyring:x}"]}}}`, 1, 28, "every process"},
		{"a newer version", `{"version": 2}`, 1, 13, "newer Parley"}, {"a strange version", `{"version": "1"}`, 1, 13, "must be 1"},
		{"disabled as names", `{"disabled": {"pi": ["docs"]}}`, 1, 21, "object in braces"},
		{"disabled with numbers", `{"disabled": {"pi": {"*": [1]}}}`, 1, 28, "in quotes"},
		{"disabled as text", `{"disabled": {"pi": {"*": "docs"}}}`, 1, 27, "list of servers"},
		{"not UTF-8", "{\"a\xff\": 1}", 1, 4, "UTF-8"},
		{"characters, not bytes", "{\"日本語\": 1, x}", 1, 12, "nvalid"},
		{"too deep", `{"a": ` + deep + `}`, 1, 38, "deep"},
		{"too big", `{"a": "` + strings.Repeat("x", 5<<20) + `"}`, 1, 1, "bytes"},
	} {
		_, err := override.Parse([]byte(tc.text))
		bad, ok := errors.AsType[*override.Invalid](err)
		if !ok {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		p := bad.Problems[0]
		if p.Line != tc.line || p.Column != tc.column || !strings.Contains(p.Text, tc.want) {
			t.Errorf("%s: line %d, column %d: %s; want %d, %d, %q", tc.name, p.Line, p.Column, p.Text, tc.line, tc.column, tc.want)
		}
	}
}

// All that is wrong is said at once, in the order of the file.
func TestAllErrorsAreSaid(t *testing.T) {
	_, err := override.Parse([]byte("{\"servers\": {\n\"a\": {\"timeout\": 1},\n\"b\": {\"enabled\": 2}}}"))
	bad, _ := errors.AsType[*override.Invalid](err)
	if bad == nil || len(bad.Problems) != 2 || bad.Problems[0].Line != 2 || bad.Problems[1].Line != 3 {
		t.Fatalf("got %+v", bad)
	}
	if want := "(and 1 more)"; !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "line 2, column 18: ") {
		t.Errorf("the error reads %q", err)
	}
}

// What an editor is told agrees with what we take.
func TestSchema(t *testing.T) {
	var doc any
	if err := json.Unmarshal(override.Schema, &doc); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("overrides.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("overrides.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		data, err := hujson.Standardize([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, text := range []string{sample, override.Empty, "{}"} {
		if err := validate(text); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	for _, text := range []string{
		`{"version": 2}`, `{"servers": {"a": {"timeout": 600}}}`, `{"servers": {"a": {"timeout": "soon"}}}`, `{"servers": {"a b": {}}}`,
		`{"servers": {"a": {"args": "-y"}}}`, `{"servers": {"a": {"env": {"X": 1}}}}`, `{"disabled": {"pi": ["docs"]}}`,
		`{"servers": {"parley-interaction": {}}}`, `{"servers": {"a": {"agents": []}}}`, `{"servers": {"a": {"type": "ws"}}}`,
	} {
		if validate(text) == nil {
			t.Errorf("the schema takes %s", text)
		}
		// Names are the catalogue's to check; everything else is refused on reading.
		c, err := override.Parse([]byte(text))
		if err == nil && len(catalogue.Check(c, catalogue.Names())) == 0 {
			t.Errorf("we take %s", text)
		}
	}
	for _, field := range catalogue.FieldNames {
		if !strings.Contains(string(override.Schema), fmt.Sprintf("%q: {", field)) {
			t.Errorf("the schema lacks %s", field)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("\ufeff{}"))
	f.Add([]byte("{ // x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := override.Parse(text)
		if err != nil {
			bad, ok := errors.AsType[*override.Invalid](err)
			if !ok || len(bad.Problems) == 0 {
				t.Fatalf("%v", err)
			}
			for _, p := range bad.Problems {
				if p.Line < 1 || p.Column < 1 || p.Text == "" || p.Line > 1+strings.Count(string(text), "\n") {
					t.Fatalf("problem %+v", p)
				}
			}
			return
		}
		catalogue.Check(c, catalogue.Names("claude"))
		catalogue.Merge(catalogue.Input{Config: c, Agent: "claude", Known: catalogue.Names()})
	})
}

// BenchmarkParse is a reload of 200 servers.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\n  \"servers\": {\n")
	for i := range 200 {
		fmt.Fprintf(&text, "    \"server-%d\": { \"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": { \"KEY\": \"${env:KEY}\" } }, // one of many\n", i)
	}
	text.WriteString("  },\n}\n")
	for b.Loop() {
		if _, err := override.Parse([]byte(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
