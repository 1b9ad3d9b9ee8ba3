package api_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/api"
)

// logTo sends a log to the test's output.
func logTo(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// wireError reads the error of a body.
func wireError(t testing.TB, body string) app.WireError {
	t.Helper()
	var c api.Conflict
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatalf("body %q: %v", body, err)
	}
	return c.Error
}

func TestNobodyComesInWithoutADoor(t *testing.T) {
	h := api.New(newWorld().config(t))
	for _, r := range api.Routes() {
		status, body := call(t, h, r.Method, r.Path, "{}")
		if status != 403 || wireError(t, body).Code != app.CodeForbidden {
			t.Errorf("%s %s: %d %s", r.Method, r.Path, status, body)
		}
	}
}

func TestUnknownCallsAreErrorsOfOurs(t *testing.T) {
	h := api.Door(api.New(newWorld().config(t)), app.ByCLI)
	for _, c := range [][2]string{{"GET", "/api/nothing"}, {"PUT", "/api/about"}, {"GET", "/"}} {
		if status, body := call(t, h, c[0], c[1], ""); status != 404 || wireError(t, body).Code != app.CodeNotFound {
			t.Errorf("%v: %d %s", c, status, body)
		}
	}
}

func TestBodiesAreReadStrictly(t *testing.T) {
	h := api.Door(api.New(newWorld().config(t)), app.ByCLI)
	const path = "/api/sessions/s1/messages"
	for name, c := range map[string]struct {
		body   string
		status int
		code   app.Code
		field  string
	}{
		"good":          {`{"text":"hi"}`, 200, "", ""},
		"nothing":       {"", 400, app.CodeInvalidArgument, ""},
		"no JSON":       {"text=hi", 400, app.CodeInvalidArgument, ""},
		"unknown field": {`{"text":"hi","by":"window"}`, 400, app.CodeInvalidArgument, ""},
		"no object":     {`[]`, 400, app.CodeInvalidArgument, ""},
		"wrong type":    {`{"text":7}`, 400, app.CodeInvalidArgument, "text"},
		"two values":    {`{"text":"a"} {"text":"b"}`, 400, app.CodeInvalidArgument, ""},
		"unknown how":   {`{"text":"a","how":"shout"}`, 400, app.CodeInvalidArgument, "how"},
		"cut off":       {`{"text":"a`, 400, app.CodeInvalidArgument, ""},
		"too long":      {`{"text":"` + strings.Repeat("x", 8<<20) + `"}`, 413, app.CodePayloadTooLarge, ""},
	} {
		status, body := call(t, h, "POST", path, c.body)
		got := wireError(t, body)
		if status != c.status || got.Code != c.code || got.Field != c.field {
			t.Errorf("%s: %d %+v", name, status, got)
		}
	}
}

func TestTheDoorSaysWhoAnswered(t *testing.T) {
	for _, by := range []app.By{app.ByWindow, app.ByBrowser, app.ByCLI} {
		w := newWorld()
		w.interactions["q"] = app.Interaction{ID: "q"}
		h := api.Door(api.New(w.config(t)), by)
		if status, body := call(t, h, "POST", "/api/interactions/q/answer", `{"status":"answered","text":"yes"}`); status != 200 {
			t.Fatalf("%s: %d %s", by, status, body)
		}
		want := []app.Answer{{InteractionID: "q", Status: app.StatusAnswered, Text: "yes", By: by}}
		if diff := cmp.Diff(want, w.answers); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAtTheSocketAWindowMaySayThatItIsOne(t *testing.T) {
	for header, want := range map[string]app.By{"": app.ByCLI, "window": app.ByWindow, "browser": app.ByCLI, "native": app.ByCLI} {
		w := newWorld()
		w.interactions["q"] = app.Interaction{ID: "q"}
		h := api.SocketDoor(api.New(w.config(t)))
		postWithHeader(t, h, "/api/interactions/q/answer", `{"status":"answered"}`, api.DoorHeader, header)
		if len(w.answers) != 1 || w.answers[0].By != want {
			t.Errorf("header %q: %+v, want by %s", header, w.answers, want)
		}
	}
}

func TestASecondAnswerLearnsWhatWasAccepted(t *testing.T) {
	w := newWorld()
	w.interactions["q"] = app.Interaction{ID: "q"}
	h := api.New(w.config(t))
	call(t, api.Door(h, app.ByWindow), "POST", "/api/interactions/q/answer", `{"status":"answered","text":"first"}`)
	status, body := call(t, api.Door(h, app.ByCLI), "POST", "/api/interactions/q/answer", `{"status":"answered","text":"second"}`)
	var c api.Conflict
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	if status != 409 || c.Error.Code != app.CodeAlreadyResolved || c.Outcome == nil ||
		c.Outcome.Text != "first" || c.Outcome.By != app.ByWindow {
		t.Errorf("%d %s", status, body)
	}
}

func TestAnAnswerGoesToTheQuestionInItsAddress(t *testing.T) {
	w := newWorld()
	w.interactions["a"], w.interactions["b"] = app.Interaction{ID: "a"}, app.Interaction{ID: "b"}
	h := api.Door(api.New(w.config(t)), app.ByWindow)
	status, _ := call(t, h, "POST", "/api/interactions/a/answer", `{"interaction_id":"b","status":"answered"}`)
	if status != 400 || len(w.answers) != 0 {
		t.Errorf("status %d, answers %+v", status, w.answers)
	}
	if status, body := call(t, h, "POST", "/api/interactions/zz/answer", `{"status":"answered"}`); status != 404 {
		t.Errorf("unknown id: %d %s", status, body)
	}
}

func TestOnlyTheCommandLineHandsOverItsEnvironment(t *testing.T) {
	const body = `{"agent":"claude","cwd":"/x","env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:1"}}`
	for by, want := range map[app.By]int{app.ByCLI: 200, app.ByWindow: 403, app.ByBrowser: 403} {
		w := newWorld()
		status, text := call(t, api.Door(api.New(w.config(t)), by), "POST", "/api/sessions", body)
		if status != want || (len(w.created) == 1) != (want == 200) {
			t.Errorf("%s: %d %s, created %d", by, status, text, len(w.created))
		}
	}
}

func TestAFailedFirstMessageLeavesNoSession(t *testing.T) {
	w := newWorld()
	w.sendErr = app.Errorf(app.CodeAgentNotInstalled, "Claude Code is not installed.")
	h := api.Door(api.New(w.config(t)), app.ByWindow)
	status, body := call(t, h, "POST", "/api/sessions", `{"agent":"claude","cwd":"/x","prompt":"hello"}`)
	if status != 409 || wireError(t, body).Code != app.CodeAgentNotInstalled {
		t.Errorf("%d %s", status, body)
	}
	if !slices.Equal(w.deleted, []string{"s1"}) {
		t.Errorf("deleted %v", w.deleted)
	}
}

func TestAnErrorWithoutACodeTellsNothing(t *testing.T) {
	w := newWorld()
	w.sendErr = errors.New("open /home/ann/secret: denied")
	h := api.Door(api.New(w.config(t)), app.ByBrowser)
	status, body := call(t, h, "POST", "/api/sessions/s1/messages", `{"text":"x"}`)
	if status != 500 || strings.Contains(body, "secret") || wireError(t, body).Code != app.CodeInternal {
		t.Errorf("%d %s", status, body)
	}
}

func TestAPanicEndsOneCall(t *testing.T) {
	h := api.Door(api.New(newWorld().config(t)), app.ByWindow)
	status, body := call(t, h, "GET", "/api/sessions/s1/processes", "")
	if status != 500 || strings.Contains(body, "fell over") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := call(t, h, "GET", "/api/about", ""); status != 200 {
		t.Errorf("the next call: %d", status)
	}
}

func TestTheInboxIsSortedByTimeLeft(t *testing.T) {
	w := newWorld()
	now := testNow.UnixMilli()
	for _, in := range []app.Interaction{
		{ID: "form", RequestedAt: now - 9000},
		{ID: "late", RequestedAt: now - 5000, DeadlineAt: now + 200_000},
		{ID: "soon", RequestedAt: now - 1000, DeadlineAt: now + 10_000},
		{ID: "passed", RequestedAt: now - 99_000, DeadlineAt: now - 5},
		{ID: "old", RequestedAt: now - 70_000, DeadlineAt: now + 50, Outcome: &app.Outcome{Reason: app.ReasonTimeout}},
		{ID: "newer", RequestedAt: now - 60_000, Outcome: &app.Outcome{Reason: app.ReasonTimeout}},
	} {
		w.interactions[in.ID] = in
	}
	_, body := call(t, api.Door(api.New(w.config(t)), app.ByCLI), "GET", "/api/interactions?state=all", "")
	var list api.InteractionList
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	left := map[string]int64{}
	for _, in := range list.Interactions {
		got = append(got, in.ID)
		left[in.ID] = in.RemainingTimeoutMS
	}
	if diff := cmp.Diff([]string{"passed", "soon", "late", "form", "newer", "old"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"passed": 0, "soon": 10_000, "late": 200_000, "form": 0, "newer": 0, "old": 0}, left); diff != "" {
		t.Error(diff)
	}
	if status, _ := call(t, api.Door(api.New(w.config(t)), app.ByCLI), "GET", "/api/interactions?state=open", ""); status != 400 {
		t.Errorf("unknown state: %d", status)
	}
}

func TestATimelinePassesItsBoundsOn(t *testing.T) {
	h := api.Door(api.New(newWorld().config(t)), app.ByCLI)
	_, body := call(t, h, "GET", "/api/sessions/s1/events?after=4&before=9&limit=5000", "")
	var tl api.Timeline
	if err := json.Unmarshal([]byte(body), &tl); err != nil {
		t.Fatal(err)
	}
	if tl.Through != 1000 || !tl.More || len(tl.Events) != 1 || tl.Events[0].Seq != 5 || len(tl.Live) != 1 {
		t.Errorf("%+v", tl)
	}
	for _, bad := range []string{"after=-1", "limit=many", "before=1.5"} {
		if status, _ := call(t, h, "GET", "/api/sessions/s1/events?"+bad, ""); status != 400 {
			t.Errorf("%s: %d", bad, status)
		}
	}
}

func TestFolders(t *testing.T) {
	w := newWorld()
	c := w.config(t)
	home := t.TempDir()
	c.About.Home = home
	for _, dir := range []string{"Zoo", "alpha/.git", ".hidden", "名字"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "Zoo"), filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	alpha := filepath.Join(home, "alpha")
	w.sessions = []app.Session{{Cwd: alpha}, {Cwd: filepath.Join(home, "gone")}, {Cwd: alpha}, {Cwd: home, Agent: "demo"}}
	h := api.Door(api.New(c), app.ByWindow)

	_, body := call(t, h, "GET", "/api/folders", "")
	var got api.FolderList
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	folder := func(name string, git bool) api.Folder {
		return api.Folder{Name: name, Path: filepath.Join(home, name), Git: git}
	}
	want := api.FolderList{
		Path: home, Parent: filepath.Dir(home), Branch: "main",
		Folders: []api.Folder{folder("alpha", true), folder("link", false), folder("Zoo", false), folder("名字", false)},
		Recent:  []api.Folder{folder("alpha", true)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]int{"~/alpha": 200, "~": 200, "alpha": 400, home + "/none": 400, home + "/file": 400, "/": 200} {
		if status, body := call(t, h, "GET", "/api/folders?path="+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestSmallCalls(t *testing.T) {
	w := newWorld()
	w.sessions = []app.Session{{ID: "s1"}}
	w.interactions["q"] = app.Interaction{ID: "q", DeadlineAt: testNow.UnixMilli() + 1000}
	h := api.Door(api.New(w.config(t)), app.ByWindow)
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/api/about", "", `"now":1700000000000`},
		{"GET", "/api/agents", "", `"at":0`},
		{"POST", "/api/agents/refresh", "", `"at":1700000000000`},
		{"POST", "/api/sessions/s1/messages", `{"text":"x","how":"steer"}`, `"queued":true`},
		{"PATCH", "/api/sessions/s1", `{"title":"New name"}`, `"title":"New name"`},
		{"PATCH", "/api/sessions/s1/queue/t9", `{"index":0}`, `"id":"s1"`},
		{"DELETE", "/api/sessions/s1/queue/t9", "", `"id":"s1"`},
		{"POST", "/api/sessions/s1/close", "{}", `"id":"s1"`},
		{"POST", "/api/sessions/s1/resume", "", `"id":"s1"`},
		{"POST", "/api/sessions/s1/fork", "", `"forked_from":"s1"`},
		{"POST", "/api/sessions/s1/stop", "", `"code":"no_active_turn"`},
		{"DELETE", "/api/sessions/s1", "", `{}`},
		{"POST", "/api/interactions/q/more-time", "", `"remaining_timeout_ms":1000`},
		{"POST", "/api/interactions/q/typing", "", `"interaction_id":"q"`},
		{"PUT", "/api/interactions/q/draft", `{"revision":3,"selected":[],"text":"half"}`, `{"saved":true,"draft":{"revision":3,`},
		{"PUT", "/api/interactions/q/draft", `{"revision":2,"selected":[],"text":"other"}`, `{"saved":false,"draft":{"revision":3,`},
		{"POST", "/api/interactions/q/seen", "", `{}`},
		{"POST", "/api/interactions/q/clear", "", `{}`},
		{"PUT", "/api/settings", `{"theme":"dark"}`, `"theme":"dark"`},
		{"GET", "/api/settings", "", `"theme":"dark"`},
		{"POST", "/api/presence", `{"client":"c","front":true,"session":"s1","visible":["a","b"]}`, `{}`},
		{"POST", "/api/presence", `{"client":"c","front":false,"visible":["c"]}`, `{}`},
	} {
		if _, body := call(t, h, c.method, c.path, c.body); !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %s lacks %s", c.method, c.path, body, c.want)
		}
	}
	if len(w.drafts) != 1 || w.drafts[0].Text != "half" || !slices.Equal(w.seen, []string{"q", "a", "b"}) || len(w.presence) != 2 || !w.presence[0].Front {
		t.Errorf("drafts %+v, seen %v, presence %+v", w.drafts, w.seen, w.presence)
	}
}
