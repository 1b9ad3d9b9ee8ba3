package bridge_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/mcp/bridge"
)

// FuzzForm: whatever a model sends, it is a form within its limits or a refusal
// that names the part at fault; and reading the form again as we would send it
// changes nothing.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`{"questions":[{"id":"a","question":"Which?","input_type":"single-choice","options":["x (Recommended)",{"name":"y","value":2}],"default":"x"}]}`,
		`{"questions":"[{\"title\":\"T\",\"multiSelect\":\"true\",\"options\":[\"a\",\"b\"],\"default\":[\"a\",\"b\"]}]"}`,
		`{"questions":{"type":"single_choice(question(Really?))","choices":["yes","no"]}}`,
		`{"questions":["one","two"]}`, `{"questions":[{"question":"\u200b"}]}`, `{"questions":[null]}`, `null`, `[]`, `"`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		form, err := bridge.FormQuestions(arguments)
		if err != nil {
			refused, ok := errors.AsType[*bridge.Error](err)
			if !ok || refused.Field == "" || refused.Limit == "" || refused.Got == "" || utf8.RuneCountInString(refused.Message) > 1000 {
				t.Fatalf("refused without saying what: %#v", err)
			}
			return
		}
		if len(form) < 1 || len(form) > bridge.MaxQuestions {
			t.Fatalf("%d questions", len(form))
		}
		ids := map[string]bool{}
		for _, q := range form {
			if n := utf8.RuneCountInString(q.Question); n < 1 || n > bridge.MaxQuestion || strings.TrimSpace(q.Question) != q.Question {
				t.Errorf("a question of %d characters", n)
			}
			if n := utf8.RuneCountInString(q.ID); n < 1 || n > bridge.MaxQuestionID || ids[q.ID] {
				t.Errorf("the id %q", q.ID)
			}
			ids[q.ID] = true
			values := map[string]bool{}
			for _, o := range q.Options {
				if o.Label == "" || o.Value == "" || values[o.Value] || values["l"+o.Label] {
					t.Errorf("the option %+v", o)
				}
				values[o.Value], values["l"+o.Label] = true, true
			}
			if len(q.Options) == 0 && (q.MultiSelect || len(q.Default) > 1) || len(q.Default) > 1 && !q.MultiSelect {
				t.Errorf("%+v", q)
			}
			for _, d := range q.Default {
				if q.Options != nil && !values[d] {
					t.Errorf("the default %q is no option", d)
				}
			}
		}
		again, err := bridge.FormQuestions(sent(t, form))
		if err != nil || !reflect.DeepEqual(again, form) {
			t.Errorf("read again it is %+v, %v, not %+v", again, err, form)
		}
	})
}

// sent is a form in the plain spelling of the published schema.
func sent(t *testing.T, form []bridge.FormQuestion) []byte {
	t.Helper()
	type option struct {
		Label       string `json:"label"`
		Value       string `json:"value"`
		Recommended bool   `json:"recommended"`
	}
	type question struct {
		ID          string   `json:"id"`
		Question    string   `json:"question"`
		Type        string   `json:"input_type"`
		Options     []option `json:"options,omitempty"`
		MultiSelect bool     `json:"multi_select"`
		Required    bool     `json:"required"`
		Default     []string `json:"default,omitempty"`
		Placeholder string   `json:"placeholder,omitempty"`
	}
	var questions []question
	for _, q := range form {
		s := question{q.ID, q.Question, "text", nil, q.MultiSelect, q.Required, q.Default, q.Placeholder}
		for _, o := range q.Options {
			s.Type = "choice"
			s.Options = append(s.Options, option{o.Label, o.Value, o.Recommended})
		}
		questions = append(questions, s)
	}
	data, err := json.Marshal(map[string]any{"questions": questions})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
