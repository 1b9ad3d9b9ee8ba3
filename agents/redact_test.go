package agents_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/agents"
)

var (
	id    = "pctx_" + strings.Repeat("aZ-_0", 9)[:43]
	token = "plaunch_" + strings.Repeat("aZ-_0", 9)[:43]
)

func TestRedact(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"none", "nothing of the kind", "nothing of the kind"},
		{"in JSON", `{"context_id":"` + id + `"}`, `{"context_id":"[context id]"}`},
		{"twice", id + " " + id, "[context id] [context id]"},
		{"a launch token", "the file says " + token + ".", "the file says [launch token]."},
		{"both", token + id, "[launch token][context id]"},
		{"too short to be one", "pctx_abc", "pctx_abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := agents.Redact(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRedactorHoldsWhatIsCut cuts a text at every place there is: the pieces
// must add up to what Redact makes of the whole, and no piece may give the id
// away.
func TestRedactorHoldsWhatIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{id, token, "pctx_", "p", "pc", "plaunch", "plaunch_x", "short pctx_ab ", "é", "\n", "x-"})).Draw(t, "parts")
		whole := strings.Join(parts, "")
		var r agents.Redactor
		var shown strings.Builder
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			shown.WriteString(r.Push(rest[:n]))
			rest = rest[n:]
			if strings.Contains(shown.String(), id) || strings.Contains(shown.String(), token) {
				t.Fatalf("shown: %q", shown.String())
			}
		}
		shown.WriteString(r.Flush())
		if got, want := shown.String(), agents.Redact(whole); got != want {
			t.Fatalf("pieces add up to %q, want %q", got, want)
		}
	})
}
