package question_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/question"
)

func (w *world) form() app.Interaction {
	w.t.Helper()
	in := w.clarify()
	in.ID, in.Kind, in.ToolUseID, in.Question, in.Options, in.Choices = newID(), app.KindForm, "call-1", "", nil, nil
	in.Questions = []app.Field{{ID: "q", Question: "Q?", Type: app.FieldChoice, Required: true, FreeText: true,
		Options: []app.Option{{Label: "A", Value: "a"}, {Label: "B", Value: "b"}}}}
	w.must(w.Show(context.Background(), in))
	return in
}

func (w *world) answerForm(in app.Interaction, value string) (app.Reply, error) {
	return w.Answer(context.Background(), app.Answer{
		InteractionID: in.ID, Type: app.FormType, ToolUseID: in.ToolUseID, Status: app.StatusAnswered,
		Answers: map[string][]string{"q": {value}}, By: app.ByWindow,
	})
}

// However many windows send at once, one answer is accepted, it is queued once,
// and all others learn what was accepted.
func TestAFormIsAnsweredOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.form()
		w.must(w.records.EndTurn(context.Background(), w.turn, app.TurnEnded{Status: app.TurnDeferred}))
		const windows = 20
		replies, errs := make([]app.Reply, windows), make([]error, windows)
		var all sync.WaitGroup
		for i := range windows {
			all.Go(func() { replies[i], errs[i] = w.answerForm(in, []string{"a", "b"}[i%2]) })
		}
		all.Wait()
		accepted := 0
		var won app.Reply
		for i := range windows {
			if errs[i] == nil {
				accepted++
				won = replies[i]
			}
		}
		equal(t, accepted, 1)
		for _, err := range errs {
			if taken, ok := errors.AsType[*question.Resolved](err); err != nil && (!ok || taken.Outcome.Answers["q"][0] != won.Outcome.Answers["q"][0]) {
				t.Errorf("the others are told %v", err)
			}
		}
		queue, err := w.records.Queue(context.Background(), w.session)
		w.must(err)
		equal(t, len(queue), 1)
		equal(t, queue[0].ID, won.TurnID)
		equal(t, queue[0].Form, in.ID)
	})
}

// An answer that the record can't take leaves the form as it was, with its
// draft, and can be given again.
func TestAFormOutlivesAFullDisk(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.form()
		w.draft(in.ID, app.Draft{Revision: 1, Answers: map[string][]string{"q": {"a"}}})
		w.records.failOn("settleform")
		_, err := w.answerForm(in, "a")
		wantCode(t, err, app.CodeStorageFailed)
		kept := w.get(in.ID)
		equal(t, kept.Waiting(), true)
		equal(t, kept.Draft.Answers["q"], []string{"a"})
		w.records.failOn()
		reply, err := w.answerForm(in, "a")
		w.must(err)
		equal(t, reply.Accepted, true)
	})
}

// A form has no time limit, and asking for more gives none.
func TestAFormHasNoTimeLimit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		in := w.form()
		w.sleep(72 * time.Hour)
		kept := w.get(in.ID)
		equal(t, []any{kept.Waiting(), kept.DeadlineAt, kept.RemainingTimeoutMS}, []any{true, int64(0), int64(0)})
		more, err := w.MoreTime(context.Background(), in.ID)
		w.must(err)
		equal(t, more.DeadlineAt, int64(0))
	})
}
