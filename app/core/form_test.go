package core_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/app/apptest/backend"
	"parley/app/core"
)

// answerTo is an answer as a client sends it that looks at the form.
func answerTo(in app.Interaction) app.Answer {
	return app.Answer{InteractionID: in.ID, SessionID: in.SessionID, Type: app.FormType, ToolUseID: in.ToolUseID, Status: app.StatusAnswered}
}

// said is what the agent said in a turn.
func said(tape *apptest.Tape, turn app.TurnID) string {
	var all []string
	for _, e := range tape.All() {
		if m, ok := apptest.Data[app.MessageText](e); ok && e.TurnID == turn && e.Type == app.EventMessageCompleted {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

// A form ends the run, costs nothing while it waits, survives a kill -9 of the
// back end and three days on the clock, and its answer goes on in the same conversation.
func TestAFormEndsTheRunAndItsAnswerResumesIt(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	first := startBackend(t, dirs)
	client := api.Dial(dirs.Socket())
	tape := apptest.Follow(t, client)
	s := create(t, client, api.NewSession{})
	turn := send(t, client, s.ID, "form")
	in := tape.Asked(turn, app.KindForm)
	if len(in.Questions) != 3 || in.DeadlineAt != 0 || in.ToolUseID == "" || !in.Questions[0].Options[0].Recommended ||
		!slices.Equal(in.Questions[1].Default, []string{"unit tests"}) || in.Questions[2].Type != app.FieldText || !strings.Contains(in.SaidBefore, "decide") {
		t.Fatalf("asked %+v", in)
	}
	end := tape.Ended(turn)
	if end.Status != app.TurnDeferred || end.StopReason != "tool_deferred" || end.Problem != nil {
		t.Fatalf("ended %+v", end)
	}
	var payload app.FormPayload
	for _, e := range tape.All() {
		if d, ok := apptest.Data[app.ToolCompleted](e); ok && d.RenderPayload != nil {
			if err := json.Unmarshal(d.RenderPayload, &payload); err != nil || d.ToolID != in.ToolUseID || d.Status != app.ToolOK {
				t.Fatalf("completed %+v, %v", d, err)
			}
		}
	}
	if payload.Type != app.FormType || payload.AskID != in.ID || payload.ToolUseID != in.ToolUseID || payload.TaskID != s.ID || payload.SubtaskID != turn || len(payload.Questions) != 3 {
		t.Fatalf("payload %+v", payload)
	}
	tape.Wait("the end of the agent in the session", func(e app.Event) bool {
		d, ok := apptest.Data[app.Session](e)
		return ok && d.ID == s.ID && d.WaitingFor == 1 && !d.Live
	})
	if got, err := client.Session(ctx, s.ID); err != nil || got.State != app.StateIdle || got.WaitingFor != 1 || got.Live {
		t.Fatalf("while it waits: %+v, %v", got, err)
	}
	if _, err := client.Send(ctx, s.ID, api.NewMessage{Text: "say hello"}); app.ErrorCode(err) != app.CodePendingForm {
		t.Fatalf("a message was let through: %v", err)
	}
	if _, err := client.Resume(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()

	conf := backend.Config(t, dirs)
	conf.Now = func() time.Time { return time.Now().Add(72 * time.Hour) }
	later, err := core.Open(ctx, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close(ctx)
	client = api.Dial(dirs.Socket())
	tape = apptest.Follow(t, client)
	if waiting, err := client.Interaction(ctx, in.ID); err != nil || !waiting.Waiting() {
		t.Fatalf("after three days: %+v, %v", waiting, err)
	}

	// Every answer that isn't one is refused, and the form stays as it is.
	refuse := func(what string, code app.Code, change func(*app.Answer)) {
		t.Helper()
		a := answerTo(in)
		a.Answers = map[string][]string{"branch": {"main"}}
		change(&a)
		if _, err := client.Answer(ctx, a); app.ErrorCode(err) != code {
			t.Errorf("%s: %v", what, err)
		}
	}
	refuse("no type", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Type = "" })
	refuse("another type", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Type = "clarify" })
	refuse("no call", app.CodeFormToolRequired, func(a *app.Answer) { a.ToolUseID = "" })
	refuse("another call", app.CodeFormToolMismatch, func(a *app.Answer) { a.ToolUseID = "call-0" })
	refuse("a required one left out", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Answers = nil })
	refuse("an unknown question", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Answers["other"] = []string{"x"} })
	refuse("an unknown choice", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Answers["branch"] = []string{"dev"} })
	refuse("two for one", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Answers["branch"] = []string{"main", "stable"} })
	refuse("another session", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.SessionID = "other" })
	refuse("no status", app.CodeInvalidFormAnswer, func(a *app.Answer) { a.Status = "" })
	refuse("no such form", app.CodeFormNotPending, func(a *app.Answer) { a.InteractionID = "01900000-0000-7000-8000-000000000000" })

	a := answerTo(in)
	a.Answers = map[string][]string{"branch": {"main"}, "checks": {"lint"}}
	a.Typed = map[string]string{"checks": "smoke test"}
	reply, err := client.Answer(ctx, a)
	if err != nil || reply.TurnID == "" || reply.Late {
		t.Fatalf("answered %+v, %v", reply, err)
	}
	if end := tape.Ended(reply.TurnID); end.Status != app.TurnCompleted {
		t.Fatalf("the answer's turn ended %+v", end)
	}
	want := `{"answers":{"branch":["main"],"checks":["lint","smoke test"],"note":""},"typed":{"checks":"smoke test"}}`
	if text := said(tape, reply.TurnID); !strings.Contains(text, want) {
		t.Errorf("the agent got %q, not %s", text, want)
	}
	rec, err := client.Interaction(ctx, in.ID)
	if err != nil || rec.Outcome.Reason != app.ReasonResponse || rec.DeliveredAt == 0 || rec.Outcome.Typed["checks"] != "smoke test" {
		t.Fatalf("recorded %+v, %v", rec, err)
	}
	if got, err := client.Session(ctx, s.ID); err != nil || got.WaitingFor != 0 || got.LastStatus != app.TurnCompleted {
		t.Fatalf("afterwards %+v, %v", got, err)
	}
	if _, err := client.Answer(ctx, a); app.ErrorCode(err) != app.CodeAlreadyResolved {
		t.Errorf("a second answer: %v", err)
	}
	again := send(t, client, s.ID, "say once more")
	if end := tape.Ended(again); end.Status != app.TurnCompleted || strings.Contains(said(tape, again), "You answered the form") {
		t.Errorf("the next turn ended %+v and said %q", end, said(tape, again))
	}
}

// Closing a form is no approval: without a message nothing runs and the next
// message says it first; with one they go out together.
func TestAFormIsClosed(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	show := func() (app.Session, app.Interaction) {
		s := create(t, b.Client, api.NewSession{})
		turn := send(t, b.Client, s.ID, `form {"questions":["Really delete it?"]}`)
		in := tape.Asked(turn, app.KindForm)
		tape.Ended(turn)
		return s, in
	}
	s, in := show()
	a := answerTo(in)
	a.Status, a.Message = app.StatusCancelled, "say do something else"
	reply, err := b.Client.Answer(ctx, a)
	if err != nil || reply.TurnID == "" {
		t.Fatalf("closed with a message: %+v, %v", reply, err)
	}
	tape.Ended(reply.TurnID)
	text := said(tape, reply.TurnID)
	if closed, other := strings.Index(text, "without an answer (dismissed)"), strings.Index(text, "do something else"); closed < 0 || other < closed {
		t.Errorf("the agent said %q", text)
	}

	s, in = show()
	a = answerTo(in)
	a.Status = app.StatusCancelled
	if reply, err = b.Client.Answer(ctx, a); err != nil || reply.TurnID != "" || reply.Outcome.Reason != app.ReasonDismissed {
		t.Fatalf("closed: %+v, %v", reply, err)
	}
	if got, err := b.Client.Session(ctx, s.ID); err != nil || got.State != app.StateIdle || got.WaitingFor != 0 {
		t.Fatalf("something runs after a form was closed: %+v, %v", got, err)
	}
	turn := send(t, b.Client, s.ID, "say next")
	tape.Ended(turn)
	if text := said(tape, turn); !strings.Contains(text, "without an answer (dismissed)") || !strings.Contains(text, "next") {
		t.Errorf("the next message told %q", text)
	}

	// A closed session takes its form along.
	s, in = show()
	if _, err := b.Client.Close(ctx, s.ID); err != nil {
		t.Fatal(err)
	}
	if rec, err := b.Client.Interaction(ctx, in.ID); err != nil || rec.Waiting() || rec.Outcome.Cause != app.CauseSessionClosed || rec.TakesLate() {
		t.Errorf("after its session was closed: %+v, %v", rec, err)
	}
}

// What was queued before the form waits for it, in order, and comes after it.
func TestTheQueueWaitsForAForm(t *testing.T) {
	b := backend.Open(t, apptest.Home(t))
	tape := apptest.Follow(t, b.Client)
	s := create(t, b.Client, api.NewSession{})
	first := send(t, b.Client, s.ID, "ask 1")
	question := tape.Asked(first, app.KindClarify)
	turn := send(t, b.Client, s.ID, `form {"questions":[{"id":"go","question":"Go on?","options":["yes","no"]}]}`)
	behind := []app.TurnID{send(t, b.Client, s.ID, "say one"), send(t, b.Client, s.ID, "say two")}
	noForm := app.Answer{InteractionID: question.ID, Type: app.FormType, ToolUseID: "call-1", Status: app.StatusAnswered, Text: "yes"}
	if _, err := b.Client.Answer(ctx, noForm); app.ErrorCode(err) != app.CodeFormNotPending {
		t.Errorf("an answer to a form that is none: %v", err)
	}
	if _, err := b.Client.Answer(ctx, app.Answer{InteractionID: question.ID, Status: app.StatusAnswered, Text: "yes"}); err != nil {
		t.Fatal(err)
	}
	in := tape.Asked(turn, app.KindForm)
	tape.Ended(turn)
	got, err := b.Client.Session(ctx, s.ID)
	if err != nil || len(got.Queued) != 2 || !got.Queued[0].Held || !got.Queued[1].Held {
		t.Fatalf("the queue %+v, %v", got.Queued, err)
	}
	a := answerTo(in)
	a.Answers = map[string][]string{"go": {"yes"}}
	reply, err := b.Client.Answer(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	var order []app.TurnID
	tape.Ended(behind[1])
	for _, e := range tape.All() {
		if e.Type == app.EventTurnStarted && e.SessionID == s.ID {
			order = append(order, e.TurnID)
		}
	}
	if want := append([]app.TurnID{first, turn, reply.TurnID}, behind...); !slices.Equal(order, want) {
		t.Errorf("began in the order %v, not %v", order, want)
	}
	if text := said(tape, reply.TurnID); !strings.Contains(text, `{"answer":["yes"]}`) {
		t.Errorf("the agent got %q", text)
	}
}

// An earlier question was cut off, and its late answer comes while a form waits:
// it is taken, goes out behind the form's own answer, and settles nothing before.
func TestALateAnswerWaitsBehindAForm(t *testing.T) {
	needsProc(t)
	dirs := apptest.Home(t)
	first := startBackend(t, dirs)
	client := api.Dial(dirs.Socket())
	s := create(t, client, api.NewSession{})
	question := apptest.Follow(t, client).Asked(send(t, client, s.ID, "ask 1"), app.KindClarify)
	if err := first.Process.Kill(); err != nil { // what cuts the question off
		t.Fatal(err)
	}
	first.Wait()
	b := backend.Open(t, dirs)
	tape := apptest.Follow(t, b.Client)
	turn := send(t, b.Client, s.ID, `form {"questions":[{"id":"go","question":"Go on?","options":["yes","no"]}]}`)
	form := tape.Asked(turn, app.KindForm)
	tape.Ended(turn)

	late, err := b.Client.Answer(ctx, app.Answer{InteractionID: question.ID, SessionID: s.ID, Status: app.StatusAnswered, Text: "say rather not"})
	if err != nil || !late.Late || late.TurnID == "" {
		t.Fatalf("the late answer: %+v, %v", late, err)
	}
	got, err := b.Client.Session(ctx, s.ID)
	if err != nil || got.State != app.StateIdle || len(got.Queued) != 1 || got.Queued[0].TurnID != late.TurnID {
		t.Fatalf("while the form waits: %+v, %v", got, err)
	}
	if rec, err := b.Client.Interaction(ctx, form.ID); err != nil || !rec.Waiting() {
		t.Fatalf("the form: %+v, %v", rec, err)
	}
	if rec, err := b.Client.Interaction(ctx, question.ID); err != nil || rec.Late == nil || rec.DeliveredAt != 0 {
		t.Fatalf("the question: %+v, %v", rec, err)
	}
	if _, err := b.Client.Send(ctx, s.ID, api.NewMessage{Text: "say hello"}); app.ErrorCode(err) != app.CodePendingForm {
		t.Errorf("a message was let through behind it: %v", err)
	}

	a := answerTo(form)
	a.Answers = map[string][]string{"go": {"yes"}}
	reply, err := b.Client.Answer(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	tape.Asked(late.TurnID, app.KindClarify) // the demo agent makes of it what it makes of any message
	var order []app.TurnID
	for _, e := range tape.All() {
		if e.Type == app.EventTurnStarted && e.SessionID == s.ID {
			order = append(order, e.TurnID)
		}
	}
	if want := []app.TurnID{turn, reply.TurnID, late.TurnID}; !slices.Equal(order, want) {
		t.Errorf("began in the order %v, not %v", order, want)
	}
	if text := said(tape, reply.TurnID); !strings.Contains(text, `{"answer":["yes"]}`) || strings.Contains(text, "rather not") {
		t.Errorf("the form's answer told %q", text)
	}
	if rec, err := b.Client.Interaction(ctx, question.ID); err != nil || rec.DeliveredAt == 0 {
		t.Errorf("the late answer went out, and the record says %+v, %v", rec, err)
	}
}
