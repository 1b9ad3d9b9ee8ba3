package core_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
)

var ctx = context.Background()

func create(t *testing.T, c *api.Client, n api.NewSession) app.Session {
	t.Helper()
	n.Agent, n.Fast = "demo", true
	s, err := c.CreateSession(ctx, n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t *testing.T, c *api.Client, id app.SessionID, text string) app.TurnID {
	t.Helper()
	r, err := c.Send(ctx, id, api.NewMessage{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return r.TurnID
}

func hello(t *testing.T, s app.Session) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(s.Cwd, "hello.html"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(page)
}

// The whole way: the demo agent is launched with our server, plans, asks, waits,
// gets the answer and writes the page; the record holds what the stream said.
func TestQuestionIsAskedAnsweredAndActedUpon(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, s.ID, "Make me a page")
	in := tape.Asked(turn, app.KindClarify)
	if in.SessionID != s.ID || in.Agent != "demo" || in.SessionTitle != "Make me a page" || len(in.Options) != 3 || !in.Options[0].Recommended ||
		in.PlanStep != "2/4 Ask which greeting to use" || !strings.Contains(in.SaidBefore, "your decision") || in.DeadlineAt <= in.RequestedAt {
		t.Fatalf("asked %+v", in)
	}
	if got, err := b.Client.Session(ctx, s.ID); err != nil || got.State != app.StateWaiting || got.WaitingFor != 1 || !got.Live {
		t.Fatalf("session %+v, %v", got, err)
	}
	if hello(t, s) != "" {
		t.Fatal("the page was written before the answer")
	}
	reply, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Selected: []string{"Good day"}})
	if err != nil || !reply.Accepted || reply.Late {
		t.Fatalf("answered %+v, %v", reply, err)
	}
	end := tape.Ended(turn)
	if end.Status != app.TurnCompleted || end.WaitedMS < 0 || end.WaitedMS > end.DurationMS {
		t.Fatalf("ended %+v", end)
	}
	if page := hello(t, s); !strings.Contains(page, "Good day") {
		t.Fatalf("the page is %q", page)
	}
	rec, err := b.Client.Interaction(ctx, in.ID)
	if err != nil || rec.Outcome == nil || rec.Outcome.Reason != app.ReasonResponse || rec.Outcome.By != app.ByCLI || rec.DeliveredAt == 0 {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
	got, err := b.Client.Session(ctx, s.ID)
	if err != nil || got.State != app.StateIdle || got.LastStatus != app.TurnCompleted {
		t.Fatalf("session %+v, %v", got, err)
	}

	// The record and the stream agree, event by event.
	page, err := b.Client.Events(ctx, s.ID, 0, 0, 500)
	if err != nil || page.Through != got.LastSeq {
		t.Fatalf("timeline through %d of %d, %v", page.Through, got.LastSeq, err)
	}
	streamed := slices.DeleteFunc(tape.All(), func(e app.Event) bool { return !e.Durable() || e.SessionID != s.ID })
	for i, e := range page.Events {
		if i >= len(streamed) || e.Seq != streamed[i].Seq || e.Type != streamed[i].Type {
			t.Fatalf("event %d is %s in the record; streamed %d events", e.Seq, e.Type, len(streamed))
		}
	}
	for _, want := range []app.EventType{app.EventPlanUpdated, app.EventFileChanged, app.EventToolCompleted, app.EventMessageCompleted} {
		if !slices.ContainsFunc(page.Events, func(e app.Event) bool { return e.Type == want && e.TurnID == turn }) {
			t.Errorf("no %s in the record", want)
		}
	}
}

// What a person does not consent to is not done: each end of a question but an
// answer leaves the page unwritten.
func TestNoAnswerIsNoConsent(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)

	dismissed := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, dismissed.ID, "Make me a page")
	in := tape.Asked(turn, app.KindClarify)
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusCancelled}); err != nil {
		t.Fatal(err)
	}
	tape.Ended(turn)

	stopped := create(t, b.Client, api.NewSession{})
	turn = send(t, b.Client, stopped.ID, "Make me a page")
	in = tape.Asked(turn, app.KindClarify)
	if err := b.Client.Stop(ctx, stopped.ID); err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(turn); end.Status != app.TurnInterrupted {
		t.Fatalf("ended %+v", end)
	}
	if rec, err := b.Client.Interaction(ctx, in.ID); err != nil || rec.Outcome == nil || rec.Outcome.Cause != app.CauseTurnStopped {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
	if hello(t, dismissed) != "" || hello(t, stopped) != "" {
		t.Fatal("a page was written without an answer")
	}
}

func TestPermissionIsAsked(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	turn := send(t, b.Client, s.ID, "approve")
	in := tape.Asked(turn, app.KindApproval)
	if in.Approval == nil || !slices.Contains(in.Approval.Scopes, app.ActionAllowOnce) {
		t.Fatalf("asked %+v", in)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Action: app.ActionDeny, Reason: "not now"}); err != nil {
		t.Fatal(err)
	}
	if end := tape.Ended(turn); end.Status != app.TurnCompleted {
		t.Fatalf("ended %+v", end)
	}
	tape.Wait("the refusal in words", func(e app.Event) bool {
		d, ok := apptest.Data[app.MessageText](e)
		return ok && strings.Contains(d.Text, "did not allow")
	})
}
