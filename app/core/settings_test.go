package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

// TestSavingSettingsDropsNoQuestion saves settings and an override of MCP servers
// while three sessions wait: each question stays, and gets its own answer.
func TestSavingSettingsDropsNoQuestion(t *testing.T) {
	dirs := apptest.Home(t)
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	asked := map[app.TurnID]app.Interaction{}
	for range 3 {
		turn := send(t, b.Client, create(t, b.Client, api.NewSession{}).ID, "Make me a page")
		asked[turn] = tape.Asked(turn, app.KindClarify)
	}
	socket := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", dirs.Socket())
	}}}
	defer socket.CloseIdleConnections()
	save := func(method, path string, v any) {
		t.Helper()
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://parley"+path, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := socket.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
	}
	set, err := b.Client.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set.Theme, set.SendKey, set.DeadlineSeconds = "dark", "ctrl_enter", 120
	save("PUT", "/api/settings", set)
	save("POST", "/api/mcp/edit", app.MCPEdit{Name: "docs", Server: true, Fields: map[string]string{"command": `"true"`}})
	if got, err := b.Client.Settings(t.Context()); err != nil || got.Theme != "dark" || got.DeadlineSeconds != 120 {
		t.Fatalf("saved %+v, %v", got, err)
	}

	waiting, err := b.Client.Interactions(t.Context(), app.InteractionFilter{State: app.InteractionsWaiting})
	if err != nil || len(waiting) != len(asked) {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	for turn, in := range asked {
		answer := "Answer for " + in.SessionID
		if _, err := b.Client.Answer(t.Context(), app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: answer}); err != nil {
			t.Fatal(err)
		}
		if end := tape.Ended(turn); end.Status != app.TurnCompleted {
			t.Errorf("ended as %s, %+v", end.Status, end.Problem)
		}
		got, err := b.Client.Interaction(t.Context(), in.ID)
		if err != nil || got.Outcome == nil || got.Outcome.Response != answer || got.DeliveredAt == 0 {
			t.Errorf("answered %+v, %v", got.Outcome, err)
		}
	}
}
