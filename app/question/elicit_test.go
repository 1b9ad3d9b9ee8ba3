package question_test

import (
	"context"
	"testing"

	"parley/app"
)

// elicitation asks for how many: of two or three, when it is required.
func (w *world) elicitation() app.Interaction {
	two, three := 2, 3
	return app.Interaction{
		Kind: app.KindElicitation, SessionID: w.session, RunID: w.turn, Question: "Which?", Server: "shop",
		Questions: []app.Field{{
			ID: "tops", Question: "Toppings", Type: app.FieldChoice, MultiSelect: true, MinItems: &two, MaxItems: &three,
			Options: []app.Option{{Label: "A", Value: "a"}, {Label: "B", Value: "b"}, {Label: "C", Value: "c"}, {Label: "D", Value: "d"}},
		}},
	}
}

// Accept, decline and cancel are three answers, and no one stands for another.
func TestThreeAnswersToAnElicitation(t *testing.T) {
	for name, c := range map[string]struct {
		answer app.Answer
		want   []any // reason, action
	}{
		"accept":  {app.Answer{Status: app.StatusAnswered, Action: app.ActionAccept, Answers: map[string][]string{"tops": {"a", "C"}}}, []any{app.ReasonResponse, app.ActionAccept}},
		"empty":   {app.Answer{Status: app.StatusAnswered, Action: app.ActionAccept}, []any{app.ReasonResponse, app.ActionAccept}}, // nothing in it is required
		"decline": {app.Answer{Status: app.StatusAnswered, Action: app.ActionDecline, Reason: "no"}, []any{app.ReasonResponse, app.ActionDecline}},
		"cancel":  {app.Answer{Status: app.StatusCancelled}, []any{app.ReasonDismissed, app.Action("")}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				q := w.ask(w.elicitation())
				c.answer.InteractionID = q.id
				_, err := w.Answer(context.Background(), c.answer)
				w.must(err)
				out := q.wait()
				equal(t, []any{out.Reason, out.Action}, c.want)
				if name != "accept" {
					equal(t, len(out.Answers), 0)
				} else {
					equal(t, out.Answers, map[string][]string{"tops": {"a", "c"}}) // the server's own values, in its order
				}
			})
		})
	}
}

func TestHowManyMayBeChosen(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		q := w.ask(w.elicitation())
		accept := func(values ...string) error {
			_, err := w.Answer(context.Background(), app.Answer{InteractionID: q.id, Status: app.StatusAnswered, Action: app.ActionAccept,
				Answers: map[string][]string{"tops": values}})
			return err
		}
		for _, values := range [][]string{{"a"}, {"a", "A"}, {"a", "b", "c", "d"}} {
			wantCode(t, accept(values...), app.CodeInvalidArgument)
			equal(t, q.ended(), false)
		}
		w.must(accept("d", "a", "b"))
		equal(t, q.wait().Answers, map[string][]string{"tops": {"a", "b", "d"}})
	})
}

// What a person sees as "2" the server may call "1", which is what it calls another
// option by: the one that was taken is the one that is told.
func TestAValueThatIsAnothersLabel(t *testing.T) {
	in := func(w *world) app.Interaction {
		in := w.elicitation()
		in.Questions = []app.Field{{ID: "n", Question: "How many?", Type: app.FieldChoice,
			Options: []app.Option{{Label: "1", Value: "0"}, {Label: "2", Value: "1"}, {Label: "3", Value: "2"}}}}
		return in
	}
	for given, want := range map[string][]string{"0": {"0", "1"}, "1": {"1", "2"}, "2": {"2", "3"}, "3": {"2", "3"}} {
		inWorld(t, func(t *testing.T, w *world) {
			q := w.ask(in(w))
			_, err := w.Answer(context.Background(), app.Answer{InteractionID: q.id, Status: app.StatusAnswered, Action: app.ActionAccept,
				Answers: map[string][]string{"n": {given}}})
			w.must(err)
			out := q.wait()
			equal(t, []string{out.Answers["n"][0], out.Response}, want)
		})
	}
}
