package bridge_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/mcp/bridge"
)

// units are characters of one code point and one to four bytes.
var units = map[string]string{"ascii": "x", "cjk": "问", "emoji": "🤔"}

func question(change func(*bridge.ClarifyRequest)) bridge.ClarifyRequest {
	q := bridge.ClarifyRequest{ContextID: "pctx_1", Question: "Which greeting?"}
	change(&q)
	return q
}

func labels(n int, label func(i int) string) []bridge.Option {
	out := make([]bridge.Option, n)
	for i := range out {
		out[i].Label = label(i)
	}
	return out
}

func refusedField(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	refused, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		t.Fatalf("refused with %T, want *bridge.Error", err)
	}
	if refused.Code != bridge.CodeInvalidArgument || refused.Status != 400 {
		t.Errorf("refused with %s (%d), want invalid_argument (400)", refused.Code, refused.Status)
	}
	for what, text := range map[string]string{"limit": refused.Limit, "got": refused.Got} {
		if text == "" || !strings.Contains(refused.Message, text) {
			t.Errorf("the message does not name the %s %q: %s", what, text, refused.Message)
		}
	}
	if !strings.Contains(refused.Message, refused.Field) {
		t.Errorf("the message does not name the field %q: %s", refused.Field, refused.Message)
	}
	return refused.Field
}

func TestQuestionLimits(t *testing.T) {
	for name, unit := range units {
		long := func(n int) string { return strings.Repeat(unit, n) }
		for _, c := range []struct {
			what  string
			q     bridge.ClarifyRequest
			field string // refused, "" for accepted
		}{
			{"4000 characters", question(func(q *bridge.ClarifyRequest) { q.Question = long(4000) }), ""},
			{"4000 with spaces around", question(func(q *bridge.ClarifyRequest) { q.Question = " \n" + long(4000) + "\t " }), ""},
			{"4001 characters", question(func(q *bridge.ClarifyRequest) { q.Question = long(4001) }), "question"},
			{"header of 60", question(func(q *bridge.ClarifyRequest) { q.Header = long(60) }), ""},
			{"header of 61", question(func(q *bridge.ClarifyRequest) { q.Header = long(61) }), "header"},
			{"choice of 499", question(func(q *bridge.ClarifyRequest) { q.Options = labels(1, func(int) string { return long(499) }) }), ""},
			{"choice of 500", question(func(q *bridge.ClarifyRequest) { q.Options = labels(1, func(int) string { return long(500) }) }), ""},
			{"option of 501", question(func(q *bridge.ClarifyRequest) { q.Options = labels(1, func(int) string { return long(501) }) }), "options[0].label"},
			{"choice of 501", question(func(q *bridge.ClarifyRequest) {
				q.FromChoices = true
				q.Options = labels(2, func(i int) string { return long(500 + i) })
			}), "choices[1]"},
			{"description of 1000", question(func(q *bridge.ClarifyRequest) {
				q.Options = []bridge.Option{{Label: "a", Description: long(1000)}}
			}), ""},
			{"description of 1001", question(func(q *bridge.ClarifyRequest) {
				q.Options = []bridge.Option{{Label: "a", Description: long(1001)}}
			}), "options[0].description"},
			{"preview of 8192", question(func(q *bridge.ClarifyRequest) {
				q.Options = []bridge.Option{{Label: "a", Preview: long(8192)}}
			}), ""},
			{"preview of 8193", question(func(q *bridge.ClarifyRequest) {
				q.Options = []bridge.Option{{Label: "a", Preview: long(8193)}}
			}), "options[0].preview"},
			{"previews of 32768", question(func(q *bridge.ClarifyRequest) { q.Options = previews(4, long(8192)) }), ""},
			{"previews of 32769", question(func(q *bridge.ClarifyRequest) {
				q.Options = append(previews(4, long(8192)), bridge.Option{Label: "last", Preview: unit})
			}), "options"},
			{"context id of 200", question(func(q *bridge.ClarifyRequest) { q.ContextID = long(200) }), ""},
			{"context id of 201", question(func(q *bridge.ClarifyRequest) { q.ContextID = long(201) }), "context_id"},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				_, err := c.q.Checked()
				if got := refusedField(t, err); got != c.field {
					t.Errorf("refused field %q, want %q (%v)", got, c.field, err)
				}
			})
		}
	}
}

func previews(n int, text string) []bridge.Option {
	out := labels(n, func(i int) string { return fmt.Sprint("option ", i) })
	for i := range out {
		out[i].Preview = text
	}
	return out
}

func TestItemsAreCountedBeforeDuplicatesAreDropped(t *testing.T) {
	same := func(int) string { return "the same" }
	got, err := question(func(q *bridge.ClarifyRequest) { q.Options = labels(20, same) }).Checked()
	if err != nil || len(got.Options) != 1 {
		t.Errorf("20 equal choices: %d options, %v; want one", len(got.Options), err)
	}
	_, err = question(func(q *bridge.ClarifyRequest) { q.Options, q.FromChoices = labels(21, same), true }).Checked()
	if field := refusedField(t, err); field != "choices" {
		t.Errorf("21 equal choices: refused field %q, want choices", field)
	}
}

func TestOrderIsKeptAndTheFirstOfEqualLabelsStays(t *testing.T) {
	got, err := question(func(q *bridge.ClarifyRequest) {
		q.Options = []bridge.Option{{Label: "b"}, {Label: " a ", Description: "first"}, {Label: "a", Description: "second"}, {Label: "B"}, {Label: "c", Preview: "\n  indented\n"}}
	}).Checked()
	if err != nil {
		t.Fatal(err)
	}
	want := []bridge.Option{{Label: "b"}, {Label: "a", Description: "first"}, {Label: "B"}, {Label: "c", Preview: "  indented"}}
	if diff := cmp.Diff(want, got.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

func TestBlankTextsAreRefused(t *testing.T) {
	for _, blank := range []string{"", " ", "\t\r\n", "\u00a0\u2003", "\u200b", "\ufeff \u200d", "\x00"} {
		for field, q := range map[string]bridge.ClarifyRequest{
			"question":         question(func(q *bridge.ClarifyRequest) { q.Question = blank }),
			"context_id":       question(func(q *bridge.ClarifyRequest) { q.ContextID = blank }),
			"options[1].label": question(func(q *bridge.ClarifyRequest) { q.Options = []bridge.Option{{Label: "a"}, {Label: blank}} }),
			"choices[0]": question(func(q *bridge.ClarifyRequest) {
				q.Options, q.FromChoices = []bridge.Option{{Label: blank}}, true
			}),
		} {
			_, err := q.Checked()
			if got := refusedField(t, err); got != field {
				t.Errorf("%s = %q: refused field %q", field, blank, got)
			}
		}
		// These may be missing, so a blank one is none.
		got, err := question(func(q *bridge.ClarifyRequest) { q.Header = blank }).Checked()
		if err != nil || got.Header != "" {
			t.Errorf("header %q: %q, %v; want none", blank, got.Header, err)
		}
	}
}

func plan(steps ...bridge.PlanStep) bridge.PlanRequest {
	return bridge.PlanRequest{ContextID: "pctx_1", Plan: steps}
}

func TestPlanLimits(t *testing.T) {
	steps := func(n int) []bridge.PlanStep {
		out := make([]bridge.PlanStep, n)
		for i := range out {
			out[i] = bridge.PlanStep{ID: fmt.Sprint(i), Step: "do it", Status: "pending"}
		}
		return out
	}
	one := func(change func(*bridge.PlanStep)) bridge.PlanRequest {
		s := steps(1)
		change(&s[0])
		return plan(s...)
	}
	for name, unit := range units {
		long := func(n int) string { return strings.Repeat(unit, n) }
		for _, c := range []struct {
			what  string
			p     bridge.PlanRequest
			field string
		}{
			{"no step", plan(), "plan"},
			{"1 step", plan(steps(1)...), ""},
			{"30 steps", plan(steps(30)...), ""},
			{"31 steps", plan(steps(31)...), "plan"},
			{"id of 100", one(func(s *bridge.PlanStep) { s.ID = long(100) }), ""},
			{"id of 101", one(func(s *bridge.PlanStep) { s.ID = long(101) }), "plan[0].id"},
			{"blank id", one(func(s *bridge.PlanStep) { s.ID = " " }), "plan[0].id"},
			{"step of 200", one(func(s *bridge.PlanStep) { s.Step = long(200) }), ""},
			{"step of 201", one(func(s *bridge.PlanStep) { s.Step = long(201) }), "plan[0].step"},
			{"blank step", one(func(s *bridge.PlanStep) { s.Step = "" }), "plan[0].step"},
			{"unknown status", one(func(s *bridge.PlanStep) { s.Status = "done" }), "plan[0].status"},
			{"explanation of 1000", bridge.PlanRequest{ContextID: "c", Explanation: long(1000), Plan: steps(1)}, ""},
			{"explanation of 1001", bridge.PlanRequest{ContextID: "c", Explanation: long(1001), Plan: steps(1)}, "explanation"},
			{"no context", bridge.PlanRequest{Plan: steps(1)}, "context_id"},
			{"equal ids", plan(bridge.PlanStep{ID: "a", Step: "x", Status: "pending"}, bridge.PlanStep{ID: " a", Step: "y", Status: "pending"}), "plan[1].id"},
			{"two in progress", plan(bridge.PlanStep{ID: "a", Step: "x", Status: "in_progress"}, bridge.PlanStep{ID: "b", Step: "y", Status: "in_progress"}), "plan[1].status"},
			{"one in progress", plan(bridge.PlanStep{ID: "a", Step: "x", Status: "completed"}, bridge.PlanStep{ID: "b", Step: "y", Status: "in_progress"}), ""},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				_, err := c.p.Checked()
				if got := refusedField(t, err); got != c.field {
					t.Errorf("refused field %q, want %q (%v)", got, c.field, err)
				}
			})
		}
	}
}

// TestWhatIsAcceptedKeepsItsLimits: whatever comes, an accepted question is
// within the limits, and checking it again changes nothing.
func TestWhatIsAcceptedKeepsItsLimits(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune(" \t\nax问🤔\u200b\u0301")), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		q := bridge.ClarifyRequest{
			ContextID: text.Draw(t, "context"), Question: text.Draw(t, "question"), Header: text.Draw(t, "header"),
			FromChoices: rapid.Bool().Draw(t, "plain"),
			Options: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bridge.Option {
				return bridge.Option{Label: text.Draw(t, "label"), Description: text.Draw(t, "description"), Preview: text.Draw(t, "preview")}
			}), 0, 22).Draw(t, "options"),
		}
		once, err := q.Checked()
		if err != nil {
			return
		}
		if len(once.Options) > bridge.MaxOptions {
			t.Fatalf("%d options accepted", len(once.Options))
		}
		for i, o := range once.Options {
			if n := utf8.RuneCountInString(o.Label); n < 1 || n > bridge.MaxLabel {
				t.Fatalf("label of %d characters accepted", n)
			}
			if slices.ContainsFunc(once.Options[:i], func(p bridge.Option) bool { return p.Label == o.Label }) {
				t.Fatalf("label %q twice", o.Label)
			}
		}
		twice, err := once.Checked()
		if err != nil {
			t.Fatalf("an accepted question is refused: %v", err)
		}
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Fatalf("checking again changes it:\n%s", diff)
		}
	})
}
