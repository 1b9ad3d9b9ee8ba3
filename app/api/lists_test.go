package api_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

// Each list of every type on the wire comes out as [] when it is nil, unless
// the page's type says that it may be null or absent.
func TestNoListIsNull(t *testing.T) {
	w := newWorld()
	w.present = app.Snapshot{
		Sessions: []app.Session{{ID: "s"}},
		Interactions: []app.Interaction{
			{ID: "i", Outcome: &app.Outcome{}, Late: &app.Late{}, Draft: &app.Draft{Answers: map[string][]string{"q": nil}},
				Approval: &app.Approval{}, Questions: []app.Field{{ID: "f"}}},
		},
		Plans: []app.Plan{{ID: "p"}},
	}
	h := api.Door(api.New(w.config(t)), app.ByWindow)
	for _, path := range []string{"/api/snapshot", "/api/sessions", "/api/interactions", "/api/agents"} {
		_, body := call(t, h, "GET", path, "")
		if body = strings.ReplaceAll(body, `"choices":null`, ""); strings.Contains(body, "null") {
			t.Errorf("%s: %s", path, body)
		}
	}
	before := fmt.Sprintf("%+v", w.present)
	call(t, h, "GET", "/api/snapshot", "")
	if after := fmt.Sprintf("%+v", w.present); after != before || w.present.Sessions[0].Queued != nil {
		t.Error("the shared record was changed")
	}
}

// Every type of event passes through the stream with its lists filled.
func TestNoListOfAnEventIsNull(t *testing.T) {
	sub := newSubscription()
	w := newWorld()
	w.subs <- sub
	var sent []app.Event
	for typ, data := range app.DataTypes() {
		sent = append(sent, app.Event{Seq: 1, SessionID: "s", Type: typ, Data: data})
	}
	sub.feed <- sent
	frames := readStream(t, api.Door(api.New(w.config(t)), app.ByWindow), 2)
	for _, e := range frames[1].Events {
		text, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(e.Data).Elem()) {
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Type.Kind() == reflect.Slice && opts == "" && f.Tag.Get("ts") == "" && fields[name] == nil {
				t.Errorf("%s: %s is null", e.Type, name)
			}
		}
	}
	if len(frames[1].Events) != len(sent) {
		t.Errorf("%d events of %d", len(frames[1].Events), len(sent))
	}
}
