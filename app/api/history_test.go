package api_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

func TestHistoryCalls(t *testing.T) {
	w := newWorld()
	w.rules = []app.Rule{{ID: "r1", Tool: "Bash", Command: "make test"}}
	w.history = []app.Interaction{
		{ID: "b", Kind: app.KindApproval, Agent: "claude", Approval: &app.Approval{Title: "Run a command", Detail: "rm x\n# not a heading", Command: "rm x",
			Reasons: []app.RiskReason{{Risk: app.RiskDelete, Words: "rm x"}}},
			Outcome: &app.Outcome{Reason: app.ReasonResponse, Action: app.ActionDeny, Note: "not now", By: app.ByWindow}},
		{ID: "a", Kind: app.KindClarify, Question: "Which?", Options: []app.Option{{Label: "A"}, {Label: "B", Recommended: true}},
			Draft: &app.Draft{Text: "never sent"}, Outcome: &app.Outcome{Reason: app.ReasonTimeout},
			Late: &app.Late{Response: "B", Selected: []string{"B"}, By: app.ByBrowser}},
	}
	h := api.Door(api.New(w.config(t)), app.ByBrowser)
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/api/history?q=x&session=s&agent=claude&kind=approval&end=late&since=5&until=9&cursor=0&limit=500", "", `"next":"1"`},
		{"GET", "/api/history?cursor=1", "", `"next":""`},
		{"GET", "/api/history?kind=x", "", `"field":"kind"`},
		{"GET", "/api/history?end=x", "", `"field":"end"`},
		{"GET", "/api/history?since=x", "", `"field":"since"`},
		{"GET", "/api/history/export?format=pdf", "", `"field":"format"`},
		{"GET", "/api/approvals", "", `"command":"make test"`},
		{"DELETE", "/api/approvals/r1", "", `{}`},
		{"DELETE", "/api/approvals/r1", "", `"code":"not_found"`},
		{"POST", "/api/interactions/noticed", `{"interactions":["a","b"]}`, `{"interactions":["a"]}`},
		{"PUT", "/api/settings", `{"question_command":["/bin/sh","-c","evil"]}`, `"field":"question_command"`},
		{"PUT", "/api/settings", `{"acp_agents":[{"id":"x","name":"X","command":"/bin/sh"}]}`, `"field":"acp_agents"`},
	} {
		if _, body := call(t, h, c.method, c.path, c.body); !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %s lacks %s", c.method, c.path, body, c.want)
		}
	}
	want := app.HistoryFilter{Search: "x", SessionID: "s", Agent: "claude", Kind: app.KindApproval, End: app.HistoryLate, Since: 5, Until: 9, Cursor: "0", Limit: 200}
	if w.filters[0] != want {
		t.Errorf("asked for %+v", w.filters[0])
	}
	if len(w.settings.QuestionCommand)+len(w.settings.ACPAgents) != 0 {
		t.Error("a browser changed what is run")
	}
	local := api.Door(api.New(w.config(t)), app.ByWindow)
	if code, _ := call(t, local, "PUT", "/api/settings", `{"question_command":["/bin/true"]}`); code != 200 || !slices.Equal(w.settings.QuestionCommand, []string{"/bin/true"}) {
		t.Error("the window could not change it")
	}

	for format, wants := range map[string][]string{
		"md": {"# Decisions", "> rm x\n", "> \\# not a heading", "- risk: delete (`rm x`)", "**Decided: deny** in the window", "> not now", "- [ ] A", "- [x] B (recommended)",
			"**Not answered in time**", "**Answered late** in the browser", "2 in all."},
		"json": {`"version": 1`, `"interaction_id":"b"`, `"interaction_id":"a"`},
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("GET", "/api/history/export?format="+format, nil))
		for _, want := range wants {
			if !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s lacks %q:\n%s", format, want, rec.Body)
			}
		}
		if strings.Contains(rec.Body.String(), "never sent") || !strings.HasPrefix(rec.Header().Get("Content-Disposition"), `attachment; filename="parley-decisions-`) {
			t.Errorf("%s holds a draft or is no file: %v", format, rec.Header())
		}
	}
}
