package session_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley/app"
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
var names = []string{"tool_id", "output_id", "name", "kind", "parent_tool_id", "code", "level", "status", "stop_reason", "reason", "signal", "version", "path", "change", "command"}

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
