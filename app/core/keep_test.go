package core_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/app/core"
)

// What the settings say need not be kept goes as soon as they say so: old
// sessions with their files, old logs, old copies. What a person may still have
// to do with stays, and so do the person's own folders.
func TestWhatIsKept(t *testing.T) {
	dirs := apptest.Home(t)
	var skew atomic.Int64
	conf := backend.Config(t, dirs)
	conf.Now = func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
	files := map[string]bool{ // whether each is still there at the end
		dirs.Log() + ".1": true, dirs.Log() + ".2": false,
		dirs.Database() + ".backup-20200101T000000-v1": false, dirs.Database() + ".backup-20200102T000000-v1": true,
	}
	for path := range files {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := core.Open(ctx, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	client := api.Dial(dirs.Socket())
	tape := apptest.Follow(t, client)
	old, young, asking := create(t, client, api.NewSession{}), create(t, client, api.NewSession{}), create(t, client, api.NewSession{})
	tape.Asked(send(t, client, asking.ID, "Make me a page"), app.KindClarify)
	turn := send(t, client, old.ID, "output 1")
	if end := tape.Ended(turn); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v %+v", end, end.Problem)
	}
	done := tape.Wait("the output", func(e app.Event) bool { return e.Type == app.EventToolCompleted && e.TurnID == turn })
	d, _ := apptest.Data[app.ToolCompleted](done)
	if !d.Truncated || d.OutputBytes != 1<<20 || d.OutputID == "" || len(d.Output) > app.MaxPart+100 || !strings.Contains(d.Output, "bytes left out") {
		t.Fatalf("recorded %d bytes, truncated %v, %d bytes kept as %q", len(d.Output), d.Truncated, d.OutputBytes, d.OutputID)
	}
	var whole strings.Builder
	if err := client.Output(ctx, old.ID, d.OutputID, &whole); err != nil || whole.Len() != 1<<20 || !strings.HasPrefix(whole.String(), "line 1 of a long output\nline 2 ") {
		t.Fatalf("the whole output: %d bytes, %v", whole.Len(), err)
	}
	if _, err := client.Close(ctx, old.ID); err != nil { // its agent ends
		t.Fatal(err)
	}
	skew.Store(int64(40 * 24 * time.Hour))
	tape.Ended(send(t, client, young.ID, "say still in use"))
	if _, err := client.Close(ctx, young.ID); err != nil {
		t.Fatal(err)
	}

	s, err := client.Settings(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.KeepSessionDays, s.KeepLogFiles, s.KeepBackups = 30, 2, 1
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	api.Door(a.API(), app.ByWindow).ServeHTTP(w, httptest.NewRequest("PUT", "/api/settings", strings.NewReader(string(body))))
	if w.Code != 200 {
		t.Fatalf("settings: %d %s", w.Code, w.Body)
	}
	tape.Wait("the deletion", func(e app.Event) bool { return e.Type == app.EventSessionDeleted && e.SessionID == old.ID })
	left, err := client.Sessions(ctx)
	if err != nil || len(left) != 2 {
		t.Errorf("%d sessions are left, %v", len(left), err)
	}
	if err := client.Output(ctx, old.ID, d.OutputID, &whole); app.ErrorCode(err) != app.CodeNotFound {
		t.Errorf("its output: %v", err)
	}
	if _, err := os.Stat(old.Cwd); err != nil {
		t.Errorf("the folder it worked in: %v", err)
	}
	for path, stays := range files {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v, should stay: %v", filepath.Base(path), err, stays)
		}
	}
}
