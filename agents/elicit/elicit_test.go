package elicit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/agents"
	"parley/agents/elicit"
)

func ptr[T any](v T) *T { return &v }

const form = `{"type":"object","required":["size","colour"],"properties":{
	"size":{"type":"integer","title":"Size","minimum":1,"maximum":9,"default":3},
	"colour":{"type":"string","enum":["r","b"],"enumNames":["Red","Blue"]},
	"shape":{"type":"string","oneOf":[{"const":"o","title":"Round"},{"const":"x"}]},
	"toppings":{"type":"array","items":{"anyOf":[{"const":"a","title":"Apple"},{"const":"b","title":"Bean"}]},"default":["a"],"minItems":1,"maxItems":2},
	"mail":{"type":"string","format":"email","minLength":3,"maxLength":40,"description":"Where to"},
	"again":{"type":"boolean","default":true},
	"price":{"type":"number"}}}`

func fields(t *testing.T) []agents.Field {
	t.Helper()
	got, err := elicit.Fields(json.RawMessage(form))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFieldsKeepTheOrderOfTheSchema(t *testing.T) {
	want := []agents.Field{
		{ID: "size", Question: "Size", Type: "integer", Required: true, Minimum: ptr(1.0), Maximum: ptr(9.0), Default: []string{"3"}},
		{ID: "colour", Question: "colour", Type: "choice", Required: true, Options: []agents.Option{{Label: "Red", Value: "r"}, {Label: "Blue", Value: "b"}}},
		{ID: "shape", Question: "shape", Type: "choice", Options: []agents.Option{{Label: "Round", Value: "o"}, {Label: "x", Value: "x"}}},
		{ID: "toppings", Question: "toppings", Type: "choice", Multi: true, Default: []string{"a"}, MinItems: ptr(1), MaxItems: ptr(2), Options: []agents.Option{{Label: "Apple", Value: "a"}, {Label: "Bean", Value: "b"}}},
		{ID: "mail", Question: "mail", Type: "text", FreeText: true, Format: "email", Description: "Where to", MinLength: ptr(3), MaxLength: ptr(40)},
		{ID: "again", Question: "again", Type: "boolean", Default: []string{"true"}},
		{ID: "price", Question: "price", Type: "number"},
	}
	if diff := cmp.Diff(want, fields(t)); diff != "" {
		t.Error(diff)
	}
}

// What is entered behind a link is no content, which is not the same as none in a
// form.
func TestALinkHasNoContent(t *testing.T) {
	if got, err := elicit.Content(agents.Interaction{URL: "https://x.test/"}, nil); got != nil || err != nil {
		t.Errorf("content %v, %v", got, err)
	}
	if got, err := elicit.Content(agents.Interaction{}, nil); got == nil || err != nil {
		t.Errorf("of a form without fields: %v, %v", got, err)
	}
}

func TestContentHasTheTypesOfTheSchema(t *testing.T) {
	got, err := elicit.Content(agents.Interaction{Fields: fields(t)}, map[string][]string{
		"size": {" 4 "}, "colour": {"Blue"}, "shape": {"o"}, "toppings": {"Apple", "b"}, "mail": {""}, "again": {"False"}, "price": {"1.5"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"size": int64(4), "colour": "b", "shape": "o", "toppings": []string{"a", "b"}, "again": false, "price": 1.5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A value that is the label of another option stays a value.
func TestAValueThatIsAnothersLabel(t *testing.T) {
	fields, err := elicit.Fields(json.RawMessage(`{"properties":{"n":{"type":"string","enum":["0","1","2"],"enumNames":["1","2","3"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{"0": "0", "1": "1", "2": "2", "3": "2"} {
		got, err := elicit.Content(agents.Interaction{Fields: fields}, map[string][]string{"n": {given}})
		if err != nil || got["n"] != want {
			t.Errorf("%s became %v, %v; want %s", given, got["n"], err, want)
		}
	}
}

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	for id, given := range map[string]string{"size": "4.5", "again": "perhaps", "price": "much"} {
		if got, err := elicit.Content(agents.Interaction{Fields: fields(t)}, map[string][]string{id: {given}}); err == nil {
			t.Errorf("%s=%s gave %v", id, given, got)
		}
	}
}

func TestFormsThatCannotBeAsked(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"a":{"type":"object"}}}`,
		`{"properties":{"a":{"type":"array","items":{}}}}`,
		`{"properties":{"a":{}}}`,
		`{"properties":{"a":{"type":"string","enum":[]}}}`,
		`{"properties":{"a":{"type":"string","oneOf":[]}}}`,
		`{"properties":[]}`,
		`{"properties":{"a":7}}`,
		`[]`,
	} {
		if got, err := elicit.Fields(json.RawMessage(schema)); err == nil {
			t.Errorf("%s gave %v", schema, got)
		}
	}
	for _, schema := range []string{``, `null`, `{}`, `{"properties":{}}`} {
		if got, err := elicit.Fields(json.RawMessage(schema)); err != nil || len(got) != 0 {
			t.Errorf("%q gave %v, %v", schema, got, err)
		}
	}
}

// Each property of a schema arrives on its own, so that none hides behind
// another.
func TestEveryPartOfAField(t *testing.T) {
	for schema, want := range map[string]agents.Field{
		`{"type":"string"}`: {Type: "text", Question: "f", FreeText: true},
		`{"type":"string","title":"T","description":"D"}`:                 {Type: "text", Question: "T", Description: "D", FreeText: true},
		`{"type":"string","default":"x"}`:                                 {Type: "text", Question: "f", Default: []string{"x"}, FreeText: true},
		`{"type":"string","format":"uri"}`:                                {Type: "text", Question: "f", Format: "uri", FreeText: true},
		`{"type":"string","format":"date"}`:                               {Type: "text", Question: "f", Format: "date", FreeText: true},
		`{"type":"string","format":"date-time"}`:                          {Type: "text", Question: "f", Format: "date-time", FreeText: true},
		`{"type":"string","minLength":0,"maxLength":7}`:                   {Type: "text", Question: "f", MinLength: ptr(0), MaxLength: ptr(7), FreeText: true},
		`{"type":"integer","default":0}`:                                  {Type: "integer", Question: "f", Default: []string{"0"}},
		`{"type":"number","minimum":-1.5,"maximum":0}`:                    {Type: "number", Question: "f", Minimum: ptr(-1.5), Maximum: ptr(0.0)},
		`{"type":"boolean","default":false}`:                              {Type: "boolean", Question: "f", Default: []string{"false"}},
		`{"type":"string","enum":["a","b"],"default":"b"}`:                {Type: "choice", Question: "f", Default: []string{"b"}, Options: []agents.Option{{Label: "a", Value: "a"}, {Label: "b", Value: "b"}}},
		`{"type":"string","enum":["a"],"enumNames":["A"]}`:                {Type: "choice", Question: "f", Options: []agents.Option{{Label: "A", Value: "a"}}},
		`{"oneOf":[{"const":"a","title":"A"}]}`:                           {Type: "choice", Question: "f", Options: []agents.Option{{Label: "A", Value: "a"}}},
		`{"type":"array","items":{"enum":["a"]}}`:                         {Type: "choice", Question: "f", Multi: true, Options: []agents.Option{{Label: "a", Value: "a"}}},
		`{"type":"array","items":{"oneOf":[{"const":"a"}]},"minItems":1}`: {Type: "choice", Question: "f", Multi: true, MinItems: ptr(1), Options: []agents.Option{{Label: "a", Value: "a"}}},
	} {
		want.ID = "f"
		got, err := elicit.Fields(json.RawMessage(`{"properties":{"f":` + schema + `}}`))
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		if diff := cmp.Diff([]agents.Field{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

func TestLinksThatCanBeShown(t *testing.T) {
	for _, good := range []string{"https://example.com", "http://127.0.0.1:8080/a?b=c#d", "https://例子.example/路径"} {
		if err := elicit.Link(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "example.com", "/path", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "ftp://example.com",
		"https://", "https://bank.example@evil.example", "https://example.com/\u202egpj", "https://example.com/a b", "https://example.com/\n",
		"https://example.com/" + strings.Repeat("a", 5000), "HTTPS ://x",
	} {
		if elicit.Link(bad) == nil {
			t.Errorf("%q would be shown", bad)
		}
	}
}
