package app_test

import (
	"testing"

	"parley/app"
)

// What the agent gets for a form, exactly.
func TestFormAnswer(t *testing.T) {
	choice := app.Field{ID: "c", Question: "C?", Type: app.FieldChoice, Options: []app.Option{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}}
	text := app.Field{ID: "t", Question: "T?", Type: app.FieldText}
	for want, c := range map[string]struct {
		questions []app.Field
		out       app.Outcome
		words     string
	}{
		`{"answer":["1"]}`: {[]app.Field{choice}, app.Outcome{Answers: map[string][]string{"c": {"1"}}}, "C?\n- One"},
		`{"answer":[]}`:    {[]app.Field{choice}, app.Outcome{}, "C?\n- (left out)"},
		`{"answer":"x"}`:   {[]app.Field{text}, app.Outcome{Answers: map[string][]string{"t": {"x"}}, Typed: map[string]string{"t": "x"}}, "T?\n- x"},
		`{"answer":""}`:    {[]app.Field{text}, app.Outcome{}, "T?\n- (left out)"},
		`{"answer":["2","mine"],"typed":"mine"}`: {[]app.Field{choice},
			app.Outcome{Answers: map[string][]string{"c": {"2", "mine"}}, Typed: map[string]string{"c": "mine"}}, "C?\n- Two\n- mine (typed)"},
		`{"answers":{"c":[],"t":""}}`: {[]app.Field{choice, text}, app.Outcome{}, "C?\n- (left out)\nT?\n- (left out)"},
		`{"answers":{"c":["mine"],"t":"x"},"typed":{"c":"mine"}}`: {[]app.Field{choice, text},
			app.Outcome{Answers: map[string][]string{"c": {"mine"}, "t": {"x"}}, Typed: map[string]string{"c": "mine", "t": "x"}}, "C?\n- mine (typed)\nT?\n- x"},
	} {
		if got := string(app.FormAnswer(c.questions, c.out)); got != want {
			t.Errorf("the agent gets %s, not %s", got, want)
		}
		if got := app.FormSummary(c.questions, c.out); got != c.words {
			t.Errorf("in words %q, not %q", got, c.words)
		}
	}
}
