package main

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/app"
)

// What was asked and answered is listed, searched and written down after its
// back end has ended.
func TestDecisionsAreKept(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	asked := r.asks(app.KindClarify)
	h.run(exitDone, "answer", asked.ID, "--choose", "Good day", "--text", "and <b>warm</b>")
	if code := r.code(); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	out, _ := h.run(exitDone, "questions", "--history", "--json", "--search", "greeting WARM", "--since", "2020-01-01", "--agent", "demo")
	var in app.Interaction
	if err := json.Unmarshal([]byte(out), &in); err != nil || in.ID != asked.ID || in.Outcome.Text != "and <b>warm</b>" {
		t.Errorf("%q: %v", out, err)
	}
	for _, none := range [][]string{{"--search", "cold"}, {"--end", "timeout"}, {"--kind", "approval"}, {"--until", "2020-01-01"}} {
		if out, _ := h.run(exitDone, append([]string{"questions", "--history"}, none...)...); out != "" {
			t.Errorf("%v: %q", none, out)
		}
	}
	md, _ := h.run(exitDone, "questions", "--export", "md", "--session", shortID(asked.SessionID))
	for _, want := range []string{"# Decisions", "greeting", "- [x] Good day", "**Answered** on the command line", "> Good day", "> and &lt;b>warm", "1 in all."} {
		if !strings.Contains(md, want) {
			t.Errorf("the log lacks %q:\n%s", want, md)
		}
	}
	text, _ := h.run(exitDone, "questions", "--export", "json")
	var log struct{ Decisions []app.Interaction }
	if err := json.Unmarshal([]byte(text), &log); err != nil || len(log.Decisions) != 1 || log.Decisions[0].Outcome.By != app.ByCLI {
		t.Errorf("%q: %v", text, err)
	}
	for _, wrong := range [][]string{
		{"--search", "x"}, {"--export", "pdf"}, {"--history", "--watch"}, {"--history", "--since", "yesterday"}, {"--history", "--limit", "0"},
		{"--history", "--end", "maybe"},
	} {
		h.run(exitUsage, append([]string{"questions"}, wrong...)...)
	}
}
