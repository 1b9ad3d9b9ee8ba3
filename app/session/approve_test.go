package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/app"
	"parley/app/session"
)

// command is a request to run one, of a CLI that can allow it once.
func command(text string) *agents.Approval {
	return &agents.Approval{Tool: "Bash", Title: "Run a command", Command: text, Detail: text, Scopes: []string{"allow_once"}, Lasting: true}
}

// approvals makes the agent ask for what is named by the id of the request.
func approvals(of map[string]*agents.Approval) option {
	return func(_ *session.Config, ad *adapter) {
		ad.approval = func(id string) *agents.Approval { return of[strings.TrimRight(id, "0123456789")] }
	}
}

// request sends a message whose turn asks for one permission, and returns the
// record of it once it is there.
func (w *world) request(s app.SessionID, id string) app.Interaction {
	w.tb.Helper()
	return w.asked(w.send(s, "approve "+id))
}

func (w *world) decide(in app.Interaction, a app.Action) {
	w.tb.Helper()
	_, err := w.desk.Answer(context.Background(), app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Action: a, By: app.ByWindow})
	if err != nil {
		w.tb.Fatal(err)
	}
	w.ended(in.RunID)
}

// told is what the agent was told of a request.
func (w *world) told(in app.Interaction, id string) string {
	w.tb.Helper()
	w.ended(in.RunID)
	return w.texts(in.RunID)["answer-"+id].Text
}

func TestAllowedForGood(t *testing.T) {
	w := newWorld(t, approvals(map[string]*agents.Approval{"make": command("make test"), "tidy": command("make tidy"), "edit": {
		Tool: "Edit", Title: "Edit a.txt", Path: "a.txt", Scopes: []string{"allow_once", "allow_session"}, Lasting: true,
	}}))
	s := w.create(app.NewSession{})
	in := w.request(s.ID, "make1")
	if d := cmp.Diff([]app.Action{app.ActionAllowOnce, app.ActionAllowSession, app.ActionAllowAlways}, in.Approval.Scopes); d != "" {
		t.Fatal(d)
	}
	grant := app.Grant{Action: app.ActionAllowAlways, Tool: "Bash", Command: "make test", Folder: s.Cwd}
	if in.Approval.Grants[1] != grant {
		t.Fatalf("it would let through %+v", in.Approval.Grants)
	}
	w.decide(in, app.ActionAllowAlways)
	if got := w.told(in, "make1"); !strings.Contains(got, `"Action":"allow_once"`) {
		t.Fatalf("the agent was told %s", got)
	}

	// The same again answers itself, is recorded, and was never waiting.
	again := w.request(s.ID, "make2")
	if got := w.told(again, "make2"); !strings.Contains(got, `"Action":"allow_once"`) {
		t.Fatalf("the agent was told %s", got)
	}
	record, err := w.db.Interaction(t.Context(), again.ID)
	if err != nil || again.Waiting() || record.Outcome == nil || record.Outcome.By != app.ByRule || record.Outcome.RuleID != in.ID || record.DeliveredAt == 0 {
		t.Fatalf("shown as waiting %v, recorded %+v, %v", again.Waiting(), record.Outcome, err)
	}
	for _, e := range w.tape.All() {
		if n, ok := e.Data.(app.Session); ok && e.TurnID == again.RunID && n.State == app.StateWaiting {
			t.Error("the session was shown as waiting")
		}
	}
	// So it does in another session of the same folder, and after a restart.
	w.open()
	other := w.create(app.NewSession{Cwd: s.Cwd})
	if got := w.request(other.ID, "make3"); got.Waiting() {
		t.Error("asked again in another session of the folder")
	}
	// Not for another command, another folder, or a session that may only plan.
	if in := w.request(other.ID, "tidy1"); !in.Waiting() {
		t.Error("another command was let through")
	} else {
		w.decide(in, app.ActionDeny)
	}
	for _, n := range []app.NewSession{{Cwd: t.TempDir()}, {Cwd: s.Cwd, Mode: "plan"}} {
		if in := w.request(w.create(n).ID, "make4"); !in.Waiting() {
			t.Errorf("let through in %+v", n)
		} else {
			w.decide(in, app.ActionDeny)
		}
	}
	// A tool as a whole, where the CLI keeps the session itself.
	edit := w.request(s.ID, "edit1")
	if len(edit.Approval.Grants) != 1 || edit.Approval.Grants[0].Command != "" {
		t.Fatalf("grants of a tool: %+v", edit.Approval.Grants)
	}
	w.decide(edit, app.ActionAllowSession)
	if got := w.told(edit, "edit1"); !strings.Contains(got, `"Action":"allow_session"`) {
		t.Fatalf("the agent was told %s", got)
	}

	// Taken back, it is asked again.
	if err := w.db.RevokeRule(t.Context(), in.ID); err != nil {
		t.Fatal(err)
	}
	if in := w.request(s.ID, "make5"); !in.Waiting() {
		t.Error("let through after it was taken back")
	} else {
		w.decide(in, app.ActionDeny)
	}
}

// What waits already when a permission is given beyond once stays: a card is
// settled by an act that was meant for it. The next equal request asks nobody.
func TestWhatWaitsAlreadyIsDecidedByItself(t *testing.T) {
	w := newWorld(t, approvals(map[string]*agents.Approval{"make": command("make test")}))
	s := w.create(app.NewSession{})
	other := w.create(app.NewSession{Cwd: s.Cwd})
	first, waits := w.request(s.ID, "make1"), w.request(other.ID, "make2")
	w.decide(first, app.ActionAllowAlways)
	if in, err := w.db.Interaction(t.Context(), waits.ID); err != nil || !in.Waiting() {
		t.Fatalf("the other request is %+v, %v", in.Outcome, err)
	}
	if in := w.request(s.ID, "make3"); in.Waiting() {
		t.Error("a request after the permission is asked all the same")
	}
	w.decide(waits, app.ActionDeny)
	if got := w.told(waits, "make2"); !strings.Contains(got, `"Action":"deny"`) {
		t.Errorf("the agent was told %s", got)
	}
}

func TestAllowedForTheSession(t *testing.T) {
	w := newWorld(t, approvals(map[string]*agents.Approval{"make": command("make test")}))
	s := w.create(app.NewSession{})
	w.decide(w.request(s.ID, "make1"), app.ActionAllowSession)
	again := w.request(s.ID, "make2")
	if again.Waiting() || again.Outcome.By != app.ByRule || again.Outcome.RuleID != "" {
		t.Fatalf("not let through: %+v", again.Outcome)
	}
	other := w.create(app.NewSession{Cwd: s.Cwd})
	if in := w.request(other.ID, "make3"); !in.Waiting() {
		t.Error("let through in another session")
	} else {
		w.decide(in, app.ActionAllowOnce)
	}
	if rules, err := w.db.Rules(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("kept for good: %+v, %v", rules, err)
	}
}

// What can be offered beyond once.
func TestWhatIsOfferedBeyondOnce(t *testing.T) {
	with := func(a *agents.Approval, change func(*agents.Approval)) *agents.Approval { change(a); return a }
	w := newWorld(t, approvals(map[string]*agents.Approval{
		"plain":   command("make test"),
		"delete":  command("make clean && rm -rf build"),
		"network": command("curl x"),
		"outside": with(command(""), func(a *agents.Approval) { a.Tool, a.Path = "Write", "/etc/hosts" }),
		"hidden":  with(command(""), func(a *agents.Approval) { a.Tool, a.Path = "Write", ".git/hooks/pre-commit" }),
		"once":    with(command("make x"), func(a *agents.Approval) { a.Lasting = false }),
		"always":  with(command("make x"), func(a *agents.Approval) { a.Scopes = []string{"allow_once", "allow_always"} }),
		"risky":   with(command("rm x"), func(a *agents.Approval) { a.Scopes = []string{"allow_once", "allow_always"} }),
		"only":    with(command("rm x"), func(a *agents.Approval) { a.Scopes = []string{"allow_always"} }),
		"long":    command("make " + strings.Repeat("x", 2000)),
		"context": command("make pctx_" + strings.Repeat("a", 43)),
		"none":    with(command("make x"), func(a *agents.Approval) { a.Scopes = nil }),
	}))
	s := w.create(app.NewSession{})
	for id, want := range map[string]string{
		"plain": "allow_once allow_session* allow_always*", "delete": "allow_once", "network": "allow_once", "outside": "allow_once",
		"hidden": "allow_once", "once": "allow_once", "always": "allow_once allow_session* allow_always*", "risky": "allow_once",
		"only": "allow_always", "long": "allow_once", "context": "allow_once", "none": "",
	} {
		in := w.request(s.ID, id)
		var got []string
		for _, a := range in.Approval.Scopes {
			word := string(a)
			for _, g := range in.Approval.Grants {
				if g.Action == a {
					word += "*" // Parley keeps it
				}
			}
			got = append(got, word)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", id, text, want)
		}
		if id == "delete" && (len(in.Approval.Reasons) != 1 || in.Approval.Reasons[0].Words != "rm -rf build") {
			t.Errorf("why it is risky: %+v", in.Approval.Reasons)
		}
		w.decide(in, app.ActionDeny)
	}
}
