package elicit_test

import (
	"encoding/json"
	"testing"

	"parley/agents/elicit"
)

// FuzzFields: a form of any schema is refused as a whole or can be answered:
// each field has a name of its own and a type that a card knows.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","required":["title"],"properties":{"title":{"type":"string","minLength":1},"n":{"type":"integer","minimum":1,"default":2}}}`,
		`{"properties":{"c":{"type":"string","enum":["a","b"],"enumNames":["A"]},"m":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}},"b":{"type":"boolean","default":true}}}`,
		`{"properties":{"a":{"type":["string","null"]},"a":{"type":"object"}}}`, `{"properties":[]}`, `null`, `{}`, `{"properties":{"":{"oneOf":[{"const":1}]}}}`,
	} {
		f.Add([]byte(seed))
	}
	known := map[string]bool{"choice": true, "text": true, "number": true, "integer": true, "boolean": true}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !json.Valid(schema) {
			t.Skip("no JSON: the wire refuses it before")
		}
		fields, err := elicit.Fields(schema)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, field := range fields {
			if !known[field.Type] || seen[field.ID] || field.Type == "choice" && len(field.Options) == 0 {
				t.Errorf("%s gave the field %+v", schema, field)
			}
			seen[field.ID] = true
		}
	})
}
