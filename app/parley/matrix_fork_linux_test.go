package main

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
)

// A conversation is copied. The copy knows what was said until then and nothing of
// what is said later in the other one, which knows nothing of the copy.
func cellForked(t *testing.T, f family) {
	h := newAgent(t, f, onSaying("remember a plum", fakemodel.Text("I do.")), onSaying("go on there", fakemodel.Text("I am still here.")),
		f.onAsking("what was it", "q1", "Which plum?", "Red", "Blue"), onResult("q1", fakemodel.Text("That one.")),
		onSaying("and once more", fakemodel.Text("Here, too.")))
	f.serves(h)
	first := f.begin(h, "fork", "remember a plum")
	first.done()
	origin := first.event(app.EventSessionCreated).SessionID
	out, _ := h.run(exitDone, "sessions", "fork", origin, "--json")
	var fork app.Session
	if err := json.Unmarshal([]byte(out), &fork); err != nil || fork.ForkedFrom != origin {
		t.Fatalf("forked %q: %v", out, err)
	}
	h.start("sessions", "resume", origin, "go on there", "--json").done()
	second := h.start("sessions", "resume", fork.ID, "what was it", "--json")
	h.run(exitDone, "answer", second.asks(app.KindClarify).ID, "--choose", "Blue")
	second.done()
	if got := h.reads("q1"); got.Response != "Blue" {
		t.Errorf("the model read %+v", got)
	}
	if all := h.asked("what was it").Everything(); !strings.Contains(all, "remember a plum") || strings.Contains(all, "go on there") {
		t.Errorf("the copy knows %q", all)
	}
	h.start("sessions", "resume", origin, "and once more", "--json").done()
	if all := h.asked("and once more").Everything(); !strings.Contains(all, "go on there") || strings.Contains(all, "what was it") {
		t.Errorf("the other one knows %q", all)
	}
	ids := map[string]bool{}
	for _, id := range []app.SessionID{origin, fork.ID} {
		s, err := h.client().Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		ids[s.NativeID] = true
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("the CLI's own ids are %v", ids)
	}
}
