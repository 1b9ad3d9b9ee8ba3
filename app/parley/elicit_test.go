package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/app"
)

// everyField is a form with all that the schema of an elicitation can say.
const everyField = `{"type":"object","required":["size","tops"],"properties":{
	"size":{"type":"integer","title":"Size","minimum":1,"maximum":9,"default":3},
	"colour":{"type":"string","enum":["r","b"],"enumNames":["Red","Blue"]},
	"shape":{"type":"string","oneOf":[{"const":"o","title":"Round"},{"const":"x","title":"Cross"}]},
	"tops":{"type":"array","items":{"anyOf":[{"const":"a","title":"Apple"},{"const":"b","title":"Bean"}]},"minItems":1,"maxItems":2},
	"mail":{"type":"string","format":"email","minLength":3,"maxLength":40,"description":"Where to"},
	"again":{"type":"boolean","default":true},
	"price":{"type":"number"}}}`

// shownFields is what a card shows of it, in the order of the schema.
var shownFields = []app.Field{
	{ID: "size", Question: "Size", Type: app.FieldInteger, Required: true, Minimum: to(1.0), Maximum: to(9.0), Default: []string{"3"}},
	{ID: "colour", Question: "colour", Type: app.FieldChoice, Options: []app.Option{{Label: "Red", Value: "r"}, {Label: "Blue", Value: "b"}}},
	{ID: "shape", Question: "shape", Type: app.FieldChoice, Options: []app.Option{{Label: "Round", Value: "o"}, {Label: "Cross", Value: "x"}}},
	{ID: "tops", Question: "tops", Type: app.FieldChoice, MultiSelect: true, Required: true, MinItems: to(1), MaxItems: to(2),
		Options: []app.Option{{Label: "Apple", Value: "a"}, {Label: "Bean", Value: "b"}}},
	{ID: "mail", Question: "mail", Type: app.FieldText, FreeText: true, Format: "email", Description: "Where to", MinLength: to(3), MaxLength: to(40)},
	{ID: "again", Question: "again", Type: app.FieldBoolean, Default: []string{"true"}},
	{ID: "price", Question: "price", Type: app.FieldNumber},
}

func to[T any](v T) *T { return &v }

// openedLink is what the server is told once the person was where a link led.
const openedLink = `{"action":"accept"}`

// elicitations are requests of an MCP server, how a person answers each, and what
// the server is told. The last two can't be shown, so nobody is asked.
var elicitations = []struct {
	request, want string
	answer        []string
}{
	{`{"message":"All of it?","requestedSchema":` + everyField + `}`,
		`{"action":"accept","content":{"size":4,"colour":"b","shape":"o","tops":["a","b"],"mail":"a@b.example","again":false,"price":1.5}}`,
		[]string{"--set", "size=4", "--set", "colour=Blue", "--set", "shape=Round", "--set", "tops=Bean", "--set", "tops=a",
			"--set", "mail=a@b.example", "--set", "again=false", "--set", "price=1.5"}},
	{`{"message":"Another?","requestedSchema":` + everyField + `}`, `{"action":"decline"}`, []string{"--decline"}},
	{`{"message":"And another?","requestedSchema":` + everyField + `}`, `{"action":"cancel"}`, []string{"--dismiss"}},
	{`{"mode":"url","message":"Log in","url":"https://example.org/login?a=b","elicitationId":"l1"}`, openedLink, []string{"--choose", "Yes, done"}},
	{`{"mode":"url","message":"Log in again","url":"https://example.org/login","elicitationId":"l2"}`, `{"action":"decline"}`, []string{"--decline"}},
	{`{"message":"Deep?","requestedSchema":{"type":"object","properties":{"deep":{"type":"string","enum":[]}}}}`, `{"action":"decline"}`, nil},
	{`{"mode":"url","message":"Trust me","url":"https://bank.example@evil.example/","elicitationId":"l3"}`, `{"action":"decline"}`, nil},
}

// elicitationRequests are the requests as the server's tool "ask" is given them.
func elicitationRequests() map[string]any {
	var all []string
	for _, e := range elicitations {
		all = append(all, e.request)
	}
	return map[string]any{"requests": "[" + strings.Join(all, ",") + "]"}
}

// elicited answers all of them in turn, as they come out of r. A card of the form
// shows these fields.
func (r *running) elicited(h *home, shown []app.Field) {
	r.t.Helper()
	asked := 0
	for _, e := range elicitations {
		if e.answer == nil {
			continue
		}
		in := r.nth(app.KindElicitation, asked)
		asked++
		var request struct{ Message, URL string }
		if err := json.Unmarshal([]byte(e.request), &request); err != nil {
			r.t.Fatal(err)
		}
		want := []app.Field(nil)
		if request.URL == "" {
			want = shown
		}
		if in.Question != request.Message || in.URL != request.URL || in.Server == "" {
			r.t.Errorf("asked %q with %q of %q for %s", in.Question, in.URL, in.Server, e.request)
		}
		if diff := cmp.Diff(want, in.Questions, cmpopts.EquateEmpty()); diff != "" {
			r.t.Errorf("%s (-want +got):\n%s", request.Message, diff)
		}
		h.run(exitDone, append([]string{"answer", in.ID}, e.answer...)...)
	}
}

// elicitedAnswers checks what the server was told, which its tool returned; opened
// is that of the link, in the words that the CLI has for it.
func elicitedAnswers(t *testing.T, r *running, told, opened string) {
	t.Helper()
	told = told[max(0, strings.Index(told, "[")):] // some CLIs write a line of their own above it
	got := []map[string]any{}
	if err := json.Unmarshal([]byte(told), &got); err != nil || len(got) != len(elicitations) {
		t.Fatalf("the server was told %q, %v", told, err)
	}
	refused := 0
	for i, e := range elicitations {
		answer := e.want
		if answer == openedLink {
			answer = opened
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(answer), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.request, diff)
		}
		if e.answer == nil {
			refused++
		}
	}
	said := 0
	for _, e := range events(t, r.out.String()) {
		if n, ok := e.Data.(*app.Notice); ok && n.Code == "elicitation_refused" {
			said++
		}
	}
	if said != refused {
		t.Errorf("%d notices of %d refused requests", said, refused)
	}
}
