package main

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/app"
)

// A fork of the demo's conversation knows what was done in it and begins with what
// was said; what is said later in one is not in the other. Each command has a back
// end of its own here, so all of it was read from the record.
func TestForkOfTheDemo(t *testing.T) {
	h := newHome(t)
	r := h.demo("Make a page", "--json")
	asked := r.asks(app.KindClarify)
	h.run(exitDone, "answer", asked.ID, "--choose", "Good day")
	r.done()
	h.run(exitDone, "sessions", "resume", asked.SessionID, "say apricots")

	out, _ := h.run(exitDone, "sessions", "fork", asked.SessionID, "--json")
	var fork app.Session
	if err := json.Unmarshal([]byte(out), &fork); err != nil || fork.ForkedFrom != asked.SessionID || fork.NativeID == "" {
		t.Fatalf("forked %q: %v", out, err)
	}
	h.run(exitDone, "sessions", "resume", asked.SessionID, "say quinces")
	// A page that it did not write would be left alone.
	h.run(exitDone, "sessions", "resume", fork.ID, "A line about medlars")
	if page := h.hello(); !strings.Contains(page, "Good day") || !strings.Contains(page, "medlars") {
		t.Errorf("the page is %q", page)
	}

	text, _ := h.run(exitDone, "sessions", "export", fork.ID)
	at := 0
	for _, part := range []string{"Make a page", "Good day", "apricots", "*Forked at this point from session " + shortID(asked.SessionID) + ".*", "medlars"} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind %d in\n%s", part, at, text)
		}
		at += i
	}
	if strings.Contains(text, "quinces") {
		t.Errorf("the fork has what was said later in the other one:\n%s", text)
	}
	out, _ = h.run(exitDone, "sessions", "export", fork.ID, "--json")
	for i, e := range events(t, out) {
		if e.SessionID != fork.ID || e.Seq != int64(i+1) {
			t.Errorf("event %d is %d of %s", i+1, e.Seq, e.SessionID)
		}
	}
	if text, _ = h.run(exitDone, "sessions", "export", asked.SessionID); strings.Contains(text, "medlars") || !strings.Contains(text, "quinces") {
		t.Errorf("the other one is\n%s", text)
	}
}
