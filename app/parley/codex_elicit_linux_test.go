package main

import (
	"slices"
	"strings"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
)

// All that a person's own server can ask through Codex: accepted, declined,
// closed, by a link, and what cannot be shown. The CLI puts the fields of a form in
// the order of their names, and tells the server of content that a link does not
// have.
func TestLongCodexElicitations(t *testing.T) {
	long(t)
	f := codexFamily
	h := newAgent(t, f, onSaying("ask all of it", f.use("e1", "own", "ask", elicitationRequests())), onResult("e1", fakemodel.Text("I see.")))
	f.own(h)
	r := f.begin(h, "elicitation", "ask all of it")
	h.run(exitDone, "answer", r.asks(app.KindApproval).ID, "--allow", "once")
	r.elicited(h.home, slices.SortedFunc(slices.Values(shownFields), func(a, b app.Field) int { return strings.Compare(a.ID, b.ID) }))
	r.done()
	elicitedAnswers(t, r, h.told("e1").Text, `{"action":"accept","content":{}}`)
}
