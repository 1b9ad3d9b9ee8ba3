package app_test

import (
	"encoding/json"
	"testing"

	"parley/app"
)

// FuzzEvent: an event of any type and payload is read or refused, and what was
// read is written and read again as the same.
func FuzzEvent(f *testing.F) {
	for typ, d := range app.DataTypes() {
		data, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(typ), data)
	}
	known := app.DataTypes()
	f.Add("hologram", []byte(`{"x":1}`))
	f.Add("notice", []byte(`null`))
	f.Fuzz(func(t *testing.T, typ string, payload []byte) {
		if !json.Valid(payload) {
			t.Skip("no JSON: the line reader refuses it before")
		}
		line, err := json.Marshal(map[string]any{"seq": 1, "type": typ, "data": json.RawMessage(payload)})
		if err != nil {
			t.Fatal(err)
		}
		var e app.Event
		if json.Unmarshal(line, &e) != nil {
			return
		}
		if _, ok := known[app.EventType(typ)]; !ok {
			if _, ok := e.Data.(*app.Unknown); !ok {
				t.Errorf("%s was read as %T", line, e.Data)
			}
			return // an older program may read it and not write it
		}
		one, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%s was read and can't be written: %v", line, err)
		}
		var again app.Event
		if err := json.Unmarshal(one, &again); err != nil {
			t.Fatalf("%s can't be read again: %v", one, err)
		}
		two, err := json.Marshal(again)
		if err != nil || string(one) != string(two) {
			t.Errorf("%s became %s, %v", one, two, err)
		}
	})
}
