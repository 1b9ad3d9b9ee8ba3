package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/mcp/bridge"
)

// TestResultsAreAsWritten: text and structured content say the same; of a
// question without an answer nothing leaks that could be taken for one.
func TestResultsAreAsWritten(t *testing.T) {
	leak := bridge.ClarifyResult{ClarifyID: "q1", Response: "Ahoy", Selected: []string{"Ahoy"}, Text: "Ahoy"}
	for _, reason := range []string{"response", "dismissed", "timeout", "cancelled"} {
		t.Run(reason, func(t *testing.T) {
			c := start(t, everything)
			c.call("1", "parley_clarify", ask)
			r := leak
			r.Reason = reason
			c.question().end <- reply{result: r}
			got := c.resultOf("1")
			if got.IsError {
				t.Error("an end of a question is no error")
			}
			if a, b := pretty(t, got.Content[0].Text), pretty(t, string(got.Structured)); a != b {
				t.Errorf("text and structured content differ:\n%s%s", a, b)
			}
			golden(t, "result-"+reason+".json", pretty(t, got.Content[0].Text))
			if reason != "response" && strings.Contains(got.Content[0].Text, "Ahoy") {
				t.Error("the result names a choice")
			}
		})
	}
}

func TestEveryEndReadsDifferently(t *testing.T) {
	notes := map[string]string{}
	for _, reason := range []string{"response", "dismissed", "timeout", "cancelled"} {
		c := start(t, everything)
		c.call("1", "parley_clarify", ask)
		c.question().end <- reply{result: bridge.ClarifyResult{Reason: reason}}
		var r struct{ Reason, Note string }
		if err := json.Unmarshal(c.resultOf("1").Structured, &r); err != nil || r.Reason != reason {
			t.Fatalf("%s: %+v, %v", reason, r, err)
		}
		if (reason == "response") != (r.Note == "") {
			t.Errorf("%s: note %q", reason, r.Note)
		}
		if reason != "response" && !strings.Contains(r.Note, "not approval") {
			t.Errorf("%s does not say that it is no approval: %q", reason, r.Note)
		}
		if before, twice := notes[r.Note]; twice {
			t.Errorf("%s reads as %s", reason, before)
		}
		notes[r.Note] = reason
	}
}

func TestPlanResult(t *testing.T) {
	c := start(t, everything)
	c.call("1", "parley_update_plan", `{"context_id":"pctx_1","explanation":" why ","plan":[{"id":"a","step":" read ","status":"in_progress","extra":1}]}`)
	p, _ := within(t, "a plan", c.app.plans)
	if p.ContextID != "pctx_1" || p.Explanation != "why" || len(p.Plan) != 1 || p.Plan[0] != (bridge.PlanStep{ID: "a", Step: "read", Status: "in_progress"}) {
		t.Errorf("the app got %+v", p)
	}
	golden(t, "result-plan.json", pretty(t, c.resultOf("1").Content[0].Text))
}

// TestRefusalsOfTheAppReachTheModelWhole and are results, not protocol errors.
func TestRefusalsOfTheAppReachTheModelWhole(t *testing.T) {
	c := start(t, everything)
	for _, code := range []string{"context_unavailable", "no_active_turn", "already_pending", "subagent_refused", "unauthenticated", "forbidden", "version_mismatch", "unavailable"} {
		c.call("1", "parley_clarify", ask)
		want := bridge.Error{Code: code, Message: "What to do about " + code + ".", Field: "f", Limit: "l", Got: "g"}
		c.question().end <- reply{err: &want}
		if got := c.refusalOf("1"); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestGoneAppCancels: the connection closed under a waiting question.
func TestGoneAppCancels(t *testing.T) {
	c := start(t, everything)
	c.call("1", "parley_clarify", ask)
	c.question().end <- reply{err: errors.Join(bridge.ErrGone, errors.New("connection reset"))}
	r := c.resultOf("1")
	if r.IsError || !strings.Contains(r.Content[0].Text, `"reason":"cancelled"`) {
		t.Errorf("got %s", r.Content[0].Text)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	c.answerTo("2") // and the server lives
}

func TestAppThatCannotBeGreetedRefusesUntilItCan(t *testing.T) {
	f := newFakeApp()
	fine := f.hello
	mismatch := bridge.Mismatch(1, 2)
	tries := make(chan struct{}, 10)
	f.hello = func() (bridge.HelloReply, error) {
		tries <- struct{}{}
		if len(tries) >= 3 { // the first is the server's own at its start
			return fine()
		}
		return bridge.HelloReply{}, mismatch
	}
	c := startWith(t, t.Context(), everything, f, f)
	for len(tries) == 0 { // until the server's own try has come
		c.quiet("none")
	}
	c.call("1", "parley_clarify", ask)
	if e := c.refusalOf("1"); e.Code != bridge.CodeVersionMismatch || !strings.Contains(e.Message, "Restart this agent in Parley") {
		t.Errorf("got %+v", e)
	}
	c.call("2", "parley_clarify", ask)
	c.question().end <- reply{result: bridge.ClarifyResult{Reason: "timeout"}}
	if r := c.resultOf("2"); r.IsError {
		t.Errorf("after the app came back: %s", r.Content[0].Text)
	}
}

// TestPicturesOfAnAnswer go beside its text; one that cannot be read is left to
// the path that the text holds, and no end without an answer carries any.
func TestPicturesOfAnAnswer(t *testing.T) {
	c := start(t, everything)
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, []byte("bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	pictures := []bridge.Picture{{Mime: "image/png", Path: path}, {Mime: "image/png", Path: path + ".gone"}}
	for id, want := range map[string]string{
		"1": `[{"type":"image","data":"Ynl0ZXM=","mimeType":"image/png"}]`,
		"2": `[]`,
	} {
		reason := map[string]string{"1": "response", "2": "timeout"}[id]
		c.call(id, "parley_clarify", ask)
		c.question().end <- reply{result: bridge.ClarifyResult{Reason: reason, Response: path, Pictures: pictures}}
		var r struct {
			Content    []json.RawMessage `json:"content"`
			Structured json.RawMessage   `json:"structuredContent"`
		}
		if err := json.Unmarshal(c.answerTo(id).Result, &r); err != nil || len(r.Content) == 0 {
			t.Fatalf("%s: no result, %v", reason, err)
		}
		if got, _ := json.Marshal(r.Content[1:]); string(got) != want {
			t.Errorf("%s: beside the text come %s, want %s", reason, got, want)
		}
		if strings.Contains(string(r.Structured), "mime") {
			t.Errorf("%s: the model reads where files lie twice: %s", reason, r.Structured)
		}
	}
}
