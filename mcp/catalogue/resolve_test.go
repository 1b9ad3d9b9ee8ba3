package catalogue_test

import (
	"errors"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"parley/mcp"
	"parley/mcp/catalogue"
)

func sources() catalogue.Sources {
	return catalogue.Sources{
		Env: func(name string) (string, bool) {
			v, ok := map[string]string{"HOME": "/home/me", "TOKEN": "t0ken", "EMPTY": "", "LINES": "a\r\nb"}[name]
			return v, ok
		},
		Keyring: func(name string) (string, error) {
			if name == "docs" {
				return "s3cret", nil
			}
			return "", errors.New("the keyring has nothing of that name")
		},
	}
}

func TestPlaceholdersAreFilledInAtLaunch(t *testing.T) {
	written := mcp.Spec{
		Name: "docs", Command: "${env:HOME}/bin/docs", Args: []string{"--dir=${env:HOME}", "${OTHER}"}, Cwd: "${env:HOME}",
		Env: map[string]string{"K": "x-${keyring:docs}-${env:TOKEN}", "E": "${env:EMPTY}"}, URL: "http://h/?t=${env:TOKEN}",
		Headers: map[string]string{"Authorization": "Bearer ${keyring:docs}"},
	}
	before := written.Clone()
	got, secrets, err := catalogue.Resolve(written, sources())
	if err != nil {
		t.Fatal(err)
	}
	want := mcp.Spec{
		Name: "docs", Command: "/home/me/bin/docs", Args: []string{"--dir=/home/me", "${OTHER}"}, Cwd: "/home/me",
		Env: map[string]string{"K": "x-s3cret-t0ken", "E": ""}, URL: "http://h/?t=t0ken", SecretURL: true,
		Headers: map[string]string{"Authorization": "Bearer s3cret"},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// C12: what was written stays as it was written.
	if diff := gocmp.Diff(before, written); diff != "" {
		t.Error("filling in changed what it was given:", diff)
	}
	if diff := gocmp.Diff([]string{"t0ken", "", "s3cret", "t0ken", "s3cret"}, secrets); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeFilledInIsNamed(t *testing.T) {
	for name, s := range map[string]mcp.Spec{
		"no variable":      {Env: map[string]string{"K": "${env:MISSING}"}},
		"no key":           {Headers: map[string]string{"K": "${keyring:missing}"}},
		"line in a header": {Headers: map[string]string{"K": "${env:LINES}"}},
		"line in a url":    {URL: "http://h/${env:LINES}"},
	} {
		got, secrets, err := catalogue.Resolve(s, sources())
		if err == nil || secrets != nil || got.Env != nil || got.Headers != nil || got.URL != "" {
			t.Errorf("%s: %+v, %q, %v", name, got, secrets, err)
		} else if strings.Contains(err.Error(), "a\r\nb") {
			t.Errorf("%s: the error tells a value: %v", name, err)
		}
	}
}

func TestCheckField(t *testing.T) {
	for _, tc := range []struct {
		field string
		v     catalogue.Value
		want  string // part of the sentence, "" for none
	}{
		{"timeout", catalogue.Text("10m"), ""}, {"timeout", catalogue.Text("10"), "is no duration"},
		{"timeout", catalogue.Text("10ms"), "from 1s to"}, {"timeout", catalogue.Bool(true), `"10m"`},
		{"timeout", catalogue.Null(), ""}, {"enabled", catalogue.Text("yes"), "true or false"},
		{"args", catalogue.Text("x"), "list of texts"}, {"args", catalogue.List("${keyring:x}"), "every process"},
		{"command", catalogue.Text("${keyring:x}"), "every process"}, {"command", catalogue.Text(" "), "name a program"},
		{"env.A", catalogue.Text("${keyring:x}"), ""}, {"env.A", catalogue.Text("${keyring:x"), "without its end"},
		{"env.A", catalogue.Text("${env:}"), "names nothing"}, {"env.A", catalogue.Text("a\x00b"), "NUL"}, {"env.A=", catalogue.Text("x"), "name of a variable"},
		{"headers.X Y", catalogue.Text("x"), "name of a variable"}, {"url", catalogue.Text("ftp://x"), "http"},
		{"url", catalogue.Text("https://x/mcp"), ""}, {"url", catalogue.Text("${env:U}"), ""}, {"cwd", catalogue.Text("rel"), "absolute"},
		{"cwd", catalogue.Text("${env:HOME}/x"), ""}, {"type", catalogue.Text("ws"), "stdio"}, {"agents", catalogue.List(), "at least one"},
		{"env", catalogue.Text("x"), "table"}, {"tomorrow", catalogue.Text("x"), ""},
	} {
		err := catalogue.CheckField(tc.field, tc.v)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s = %s: %v, want %q", tc.field, tc.v, err, tc.want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"docs": true, "a-b_1": true, "": false, "a__b": false, "a b": false, "a.b": false, "日": false, "$(touch x)": false,
		strings.Repeat("a", 41): false,
	} {
		if err := catalogue.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
