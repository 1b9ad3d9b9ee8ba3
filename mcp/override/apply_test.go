package override_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"parley/mcp/override"
)

// Each edit leaves the layout that a person would have made.
func TestApply(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		changes             []override.Change
	}{
		{"a value", "{\n  \"version\": 1, // one\n  \"a\": 2\n}\n", "{\n  \"version\": 3, // one\n  \"a\": 2\n}\n",
			[]override.Change{override.Set("3", "version")}},
		{"a member at the end, before it a comment", "{\n  \"a\": 1 // one\n}\n", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n",
			[]override.Change{override.Set("2", "b")}},
		{"after a trailing comma", "{\n\t\"a\": 1, /* x */ // one\n\t// last words\n}", "{\n\t\"a\": 1, /* x */ // one\n\t\"b\": 2,\n\t// last words\n}",
			[]override.Change{override.Set("2", "b")}},
		{"on one line", `{"a": {"x": 1}}`, `{"a": {"x": 1, "y": {"z": true}}}`, []override.Change{override.Set(`{"z":true}`, "a", "y")}},
		{"on one line with a trailing comma", `{"a": {"x": 1, }}`, `{"a": {"x": 1, "y": 2, }}`, []override.Change{override.Set("2", "a", "y")}},
		{"objects that are missing", "{\n    \"version\": 1\n}\n",
			"{\n    \"version\": 1,\n    \"overrides\": {\n        \"codex\": {\n            \"*\": {\n                \"docs\": {\n                    \"timeout\": \"10m\"\n                }\n            }\n        }\n    }\n}\n",
			[]override.Change{override.Set(`"10m"`, "overrides", "codex", "*", "docs", "timeout")}},
		{"into an empty object", "{}", "{\n  \"a\": [1, 2]\n}", []override.Change{override.Set("[1,2]", "a")}},
		{"into an object of comments", "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n  \"a\": 1\n}\n", []override.Change{override.Set("1", "a")}},
		{"into an object of a comment on its line", "{ /* none */ }", "{ /* none */\n  \"a\": 1\n}", []override.Change{override.Set("1", "a")}},
		{"CRLF", "{\r\n  \"a\": 1 // x\r\n}\r\n", "{\r\n  \"a\": 1, // x\r\n  \"b\": {\r\n    \"c\": 2\r\n  }\r\n}\r\n", []override.Change{override.Set("2", "b", "c")}},
		{"a byte order mark", "\ufeff{\"a\": 1}", "\ufeff{\"a\": 2}", []override.Change{override.Set("2", "a")}},
		{"taking a line away", "{\n  \"a\": 1, // about a\n  \"b\": 2,\n  \"c\": 3\n}", "{\n  \"a\": 1, // about a\n  \"c\": 3\n}", []override.Change{override.Remove("b")}},
		{"taking the last away", "{\n  // about a\n  \"a\": 1, // also\n  // about b\n  \"b\": 2\n}", "{\n  // about a\n  \"a\": 1 // also\n  // about b\n}", []override.Change{override.Remove("b")}},
		{"taking the last of a line away", `{"a": 1, "b": 2}`, `{"a": 1}`, []override.Change{override.Remove("b")}},
		{"taking the first of a line away", `{"a": 1, "b": 2}`, `{"b": 2}`, []override.Change{override.Remove("a")}},
		{"taking the only one away", `{"a": {"b": 2}}`, `{"a": {}}`, []override.Change{override.Remove("a", "b")}},
		{"its comment stays", "{\n  \"a\": 1, // why a\n  \"b\": 2\n}", "{\n  // why a\n  \"b\": 2\n}", []override.Change{override.Remove("a")}},
		{"what is not there", `{"a": 1}`, `{"a": 1}`, []override.Change{override.Remove("b", "c"), override.Exclude("x", "d")}},
		{"a name with a dot and a quote", `{}`, "{\n  \"a.\\\"b\": 1\n}", []override.Change{override.Set("1", `a."b`)}},
		{"a list", `{"d": ["a" /* first */]}`, `{"d": ["a", "b" /* first */]}`, []override.Change{override.Include("b", "d"), override.Include("a", "d")}},
		{"a list that is missing", "{\n  \"v\": 1\n}", "{\n  \"v\": 1,\n  \"d\": {\n    \"*\": [\"a\"]\n  }\n}", []override.Change{override.Include("a", "d", "*")}},
		{"an empty list", `{"d": []}`, `{"d": ["a"]}`, []override.Change{override.Include("a", "d")}},
		{"a list over lines", "{\"d\": [\n  \"a\", // one\n  \"b\",\n]}", "{\"d\": [\n  \"b\",\n  \"c\",\n]}",
			[]override.Change{override.Set(`["a"]`, "x"), override.Remove("x"), override.Exclude("a", "d"), override.Include("c", "d")}},
		{"out of a list, however often", `{"d": ["a", "b", "a"]}`, `{"d": ["b"]}`, []override.Change{override.Exclude("a", "d")}},
		{"the older name", `{"overrides": {"pi": {"*": {"parley-plan": {"timeout": "10m"}}}}, "disabled": {"pi": {"*": ["x", "parley-plan"]}}}`,
			`{"overrides": {"pi": {"*": {"parley-interaction": {"timeout": "10m"}}}}, "disabled": {"pi": {"*": ["x", "parley-interaction"]}}}`, nil},
		{"both names", `{"overrides": {"pi": {"*": {"parley-plan": {"timeout": "10m", "enabled": true}, "parley-interaction": {"timeout": "2h"}}}}}`,
			`{"overrides": {"pi": {"*": {"parley-interaction": {"timeout": "2h", "enabled": true}}}}}`, nil},
	} {
		got, err := override.Apply([]byte(tc.before), tc.changes...)
		if tc.name == "a list over lines" {
			// The comment of what went away stays where it was.
			tc.after = strings.Replace(tc.after, "[\n", "[\n  // one\n", 1)
		}
		if err != nil || string(got) != tc.after {
			t.Errorf("%s: %v\n got %q\nwant %q", tc.name, err, got, tc.after)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, tc := range []struct {
		text string
		c    override.Change
		want string
	}{
		{`{"a": 1}`, override.Set("1", "a", "b"), "line 1, column 7"}, {`{"a": {}}`, override.Include("x", "a"), "square brackets"},
		{`{"a": `, override.Set("1", "a"), "too early"}, {`{}`, override.Set("{", "a"), "no JSON"},
		{``, override.Set("1", "a"), "empty"}, {`[]`, override.Set("1", "a"), "braces"},
	} {
		got, err := override.Apply([]byte(tc.text), tc.c)
		if err == nil || got != nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.text, got, err, tc.want)
		}
	}
}

var comment = regexp.MustCompile(`/\* c\d+ \*/|// c\d+`)

// genText makes JSONC with numbered comments wherever they may stand.
func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := 0
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		extra := func() string {
			var b strings.Builder
			for range rapid.IntRange(0, 2).Draw(t, "extra") {
				n++
				switch rapid.IntRange(0, 4).Draw(t, "kind") {
				case 0:
					fmt.Fprintf(&b, "// c%d%s", n, eol)
				case 1:
					fmt.Fprintf(&b, "/* c%d */", n)
				case 2:
					b.WriteString(eol + "  ")
				default:
					b.WriteString(" ")
				}
			}
			return b.String()
		}
		var value func(depth int) string
		value = func(depth int) string {
			kind := rapid.IntRange(0, 5).Draw(t, "value")
			if depth == 0 {
				kind = 0
			}
			if kind < 3 && depth < 3 {
				return rapid.SampledFrom([]string{`"x"`, `"a // b"`, "12345678901234567890", "null", `"\u00e9问"`}).Draw(t, "literal")
			}
			open, shut := "{", "}"
			if kind == 5 {
				open, shut = "[", "]"
			}
			b := open + extra()
			size := rapid.IntRange(0, 3).Draw(t, "size")
			for i := range size {
				if open == "{" {
					b += fmt.Sprintf("%q", string(rune('a'+i))) + extra() + ":" + extra()
				}
				b += value(depth-1) + extra()
				if i < size-1 || rapid.Bool().Draw(t, "trailing") {
					b += "," + extra()
				}
			}
			return b + shut
		}
		text := extra() + value(3) + extra()
		if !strings.HasPrefix(strings.TrimLeft(comment.ReplaceAllString(text, ""), " \r\n"), "{") {
			text = extra() + `{"a":` + text + "}" + extra()
		}
		return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + text
	})
}

func genChange() *rapid.Generator[override.Change] {
	return rapid.Custom(func(t *rapid.T) override.Change {
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 3).Draw(t, "path")
		switch rapid.IntRange(0, 3).Draw(t, "op") {
		case 0:
			return override.Set(rapid.SampledFrom([]string{"1", `"t"`, `{"k":["v"],"l":{}}`, "[]"}).Draw(t, "json"), path...)
		case 1:
			return override.Remove(path...)
		case 2:
			return override.Include("x", path...)
		default:
			return override.Exclude("x", path...)
		}
	})
}

// An edit says what it means (Apply proves that by itself, here it is asked
// whether it ever gives up), loses no comment outside of what it takes away, and
// leaves the bytes before and after the one place as they were.
func TestApplyIsAGuest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, c := genText().Draw(t, "text"), genChange().Draw(t, "change")
		got, err := override.Apply([]byte(text), c)
		if err != nil {
			if s := err.Error(); !strings.Contains(s, "belongs here") {
				t.Fatalf("%v in %q", err, text)
			}
			return
		}
		lost := comment.FindAllString(text, -1)
		for _, kept := range comment.FindAllString(string(got), -1) {
			if i := slices.Index(lost, kept); i >= 0 {
				lost = slices.Delete(lost, i, i+1)
			}
		}
		inside := commentsAt(t, []byte(text), c.Path)
		for _, l := range lost {
			if !slices.Contains(inside, l) {
				t.Fatalf("%q is lost:\n%q\n%q", l, text, got)
			}
		}
		if !strings.Contains(text, "\r\n") && bytes.Contains(got, []byte("\r")) {
			t.Fatalf("line ends changed: %q", got)
		}
		if strings.HasPrefix(text, "\ufeff") != bytes.HasPrefix(got, []byte("\ufeff")) {
			t.Fatal("the byte order mark came or went")
		}
		// The same edit again changes nothing more.
		again, err := override.Apply(got, c)
		if err != nil || !bytes.Equal(again, got) && !sameData(again, got) {
			t.Fatalf("twice: %v\n%q\n%q", err, got, again)
		}
	})
}

// commentsAt are the comments within the member that a change names.
func commentsAt(t *rapid.T, text []byte, path []string) []string {
	body := bytes.TrimPrefix(text, []byte("\ufeff"))
	v, err := hujson.Parse(append(slices.Clone(body), '\n'))
	if err != nil {
		t.Fatal(err)
	}
	at := v
	start := v.StartOffset
	for _, name := range path {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
		if i < 0 {
			return nil
		}
		at, start = obj.Members[i].Value, obj.Members[i].Name.StartOffset
	}
	return comment.FindAllString(string(body[start:at.EndOffset]), -1)
}

func sameData(a, b []byte) bool {
	var x, y any
	for _, p := range []struct {
		text []byte
		into *any
	}{{a, &x}, {b, &y}} {
		data, err := hujson.Standardize(bytes.TrimPrefix(append(slices.Clone(p.text), '\n'), []byte("\ufeff")))
		if err != nil || json.Unmarshal(data, p.into) != nil {
			return false
		}
	}
	return gocmp.Equal(x, y)
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(sample), "servers", "docs", `"x"`)
	f.Add([]byte("{\r\n\"a\":[1,/**/],}"), "a", "b", "{}")
	f.Fuzz(func(t *testing.T, text []byte, a, b, value string) {
		for _, c := range []override.Change{
			override.Set(value, a, b), override.Remove(a), override.Remove(a, b), override.Include(value, a), override.Exclude(value, a, b),
		} {
			got, err := override.Apply(text, c)
			if err == nil && len(got) == 0 {
				t.Fatal("an edit left nothing")
			}
			if err != nil && strings.Contains(err.Error(), "would") && utf8Unique(text) && json.Valid([]byte(value)) {
				t.Fatalf("%v: %q", err, text)
			}
		}
	})
}

// utf8Unique reports whether no name is there twice: only then do data and text
// say the same.
func utf8Unique(text []byte) bool {
	v, err := hujson.Parse(append(bytes.TrimPrefix(text, []byte("\ufeff")), '\n'))
	if err != nil {
		return false
	}
	for x := range v.All() {
		obj, ok := x.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := map[string]bool{}
		for _, m := range obj.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return false
			}
			seen[name] = true
		}
	}
	return true
}
