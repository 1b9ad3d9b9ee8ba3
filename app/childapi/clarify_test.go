//go:build unix

package childapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/app/childapi"
	"parley/mcp/bridge"
)

type clarified struct {
	bridge.ClarifyResult
	err error
}

func clarify(ctx context.Context, c *bridge.Client, q bridge.ClarifyRequest) <-chan clarified {
	done := make(chan clarified, 1)
	go func() {
		res, err := c.Clarify(ctx, q)
		done <- clarified{res, err}
	}()
	return done
}

var greeting = bridge.ClarifyRequest{
	Call: bridge.Call{Meta: `{"claudecode/toolUseId":"toolu_1"}`}, ContextID: "pctx_1", Question: " Which greeting? ", Header: "Greeting", MultiSelect: true,
	Options: []bridge.Option{{Label: "Hello", Description: "plain", Preview: "<h1>"}, {Label: "Ahoy", Recommended: true}, {Label: "Hello"}},
}

func TestQuestionGoesThroughWhole(t *testing.T) {
	r := serve(t, nil)
	call := clarify(t.Context(), r.bridge(), greeting)
	a := r.question(t)
	want := app.Interaction{
		Kind: app.KindClarify, Question: "Which greeting?", Header: "Greeting", MultiSelect: true, Choices: []string{"Hello", "Ahoy"},
		Options: []app.Option{{Label: "Hello", Description: "plain", Preview: "<h1>"}, {Label: "Ahoy", Recommended: true}},
	}
	if diff := cmp.Diff(want, a.in); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if a.launchID != launch.ID || a.contextID != "pctx_1" || a.meta != greeting.Meta {
		t.Errorf("asked by %q with %q and %s", a.launchID, a.contextID, a.meta)
	}
	a.answer <- app.Outcome{
		Reason: app.ReasonResponse, Response: "Ahoy\nbut loud", Selected: []string{"Ahoy"}, Text: "but loud",
		Files: []app.Attachment{{Name: "a", Mime: "image/png", Path: "/p/a.png"}, {Name: "b", Mime: "text/plain", Path: "/p/b.txt"}},
	}
	got := within(t, "the answer", call)
	wantRes := bridge.ClarifyResult{
		ClarifyID: "question-of-pctx_1", Reason: "response", Response: "Ahoy\nbut loud", Selected: []string{"Ahoy"}, Text: "but loud",
		Pictures: []bridge.Picture{{Mime: "image/png", Path: "/p/a.png"}},
	}
	if diff := cmp.Diff(wantRes, got.ClarifyResult); got.err != nil || diff != "" {
		t.Errorf("%v, answer (-want +got):\n%s", got.err, diff)
	}
}

// TestOnlyAnAnswerCarriesContent, whatever the outcome holds.
func TestOnlyAnAnswerCarriesContent(t *testing.T) {
	r := serve(t, nil)
	for _, reason := range []app.Reason{app.ReasonDismissed, app.ReasonTimeout, app.ReasonCancelled} {
		call := clarify(t.Context(), r.bridge(), greeting)
		r.question(t).answer <- app.Outcome{Reason: reason, Response: "Ahoy", Selected: []string{"Ahoy"}, Text: "Ahoy"}
		got := within(t, "the end", call)
		want := bridge.ClarifyResult{ClarifyID: "question-of-pctx_1", Reason: string(reason), Selected: []string{}}
		if diff := cmp.Diff(want, got.ClarifyResult); got.err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", reason, got.err, diff)
		}
	}
}

// TestEndsOfACallHaveTheirCause: cancelled by the CLI, gone, or Parley quits.
func TestEndsOfACallHaveTheirCause(t *testing.T) {
	r := serve(t, nil)
	for _, c := range []struct {
		cancel error // cause of the caller's context
		want   app.Cause
	}{
		{bridge.ErrWithdrawn, app.CauseMCPCancelled},
		{nil, app.CauseConnectionClosed},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		call := clarify(ctx, r.bridge(), greeting)
		a := r.question(t)
		cancel(c.cancel)
		if got := within(t, "the withdrawal", a.withdrawn); got != c.want {
			t.Errorf("caller ended with %v: cause %s, want %s", c.cancel, got, c.want)
		}
		within(t, "the end of the call", call)
	}

	call := clarify(t.Context(), r.bridge(), greeting)
	a := r.question(t)
	r.stop()
	if got := within(t, "the withdrawal", a.withdrawn); got != app.CauseQuit {
		t.Errorf("Parley quits: cause %s", got)
	}
	if got := within(t, "the end of the call", call); got.err != nil || got.Reason != "cancelled" {
		t.Errorf("Parley quits: the call got %+v", got)
	}
	within(t, "the end of the server", r.stopped)
}

// TestACallOfAnotherLaunchCannotBeCancelled, not even by its id.
func TestACallOfAnotherLaunchCannotBeCancelled(t *testing.T) {
	r := serve(t, nil)
	r.set(func() { r.launches["other"] = app.Launch{ID: "launch-2", MayAsk: true} })
	done := make(chan string, 1)
	go func() {
		_, body := r.do(t, http.MethodPost, bridge.PathClarify, token, `{"call_id":"guessed","context_id":"pctx_1","question":"q"}`)
		done <- body
	}()
	a := r.question(t)
	if status, body := r.do(t, http.MethodPost, bridge.PathCancel, "other", `{"call_id":"guessed"}`); status != 404 {
		t.Errorf("another launch: %d %s", status, body)
	}
	if status, body := r.do(t, http.MethodPost, bridge.PathCancel, token, `{"call_id":"guessed"}`); status != 200 {
		t.Errorf("its own launch: %d %s", status, body)
	}
	within(t, "the withdrawal", a.withdrawn)
	if body := within(t, "the end", done); !strings.Contains(body, `"cancelled"`) {
		t.Errorf("got %s", body)
	}
}

func TestBlankLinesKeepTheCallAlive(t *testing.T) {
	r := serve(t, func(c *childapi.Config) { c.KeepAlive = time.Millisecond })
	resp := r.begin(t, `{"context_id":"pctx_1","question":"q"}`)
	lines := bufio.NewReader(resp.Body)
	for range 5 {
		if line, err := lines.ReadString('\n'); line != "\n" || err != nil {
			t.Fatalf("got %q, %v; want a blank line", line, err)
		}
	}
	r.question(t).answer <- app.Outcome{Reason: app.ReasonTimeout}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line != "\n" {
			if !strings.Contains(line, `"timeout"`) {
				t.Errorf("got %q", line)
			}
			return
		}
	}
}

// TestRefusalsHaveTheirStatus: before the first blank line as a status, after it
// in the line.
func TestRefusalsHaveTheirStatus(t *testing.T) {
	r := serve(t, nil)
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{app.Errorf(app.CodeContextUnavailable, "m"), 409, "context_unavailable"},
		{app.Errorf(app.CodeNoActiveTurn, "m"), 409, "no_active_turn"},
		{app.Errorf(app.CodeAlreadyPending, "m"), 409, "already_pending"},
		{app.Errorf(app.CodeSubagentRefused, "m"), 403, "subagent_refused"},
		{app.Errorf(app.CodeForbidden, "m"), 403, "forbidden"},
		{app.Errorf(app.CodeInvalidArgument, "m"), 400, "invalid_argument"},
		{errors.New("the path /secret is wrong"), 500, "internal"},
	} {
		r.set(func() { r.refuse = c.err })
		for path, body := range map[string]string{
			bridge.PathClarify: `{"context_id":"c","question":"q"}`,
			bridge.PathPlan:    `{"context_id":"c","plan":[{"id":"1","step":"s","status":"pending"}]}`,
		} {
			status, got := r.do(t, http.MethodPost, path, token, body)
			if status != c.status || code(got) != c.code || strings.Contains(got, "secret") {
				t.Errorf("%v: %s answers %d %s", c.err, path, status, got)
			}
		}
	}
}

// TestLimitsHoldHereToo: the launch token lies where an agent can read it, so a
// call need not come through parley-mcp.
func TestLimitsHoldHereToo(t *testing.T) {
	r := serve(t, nil)
	for _, c := range []struct {
		path, body, code string
		status           int
	}{
		{bridge.PathClarify, `{"context_id":"c","question":" "}`, "invalid_argument", 400},
		{bridge.PathClarify, fmt.Sprintf(`{"context_id":"c","question":%q}`, strings.Repeat("x", 4001)), "invalid_argument", 400},
		{bridge.PathPlan, `{"context_id":"c","plan":[]}`, "invalid_argument", 400},
		{bridge.PathClarify, `{"context_id":`, "invalid_argument", 400},
		{bridge.PathClarify, `[]`, "invalid_argument", 400},
		{bridge.PathClarify, fmt.Sprintf(`{"context_id":"c","question":"q","header":%q}`, strings.Repeat("x", bridge.MaxBody)), "payload_too_large", 413},
	} {
		status, body := r.do(t, http.MethodPost, c.path, token, c.body)
		if status != c.status || code(body) != c.code {
			t.Errorf("%.60s: %d %s", c.body, status, body)
		}
	}
	if len(r.asked)+len(r.plans) > 0 {
		t.Error("a refused call reached the sessions")
	}
}

func TestPlanHelloAndReady(t *testing.T) {
	r := serve(t, nil)
	c := r.bridge()
	hello, err := c.Hello(t.Context(), "1.2.3")
	want := bridge.HelloReply{Protocol: 1, Version: app.Version, Family: "claude", Profile: "default",
		ToolPrefix: "mcp__parley-interaction__", MayAsk: true, MayPlan: true, CallLimitMS: 3_630_000}
	if diff := cmp.Diff(want, hello); err != nil || diff != "" {
		t.Errorf("hello: %v (-want +got):\n%s", err, diff)
	}
	if err := c.Ready(t.Context(), bridge.ReadyRequest{Tools: []string{"a", "b"}}); err != nil {
		t.Errorf("ready: %v", err)
	}
	if tools := within(t, "the list", r.listed); len(tools) != 2 {
		t.Errorf("listed %q", tools)
	}
	plan, err := c.Plan(t.Context(), bridge.PlanRequest{Call: bridge.Call{Meta: "{}"}, ContextID: "pctx_1", Explanation: "why",
		Plan: []bridge.PlanStep{{ID: "1", Step: "read", Status: "completed"}}})
	if err != nil || plan != (bridge.PlanReply{PlanID: "plan-1", Revision: 3}) {
		t.Errorf("plan: %+v, %v", plan, err)
	}
	got := within(t, "a plan", r.plans)
	if got.launchID != launch.ID || got.contextID != "pctx_1" || got.meta != "{}" || got.explanation != "why" ||
		len(got.steps) != 1 || got.steps[0] != (app.PlanStep{ID: "1", Step: "read", Status: app.StepCompleted}) {
		t.Errorf("stored %+v", got)
	}
}

// TestAnotherVersionIsRefusedAndReported.
func TestAnotherVersionIsRefusedAndReported(t *testing.T) {
	r := serve(t, nil)
	status, body := r.do(t, http.MethodPost, bridge.PathHello, token, `{"protocol":0,"version":"0.9"}`)
	if status != 409 || code(body) != "version_mismatch" || !strings.Contains(body, "Restart this agent in Parley") {
		t.Errorf("%d %s", status, body)
	}
	if h := within(t, "the report", r.outdated); h.Version != "0.9" {
		t.Errorf("reported %+v", h)
	}
}

// TestTwentyAtOnce: each gets its own answer.
func TestTwentyAtOnce(t *testing.T) {
	r := serve(t, nil)
	c := r.bridge()
	calls := map[string]<-chan clarified{}
	for i := range 20 {
		id := fmt.Sprint("pctx_", i)
		calls[id] = clarify(t.Context(), c, bridge.ClarifyRequest{ContextID: id, Question: "the same text"})
	}
	for range 20 {
		a := r.question(t)
		a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "for " + a.contextID}
	}
	for id, call := range calls {
		if got := within(t, "an answer", call); got.err != nil || got.Response != "for "+id {
			t.Errorf("%s got %+v", id, got)
		}
	}
}

// TestASecondQuestionOfASessionIsRefused and the first goes on.
func TestASecondQuestionOfASessionIsRefused(t *testing.T) {
	r := serve(t, nil)
	c := r.bridge()
	first := clarify(t.Context(), c, greeting)
	a := r.question(t)
	second := within(t, "the refusal", clarify(t.Context(), c, greeting))
	if refused, ok := errors.AsType[*bridge.Error](second.err); !ok || refused.Code != "already_pending" || refused.Status != 409 {
		t.Errorf("second: %+v", second)
	}
	a.answer <- app.Outcome{Reason: app.ReasonResponse, Response: "Ahoy"}
	if got := within(t, "the answer", first); got.Response != "Ahoy" {
		t.Errorf("first: %+v", got)
	}
}
