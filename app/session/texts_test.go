package session_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/app/session"
)

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		" \n\t\n":                       "",
		"\n\n  fix   the\tbug \nand so": "fix the bug",
		strings.Repeat("word ", 20):     strings.TrimSpace(strings.Repeat("word ", 12)) + "…",
		strings.Repeat("长", 61):         strings.Repeat("长", 59) + "…",
		strings.Repeat("长", 60):         strings.Repeat("长", 60),
		"a\x00b\x1b[31mc":               "a b [31mc",
	} {
		if got := session.Title(text); got != want || utf8.RuneCountInString(got) > session.MaxTitle {
			t.Errorf("%.30q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("fix the bug")
	f.Add("a\xffb\n\u2028c")
	f.Fuzz(func(t *testing.T, text string) {
		got := session.Title(text)
		if utf8.RuneCountInString(got) > session.MaxTitle || strings.ContainsAny(got, "\n\r\x00") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestClip(t *testing.T) {
	if got, cut := session.Clip("short", 5); got != "short" || cut {
		t.Errorf("short became %q, %v", got, cut)
	}
	got, cut := session.Clip("开始"+strings.Repeat("x", 1000)+"结束", 20)
	if !cut || !strings.HasPrefix(got, "开始") || !strings.HasSuffix(got, "结束") || !utf8.ValidString(got) || len(got) > 100 {
		t.Errorf("long became %q, %v", got, cut)
	}
}

// What is left of a text never holds a context id, whole or as JSON, and a text
// without one stays as it is.
func TestRedact(t *testing.T) {
	id := "pctx_" + strings.Repeat("aB3_-", 9)[:43]
	block := "<parley_interaction_context>\ncontext_id=\"" + id + "\"\nrules\n</parley_interaction_context>"
	asJSON, err := json.Marshal("before " + block + " after " + id)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"plain pctx_ text":                  "plain pctx_ text",
		"id " + id + ".":                    "id [context id].",
		"before\n\n" + block:                "before",
		block + " mid " + block + " end":    " mid end",
		string(asJSON):                      `"before after [context id]"`,
		"open <parley_interaction_context>": "open <parley_interaction_context>",
	} {
		if got := session.Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestLastLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"one":                     "one",
		"one\n\n two \n\nthree\n": "two\nthree",
		strings.Repeat("长", 300):  strings.Repeat("长", 239) + "…",
	} {
		if got := session.LastLines(text); got != want {
			t.Errorf("%.20q: got %q, want %q", text, got, want)
		}
	}
}
