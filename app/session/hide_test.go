package session_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley/app"
	"parley/app/apptest"
	"parley/app/mask"
	"parley/app/session"
)

// theirs are the events that carry what the person and the agent say to each
// other, or what is asked and answered: that stays as it was said.
var theirs = map[reflect.Type]bool{
	reflect.TypeFor[app.Session](): true, reflect.TypeFor[app.SessionDeleted](): true, reflect.TypeFor[app.TurnText](): true,
	reflect.TypeFor[app.TurnUnqueued](): true, reflect.TypeFor[app.Delta](): true, reflect.TypeFor[app.MessageText](): true,
	reflect.TypeFor[app.Plan](): true, reflect.TypeFor[app.Usage](): true, reflect.TypeFor[app.Interaction](): true,
	reflect.TypeFor[app.InteractionUpdated](): true, reflect.TypeFor[app.InteractionResolved](): true,
	reflect.TypeFor[app.InteractionLateAnswered](): true, reflect.TypeFor[app.InteractionDelivered](): true,
}

// names are the fields of other events that are ids or names, never texts.
var names = []string{"revision", "in_force", "tool_id", "output_id", "name", "kind", "parent_tool_id", "code", "level", "status", "stop_reason", "reason", "signal", "version", "path", "change", "command"}

// Every other text that an event can carry goes through the hiding: a new event,
// or a new field of one, is in this test by itself.
func TestSecretsAreNotRecorded(t *testing.T) {
	const secret = "sk-ant-planted-0123456789"
	var known mask.Secrets
	known.Hold("a known value")
	tried := map[reflect.Type]bool{}
	for typ, empty := range app.DataTypes() {
		kind := reflect.TypeOf(empty).Elem()
		if theirs[kind] || tried[kind] {
			continue
		}
		tried[kind] = true
		v := reflect.New(kind).Elem()
		n := plant(v, secret+" a known value")
		got, err := json.Marshal(session.Hidden(v.Interface().(app.EventData), known.Hide))
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && !strings.Contains(string(got), mask.Hidden) || strings.Contains(string(got), secret) || strings.Contains(string(got), "a known value") {
			t.Errorf("%s is recorded as %s", typ, got)
		}
	}
	if len(tried) < 8 {
		t.Errorf("only %d kinds of events were tried", len(tried))
	}
}

// A key that a tool puts out in pieces is hidden while it streams, and in what is
// kept of it.
func TestSecretsAreNotStreamed(t *testing.T) {
	w := newWorld(t, func(c *session.Config, _ *adapter) { c.Secrets = &mask.Secrets{} })
	w.cfg.Secrets.Hold("correct-horse-battery")
	s := w.create(app.NewSession{})
	turn := w.send(s.ID, "tool t\ntoolout t key=sk-ant-planted-01\ntoolout t 23456789,correct-\ntoolout t horse-battery.\ntoolend t")
	w.ended(turn)
	var streamed strings.Builder
	kept := ""
	for _, e := range w.tape.All() {
		if d, ok := apptest.Data[app.ToolProgress](e); ok {
			streamed.WriteString(d.Output)
		}
		if d, ok := apptest.Data[app.ToolCompleted](e); ok {
			kept = d.Output
		}
	}
	for what, text := range map[string]string{"streamed": streamed.String(), "kept": kept} {
		if strings.Contains(text, "planted") || strings.Contains(text, "23456789") || strings.Contains(text, "horse") {
			t.Errorf("%s: %q", what, text)
		}
	}
	if want := "key=sk-ant-" + mask.Hidden + "," + mask.Hidden + "."; kept != want {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

// An agent that reads its own launch token and says it, whole or in pieces: the
// message is recorded and shown without it.
func TestALaunchTokenIsNotRecorded(t *testing.T) {
	w := newWorld(t)
	s := w.create(app.NewSession{})
	w.ended(w.send(s.ID, "say m x"))
	token := w.ad.lastCredential().Token
	turn := w.send(s.ID, "say whole it is "+token+" indeed\ndelta cut it is "+token[:20]+"\ndelta cut "+token[20:]+"\ntool t\ntoolend t "+token)
	w.ended(turn)
	n := 0
	for _, e := range w.tape.All() {
		if e.TurnID != turn || e.Type == app.EventTurnStarted || e.Type == app.EventTurnQueued {
			continue // what the person typed
		}
		data, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), token[20:]) || strings.Contains(string(data), token[:20]) {
			t.Errorf("%s: %s", e.Type, data)
		}
		n += strings.Count(string(data), "[launch token]")
	}
	if texts := w.texts(turn); texts["whole"].Text != "it is [launch token] indeed" || texts["cut"].Text != "it is [launch token]" || n < 3 {
		t.Errorf("recorded %+v, the place of the token %d times", texts, n)
	}
}

// plant fills every text below v but names, and counts them.
func plant(v reflect.Value, text string) int {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return plant(v.Elem(), text)
	case reflect.Struct:
		n := 0
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if v.Type().Field(i).IsExported() && !isName(v.Type(), tag) {
				n += plant(v.Field(i), text)
			}
		}
		return n
	case reflect.String:
		v.SetString(text)
		return 1
	}
	return 0
}

func isName(of reflect.Type, tag string) bool {
	if of == reflect.TypeFor[app.AgentStarted]() && tag == "command" {
		return false // a whole command line
	}
	for _, n := range names {
		if n == tag {
			return true
		}
	}
	return false
}
