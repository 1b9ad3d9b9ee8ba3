package elicit_test

import (
	"encoding/json"
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
	"toppings":{"type":"array","items":{"anyOf":[{"const":"a","title":"Apple"},{"const":"b","title":"Bean"}]},"default":["a"]},
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
		{ID: "toppings", Question: "toppings", Type: "choice", Multi: true, Default: []string{"a"}, Options: []agents.Option{{Label: "Apple", Value: "a"}, {Label: "Bean", Value: "b"}}},
		{ID: "mail", Question: "mail", Type: "text", FreeText: true, Format: "email", Description: "Where to", MinLength: ptr(3), MaxLength: ptr(40)},
		{ID: "again", Question: "again", Type: "boolean", Default: []string{"true"}},
		{ID: "price", Question: "price", Type: "number"},
	}
	if diff := cmp.Diff(want, fields(t)); diff != "" {
		t.Error(diff)
	}
}

func TestContentHasTheTypesOfTheSchema(t *testing.T) {
	got, err := elicit.Content(fields(t), map[string][]string{
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

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	for id, given := range map[string]string{"size": "4.5", "again": "perhaps", "price": "much"} {
		if got, err := elicit.Content(fields(t), map[string][]string{id: {given}}); err == nil {
			t.Errorf("%s=%s gave %v", id, given, got)
		}
	}
}

func TestFormsThatCannotBeAsked(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"a":{"type":"object"}}}`,
		`{"properties":{"a":{"type":"array","items":{}}}}`,
		`{"properties":{"a":{}}}`,
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
