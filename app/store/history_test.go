package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/store"
)

func saveDraft(t testing.TB, r *record, id string, d app.Draft) {
	t.Helper()
	kept, err := r.SaveDraft(t.Context(), id, d)
	must(t, err)
	equal(t, kept, &d)
}

// history lists what a filter finds, by the last letters of the ids.
func (r *record) history(t testing.TB, f app.HistoryFilter) []string {
	t.Helper()
	page, err := r.History(t.Context(), f)
	must(t, err)
	ids := []string{}
	for _, in := range page.Interactions {
		ids = append(ids, in.ID)
	}
	return ids
}

func TestHistoryFindsEveryPart(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	clock := func() int64 { r.clock.add(time.Second); return r.clock.now().UnixMilli() }
	ask := func(in app.Interaction) app.Interaction {
		t.Helper()
		in.ID, in.SessionID, in.RunID, in.SessionTitle, in.RequestedAt = newID(), s.ID, turn, s.Title, clock()
		must(t, r.OpenInteraction(ctx, in))
		return in
	}
	settle := func(in app.Interaction, out app.Outcome) {
		t.Helper()
		out.ResolvedAt = clock()
		_, _, err := r.SettleInteraction(ctx, in.ID, out)
		must(t, err)
	}
	first := ask(app.Interaction{Kind: app.KindClarify, Question: "Which back-off?", Options: []app.Option{{Label: "Fixed", Description: "every 5 s"}}})
	settle(first, app.Outcome{Reason: app.ReasonResponse, Response: "Ärgerlich, none\n重试策略"})
	approval := ask(app.Interaction{Kind: app.KindApproval, Question: "Run a command", Approval: &app.Approval{Title: "Run a command", Detail: "make deploy"}})
	settle(approval, app.Outcome{Reason: app.ReasonResponse, Action: app.ActionDeny, Note: "Not on a Friday"})
	native := ask(app.Interaction{Kind: app.KindNative, Questions: []app.Field{{ID: "q1", Question: "Tabs?", Options: []app.Option{{Label: "spaces"}}}}})
	settle(native, app.Outcome{Reason: app.ReasonTimeout, Cause: app.CauseDeadline})
	must(t, r.LateAnswered(ctx, native.ID, app.Late{Response: "Late spaces"}))
	open := ask(app.Interaction{Kind: app.KindElicitation, Question: "Address?", URL: "https://login.example/x"})
	saveDraft(t, r, open.ID, app.Draft{Revision: 1, Text: "secret draft"})

	all := []string{open.ID, native.ID, approval.ID, first.ID}
	for _, c := range []struct {
		f    app.HistoryFilter
		want []string
	}{
		{app.HistoryFilter{}, all},
		{app.HistoryFilter{SessionID: s.ID}, all},
		{app.HistoryFilter{SessionID: newID()}, []string{}},
		{app.HistoryFilter{Agent: "claude"}, all},
		{app.HistoryFilter{Agent: "demo"}, []string{}},
		{app.HistoryFilter{Kind: app.KindApproval}, []string{approval.ID}},
		{app.HistoryFilter{End: app.HistoryWaiting}, []string{open.ID}},
		{app.HistoryFilter{End: app.HistoryResponse}, []string{approval.ID, first.ID}},
		{app.HistoryFilter{End: app.HistoryTimeout}, []string{native.ID}},
		{app.HistoryFilter{End: app.HistoryLate}, []string{native.ID}},
		{app.HistoryFilter{End: app.HistoryDismissed}, []string{}},
		{app.HistoryFilter{Since: native.RequestedAt}, []string{open.ID, native.ID}},
		{app.HistoryFilter{Until: native.RequestedAt}, []string{approval.ID, first.ID}},
		{app.HistoryFilter{Search: "BACK-OFF"}, []string{first.ID}},
		{app.HistoryFilter{Search: "fixed 5"}, []string{first.ID}},
		{app.HistoryFilter{Search: "ärger"}, []string{first.ID}},
		{app.HistoryFilter{Search: "试策"}, []string{first.ID}},
		{app.HistoryFilter{Search: "deploy friday"}, []string{approval.ID}},
		{app.HistoryFilter{Search: "deploy monday"}, []string{}},
		{app.HistoryFilter{Search: "tabs late"}, []string{native.ID}},
		{app.HistoryFilter{Search: "login.example"}, []string{open.ID}},
		{app.HistoryFilter{Search: "WEBHOOK"}, all},       // the session's title
		{app.HistoryFilter{Search: "secret"}, []string{}}, // a draft is no answer
		{app.HistoryFilter{Search: "%"}, []string{}},      // no pattern
		{app.HistoryFilter{Search: `"'\`}, []string{}},
	} {
		t.Run(fmt.Sprintf("%+v", c.f), func(t *testing.T) { equal(t, r.history(t, c.f), c.want) })
	}

	// A title that was changed since is found too.
	_, err := r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Title = "Renamed Since" })
	must(t, err)
	equal(t, r.history(t, app.HistoryFilter{Search: "renamed deploy"}), []string{approval.ID})
	equal(t, r.history(t, app.HistoryFilter{Search: "webhook deploy"}), []string{approval.ID})

	// A deleted session takes its history along.
	must(t, r.DeleteSession(ctx, s.ID))
	equal(t, r.history(t, app.HistoryFilter{}), []string{})
}

func TestHistoryByPages(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	want := []string{}
	for range 23 { // all in the same millisecond, so that only the ids order them
		in := r.ask(t, s.ID, turn, app.KindApproval)
		want = append([]string{in.ID}, want...)
	}
	got := []string{}
	f := app.HistoryFilter{Limit: 10}
	for pages := 0; ; pages++ {
		page, err := r.History(ctx, f)
		must(t, err)
		for _, in := range page.Interactions {
			got = append(got, in.ID)
		}
		r.clock.add(time.Millisecond)
		r.ask(t, s.ID, turn, app.KindApproval) // belongs to no later page
		if f.Cursor = page.Next; f.Cursor == "" {
			equal(t, pages, 2)
			break
		}
	}
	equal(t, got, want)
	for _, cursor := range []string{"x", "12", "_", "9999999999999999999999_a"} {
		_, err := r.History(ctx, app.HistoryFilter{Cursor: cursor})
		wantCode(t, err, app.CodeInvalidArgument)
	}
}

func TestNoticesAreGivenOutOnce(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	a, b, c := r.ask(t, s.ID, turn, app.KindApproval), r.ask(t, s.ID, turn, app.KindNative), r.ask(t, s.ID, turn, app.KindClarify)
	must(t, r.InteractionSeen(ctx, b.ID))
	_, _, err := r.SettleInteraction(ctx, c.ID, app.Outcome{Reason: app.ReasonDismissed})
	must(t, err)
	r.heard.take()
	for _, want := range [][]string{{a.ID}, {}} {
		fresh, err := r.NoticedInteractions(ctx, []string{a.ID, b.ID, newID(), c.ID, a.ID})
		must(t, err)
		equal(t, fresh, want)
	}
	equal(t, len(r.heard.take()), 0)
	in, err := r.Interaction(ctx, a.ID)
	must(t, err)
	equal(t, in.NoticedAt, r.clock.now().UnixMilli())
}

func TestRulesAreKeptFoundAndTakenBack(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	grant := app.Grant{Action: app.ActionAllowAlways, Tool: "Bash", Command: "make test", Folder: "/src/ledger"}
	ask := func() app.Interaction {
		now := r.clock.now().UnixMilli()
		return app.Interaction{ID: newID(), SessionID: s.ID, RunID: turn, Kind: app.KindApproval, Agent: "claude", RequestedAt: now,
			Approval: &app.Approval{Title: "Run a command", Command: "make test", Grants: []app.Grant{grant}}}
	}
	allow := func(action app.Action) app.Interaction {
		t.Helper()
		in := ask()
		must(t, r.OpenInteraction(ctx, in))
		_, _, err := r.SettleInteraction(ctx, in.ID, app.Outcome{Reason: app.ReasonResponse, Action: action, By: app.ByWindow})
		must(t, err)
		return in
	}
	allow(app.ActionAllowOnce)
	allow(app.ActionDeny)
	_, found, err := r.AllowedByRule(ctx, "claude", grant)
	must(t, err)
	equal(t, found, false)
	given := allow(app.ActionAllowAlways)
	allow(app.ActionAllowAlways) // a second time changes nothing
	rule, found, err := r.AllowedByRule(ctx, "claude", grant)
	must(t, err)
	want := app.Rule{ID: given.ID, Agent: "claude", Folder: "/src/ledger", Tool: "Bash", Command: "make test", Title: "Run a command",
		CreatedAt: r.clock.now().UnixMilli()}
	equal(t, []any{rule, found}, []any{want, true})
	for name, other := range map[string]func(*app.Grant) string{
		"command": func(g *app.Grant) string { g.Command += " "; return "claude" },
		"tool":    func(g *app.Grant) string { g.Tool = "Monitor"; return "claude" },
		"folder":  func(g *app.Grant) string { g.Folder += "/sub"; return "claude" },
		"all":     func(g *app.Grant) string { g.Command = ""; return "claude" },
		"family":  func(*app.Grant) string { return "codex" },
	} {
		g := grant
		if _, found, err := r.AllowedByRule(ctx, other(&g), g); found || err != nil {
			t.Errorf("another %s is covered too (%v)", name, err)
		}
	}

	r.heard.take()
	r.clock.add(time.Minute)
	used := ask()
	out := app.Outcome{Reason: app.ReasonResponse, Action: app.ActionAllowOnce, By: app.ByRule, RuleID: rule.ID}
	must(t, r.OpenSettled(ctx, used, out))
	events := r.heard.take()
	equal(t, []app.EventType{events[0].Type, events[1].Type}, []app.EventType{"approval.requested", "approval.resolved"})
	if in := events[0].Data.(app.Interaction); in.Waiting() {
		t.Error("it was shown as waiting")
	}
	equal(t, r.view(t, s.ID).WaitingFor, 0)
	in, err := r.Interaction(ctx, used.ID)
	must(t, err)
	equal(t, []any{in.Outcome.By, in.Outcome.RuleID}, []any{app.ByRule, rule.ID})
	list, err := r.Rules(ctx)
	must(t, err)
	want.Uses, want.UsedAt = 1, r.clock.now().UnixMilli()
	equal(t, list, []app.Rule{want})

	must(t, r.RevokeRule(ctx, rule.ID))
	wantCode(t, r.RevokeRule(ctx, rule.ID), app.CodeNotFound)
	wantCode(t, r.OpenSettled(ctx, ask(), out), app.CodeNotFound) // taken back between the look and the record
	list, err = r.Rules(ctx)
	must(t, err)
	equal(t, list, []app.Rule{})
	equal(t, len(r.history(t, app.HistoryFilter{})), 5) // nothing was stored of the last
}

// An older record is searched like a new one.
func TestHistoryOfAnOlderRecord(t *testing.T) {
	path := strings.TrimSuffix(t.TempDir(), "/") + "/parley.db"
	must(t, store.MakeVersion(t.Context(), path, 1, func(exec func(string) error) error {
		for _, sql := range []string{
			`INSERT INTO sessions VALUES ('s','Old work','direct','claude','','','','','','','idle','',0,0,0,'',0,0)`,
			`INSERT INTO interactions VALUES ('i','s','t','clarify','','{"interaction_id":"i","question":"Which Back-off?","options":[{"label":"Fixed"}]}',
			 'done',1,1,1,1,0,'response','person','{"reason":"response","response":"Fixed","note":"because"}',2,0,0,'',0)`,
			`INSERT INTO interactions VALUES ('j','s','t','clarify','','{"interaction_id":"j","question":"Open?"}','waiting',2,1,1,1,0,'','','',0,0,0,'',0)`,
		} {
			if err := exec(sql); err != nil {
				return err
			}
		}
		return nil
	}))
	r := reopen(t, path, newClock())
	equal(t, r.history(t, app.HistoryFilter{Search: "BACK-off because fixed"}), []string{"i"})
	equal(t, r.history(t, app.HistoryFilter{Search: "old"}), []string{"j", "i"})
	equal(t, r.history(t, app.HistoryFilter{Search: "interaction_id"}), []string{})
}
