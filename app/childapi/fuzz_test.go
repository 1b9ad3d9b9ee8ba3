//go:build unix

package childapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

// FuzzBodies: whatever an agent sends to an endpoint, it is let in or refused
// with an error object, never answered with a fault of ours.
func FuzzBodies(f *testing.F) {
	paths := childapi.EndpointPaths()
	for i := range paths {
		for _, body := range []string{
			`{"protocol":1,"version":"x","pid":1}`, `{"tools":["a"]}`, `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`,
			`{"context_id":"c","call_id":"1","question":"q","options":[{"label":"a"}]}`, `{"call_id":"1"}`, `{"arguments":{"questions":[{"question":"q"}]}}`, `null`, `[]`, `{"protocol":1e999}`, "", "\xff", strings.Repeat("[", 20000),
		} {
			f.Add(i, body)
		}
	}
	path := filepath.Join(f.TempDir(), "run", "s")
	ln, err := childapi.Listen(path)
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- childapi.New(childapi.Config{Service: prompt{}, Ancestors: ancestors, Log: slog.New(slog.DiscardHandler)}).Serve(ctx, ln)
	}()
	client := overSocket(path)
	f.Cleanup(func() {
		client.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, endpoint int, body string) {
		to := paths[max(0, endpoint)%len(paths)]
		req, err := http.NewRequest(http.MethodPost, "http://parley"+to, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case resp.StatusCode >= 500, resp.StatusCode >= 400 && code(string(answer)) == "":
			t.Errorf("%s with %q: %d %s", to, body, resp.StatusCode, answer)
		case !json.Valid(answer):
			t.Errorf("%s with %q: no JSON: %q", to, body, answer)
		}
	})
}

// prompt stands in for the sessions: it answers everything at once.
type prompt struct{}

func (prompt) LaunchByToken(string) (app.Launch, error) { return launch, nil }
func (prompt) ToolsListed(string, []string)             {}
func (prompt) SupervisedPIDs() []int                    { return nil }
func (prompt) Clarify(_ context.Context, _, _, _ string, in app.Interaction) (app.Interaction, app.Outcome, error) {
	return in, app.Outcome{Reason: app.ReasonDismissed}, nil
}
func (prompt) UpdatePlan(context.Context, string, string, string, string, []app.PlanStep) (app.Plan, error) {
	return app.Plan{ID: "plan", Revision: 1}, nil
}
func (prompt) Form(_ context.Context, _, _ string, arguments []byte) (app.FormCall, error) {
	if _, err := bridge.FormQuestions(arguments); err != nil {
		return app.FormCall{}, err
	}
	return app.FormCall{AskID: "form"}, nil
}
