package question_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
)

// TestAnswersByKind gives each kind of interaction answers that fit and that
// don't: what fits has one outcome, what doesn't is refused with the field, and
// the interaction stays open.
func TestAnswersByKind(t *testing.T) {
	multi := app.Interaction{Kind: app.KindClarify, MultiSelect: true, Question: "Which?", Options: []app.Option{{Label: "a"}, {Label: "b"}, {Label: "c"}}}
	free := app.Interaction{Kind: app.KindClarify, Question: "What?"}
	approval := app.Interaction{Kind: app.KindApproval, Approval: &app.Approval{Scopes: []app.Action{app.ActionAllowOnce, app.ActionAllowSession}}}
	two := app.Interaction{Kind: app.KindNative, Questions: []app.Field{
		{ID: "q1", Question: "Which?", Type: app.FieldChoice, Options: []app.Option{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}, Required: true, FreeText: true},
		{ID: "q2", Question: "Why?", Type: app.FieldText, FreeText: true},
	}}
	one := app.Interaction{Kind: app.KindNative, Questions: two.Questions[:1]}
	several := app.Interaction{Kind: app.KindNative, Questions: []app.Field{
		{ID: "q", Question: "Which?", Type: app.FieldChoice, MultiSelect: true, FreeText: true, Options: []app.Option{{Label: "a"}, {Label: "b"}}},
	}}
	n := func(f float64) *float64 { return &f }
	elicit := app.Interaction{Kind: app.KindElicitation, Questions: []app.Field{
		{ID: "env", Question: "Where?", Type: app.FieldChoice, Options: []app.Option{{Label: "Production", Value: "prod"}}, Required: true},
		{ID: "ok", Type: app.FieldBoolean},
		{ID: "count", Type: app.FieldInteger, Minimum: n(1), Maximum: n(9)},
		{ID: "rate", Type: app.FieldNumber, Minimum: n(0.5)},
		{ID: "mail", Type: app.FieldText, Format: "email"},
		{ID: "site", Type: app.FieldText, Format: "uri"},
		{ID: "day", Type: app.FieldText, Format: "date"},
		{ID: "at", Type: app.FieldText, Format: "date-time"},
		{ID: "name", Type: app.FieldText, MinLength: new(2), MaxLength: new(4)},
	}}
	link := app.Interaction{Kind: app.KindElicitation, URL: "https://example.org/login"}
	with := func(id string, values ...string) app.Answer {
		return app.Answer{Action: app.ActionAccept, Answers: map[string][]string{"env": {"prod"}, id: values}}
	}
	response := func(text string, selected ...string) app.Outcome {
		if selected == nil {
			selected = []string{}
		}
		return app.Outcome{Reason: app.ReasonResponse, Cause: app.CausePerson, Response: text, Selected: selected}
	}
	typed := func(out app.Outcome, text string) app.Outcome { out.Text = text; return out }
	acted := func(action app.Action, note string) app.Outcome {
		out := response("")
		out.Action, out.Note = action, note
		return out
	}
	fields := func(out app.Outcome, answers map[string][]string, typed map[string]string) app.Outcome {
		out.Answers, out.Typed = answers, typed
		return out
	}
	dismissed := app.Outcome{Reason: app.ReasonDismissed, Cause: app.CausePerson, Selected: []string{}}
	type answers = map[string][]string
	type texts = map[string]string

	cases := map[string]struct {
		in    app.Interaction
		a     app.Answer
		want  app.Outcome
		field string // of the refusal
	}{
		"choices in their own order": {in: multi, a: app.Answer{Selected: []string{"c", "a", "c"}}, want: response("a\nc", "a", "c")},
		"choices and text":           {in: multi, a: app.Answer{Selected: []string{"b"}, Text: "but\nslowly "}, want: typed(response("b\nbut\nslowly", "b"), "but\nslowly")},
		"text beside choices":        {in: multi, a: app.Answer{Text: "d"}, want: typed(response("d"), "d")},
		"text alone":                 {in: free, a: app.Answer{Text: "问题🤔 1 2 3"}, want: typed(response("问题🤔 1 2 3"), "问题🤔 1 2 3")},
		"wrong bytes":                {in: free, a: app.Answer{Text: "a\xffb"}, want: typed(response("a\uFFFDb"), "a\uFFFDb")},
		"what was not offered":       {in: multi, a: app.Answer{Selected: []string{"a", "d"}}, field: "selected"},
		"choice where none is":       {in: free, a: app.Answer{Selected: []string{"a"}}, field: "selected"},
		"two of a single choice":     {in: app.Interaction{Kind: app.KindClarify, Options: multi.Options}, a: app.Answer{Selected: []string{"a", "b"}}, field: "selected"},
		"too many choices":           {in: multi, a: app.Answer{Selected: make([]string, 1001)}, field: "selected"},
		"too long":                   {in: free, a: app.Answer{Text: strings.Repeat("长", 100_001)}, field: "text"},
		"a file only": {in: free, a: app.Answer{Files: []app.Attachment{{Name: "a.png", Path: "/pictures/a.png"}}},
			want: func() app.Outcome {
				out := response("/pictures/a.png")
				out.Files = []app.Attachment{{Name: "a.png", Path: "/pictures/a.png"}}
				return out
			}()},
		"too many files":                    {in: free, a: app.Answer{Files: make([]app.Attachment, 21)}, field: "files"},
		"another kind's action is not read": {in: free, a: app.Answer{Action: app.ActionAllowAlways, Text: "x"}, want: typed(response("x"), "x")},
		"another kind's action alone":       {in: free, a: app.Answer{Action: app.ActionAllowOnce}, field: "action"},
		"another kind's answers alone":      {in: multi, a: app.Answer{Answers: answers{"q1": {"a"}}}, field: "answers"},
		"another kind's text alone":         {in: multi, a: app.Answer{Typed: texts{"q1": "a"}, Text: " "}, field: "typed"},
		"a reason alone":                    {in: free, a: app.Answer{Reason: "because"}, field: "reason"},
		"a message alone":                   {in: free, a: app.Answer{Message: "do this"}, field: "message"},
		"nothing at all":                    {in: free, a: app.Answer{Text: " "}, want: dismissed},
		"nothing to be seen":                {in: free, a: app.Answer{Text: "\u2800\u3164\ufe0f"}, want: dismissed},

		"allow once":           {in: approval, a: app.Answer{Action: app.ActionAllowOnce}, want: acted(app.ActionAllowOnce, "")},
		"allow session":        {in: approval, a: app.Answer{Action: app.ActionAllowSession}, want: acted(app.ActionAllowSession, "")},
		"beyond what CLI can":  {in: approval, a: app.Answer{Action: app.ActionAllowAlways}, field: "action"},
		"deny with a reason":   {in: approval, a: app.Answer{Action: app.ActionDeny, Reason: " use make "}, want: acted(app.ActionDeny, "use make")},
		"deny and say":         {in: approval, a: app.Answer{Action: app.ActionDeny, Text: "use make"}, want: acted(app.ActionDeny, "use make")},
		"no decision":          {in: approval, a: app.Answer{Text: "yes"}, field: "action"},
		"a label is no action": {in: approval, a: app.Answer{Selected: []string{"allow_once"}}, field: "action"},
		"too long a reason":    {in: approval, a: app.Answer{Action: app.ActionDeny, Reason: strings.Repeat("x", 4001)}, field: "reason"},
		"accept is no allow":   {in: approval, a: app.Answer{Action: app.ActionAccept}, field: "action"},

		"both questions": {in: two, a: app.Answer{Answers: answers{"q1": {"Two"}}, Typed: texts{"q1": "or three", "q2": " because "}},
			want: fields(response("Which? Two, or three\nWhy? because"), answers{"q1": {"2", "or three"}, "q2": {"because"}}, texts{"q1": "or three", "q2": "because"})},
		"by value":             {in: two, a: app.Answer{Answers: answers{"q1": {"1"}, "q2": {"x"}}}, want: fields(response("Which? One\nWhy? x"), answers{"q1": {"1"}, "q2": {"x"}}, texts{"q2": "x"})},
		"optional left out":    {in: two, a: app.Answer{Answers: answers{"q1": {"1"}, "q2": {" "}}}, want: fields(response("Which? One"), answers{"q1": {"1"}}, texts{})},
		"required left out":    {in: two, a: app.Answer{Typed: texts{"q2": "x"}}, field: "answers.q1"},
		"an action to fields":  {in: two, a: app.Answer{Action: app.ActionAccept}, field: "action"},
		"blanks everywhere":    {in: two, a: app.Answer{Answers: answers{"q2": {" "}}, Typed: texts{"q1": "\t"}}, want: dismissed},
		"unknown question":     {in: two, a: app.Answer{Answers: answers{"q1": {"1"}, "q3": {"x"}}}, field: "answers.q3"},
		"unknown typed":        {in: two, a: app.Answer{Typed: texts{"zz": "x"}}, field: "typed.zz"},
		"which of the two":     {in: two, a: app.Answer{Text: "x"}, field: "answers"},
		"not offered there":    {in: two, a: app.Answer{Answers: answers{"q1": {"Three"}}}, field: "answers.q1"},
		"two values of one":    {in: two, a: app.Answer{Answers: answers{"q1": {"1"}, "q2": {"x", "y"}}}, field: "answers.q2"},
		"two texts of one":     {in: two, a: app.Answer{Answers: answers{"q1": {"1"}, "q2": {"x"}}, Typed: texts{"q2": "y"}}, field: "answers.q2"},
		"without its id":       {in: one, a: app.Answer{Selected: []string{"Two"}, Text: "quick"}, want: typed(fields(response("Two\nquick", "Two"), answers{"q1": {"2", "quick"}}, texts{"q1": "quick"}), "quick")},
		"multi without its id": {in: several, a: app.Answer{Selected: []string{"b", "a"}}, want: fields(response("a\nb", "a", "b"), answers{"q": {"a", "b"}}, texts{})},
		"long answer of one":   {in: two, a: app.Answer{Answers: answers{"q2": {strings.Repeat("x", 100_001)}}}, field: "answers.q2"},
		"long typed of one":    {in: two, a: app.Answer{Typed: texts{"q2": strings.Repeat("x", 100_001)}}, field: "typed.q2"},

		"accept":               {in: elicit, a: with("count", "3"), want: accepted("Where? Production\n: 3", answers{"env": {"prod"}, "count": {"3"}}, texts{})},
		"decline":              {in: elicit, a: app.Answer{Action: app.ActionDecline, Answers: answers{"env": {"nonsense"}}}, want: acted(app.ActionDecline, "")},
		"neither":              {in: elicit, a: app.Answer{Answers: answers{"env": {"prod"}}}, field: "action"},
		"allow is no accept":   {in: elicit, a: app.Answer{Action: app.ActionAllowOnce}, field: "action"},
		"accept with nothing":  {in: elicit, a: app.Answer{Action: app.ActionAccept}, field: "answers.env"},
		"typed beside an enum": {in: elicit, a: app.Answer{Action: app.ActionAccept, Typed: texts{"env": "staging"}}, field: "typed.env"},
		"a link":               {in: link, a: app.Answer{Action: app.ActionAccept}, want: accepted("", answers{}, texts{})},
		"text to a link":       {in: link, a: app.Answer{Action: app.ActionAccept, Text: "x"}, field: "text"},
		"yes":                  {in: elicit, a: with("ok", "true"), want: accepted("Where? Production\n: true", answers{"env": {"prod"}, "ok": {"true"}}, texts{})},
		"maybe":                {in: elicit, a: with("ok", "maybe"), field: "answers.ok"},
		"no whole number":      {in: elicit, a: with("count", "2.5"), field: "answers.count"},
		"no number at all":     {in: elicit, a: with("count", "many"), field: "answers.count"},
		"too small":            {in: elicit, a: with("count", "0"), field: "answers.count"},
		"too large":            {in: elicit, a: with("count", "10"), field: "answers.count"},
		"a fraction":           {in: elicit, a: with("rate", "0.75"), want: accepted("Where? Production\n: 0.75", answers{"env": {"prod"}, "rate": {"0.75"}}, texts{})},
		"not a number":         {in: elicit, a: with("rate", "NaN"), field: "answers.rate"},
		"without end":          {in: elicit, a: with("rate", "Inf"), field: "answers.rate"},
		"mail":                 {in: elicit, a: with("mail", "a@b.c"), want: accepted("Where? Production\n: a@b.c", answers{"env": {"prod"}, "mail": {"a@b.c"}}, texts{"mail": "a@b.c"})},
		"no mail":              {in: elicit, a: with("mail", "A <a@b.c>"), field: "answers.mail"},
		"no address":           {in: elicit, a: with("site", "example"), field: "answers.site"},
		"no day":               {in: elicit, a: with("day", "2026-02-30"), field: "answers.day"},
		"no time":              {in: elicit, a: with("at", "2026-02-03"), field: "answers.at"},
		"too short":            {in: elicit, a: with("name", "长"), field: "answers.name"},
		"too long a name":      {in: elicit, a: with("name", "长长长长长"), field: "answers.name"},
	}
	inWorld(t, func(t *testing.T, w *world) {
		for name, c := range cases {
			in := c.in
			in.SessionID, in.RunID = w.session, w.turn
			q := w.ask(in)
			a := c.a
			a.InteractionID, a.Status = q.id, app.StatusAnswered
			reply, err := w.Answer(context.Background(), a)
			if c.field != "" {
				e, ok := errors.AsType[*app.Error](err)
				if !ok || e.Code != app.CodeInvalidArgument || e.Field != c.field || e.Message == "" || e.Limit == "" || len(e.Got) > 300 {
					t.Errorf("%s: refused with %+v", name, err)
				}
				if q.ended() {
					t.Errorf("%s: a refused answer ended the question", name)
				}
				_, err := w.dismiss(q.id)
				w.must(err)
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				w.must(w.CancelAll(context.Background(), app.CauseQuit))
				continue
			}
			got := *reply.Outcome
			got.ResolvedAt = 0
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			equal(t, q.wait().Reason, c.want.Reason)
		}
	})
}

func accepted(text string, answers map[string][]string, typed map[string]string) app.Outcome {
	return app.Outcome{
		Reason: app.ReasonResponse, Cause: app.CausePerson, Action: app.ActionAccept, Response: text, Selected: []string{},
		Answers: answers, Typed: typed,
	}
}
