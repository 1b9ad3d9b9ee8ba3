package mask_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/app/mask"
)

// TestStreamHidesWhatIsCut cuts texts with secrets at every place there is: the
// pieces add up to what Hide makes of the whole, and none gives a secret away.
func TestStreamHidesWhatIsCut(t *testing.T) {
	const known, lines = "correct horse battery", "first line of it\nsecond line"
	shapes := []string{
		"sk-ant-" + strings.Repeat("aB3", 12), "ghp_" + strings.Repeat("x9Y", 10),
		"Authorization: Bearer " + strings.Repeat("t0k", 8), "plaunch_" + strings.Repeat("aZ-_0", 9)[:43],
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END PRIVATE KEY-----",
	}
	var secrets mask.Secrets
	secrets.Hold(known, lines)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(append([]string{
			known, lines, "correct horse", "first line of it\n", "sk-", "\n", "\r", " plain words ", "é世界 ", strings.Repeat("long ", 20_000),
		}, shapes...)), 1, 12).Draw(t, "parts")
		whole := strings.Join(parts, " ")
		stream := secrets.Stream()
		var shown strings.Builder
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 30_000)).Draw(t, "cut")
			shown.WriteString(stream.Push(rest[:n]))
			rest = rest[n:]
		}
		shown.WriteString(stream.Flush())
		if got, want := shown.String(), secrets.Hide(whole); got != want {
			t.Fatalf("pieces of %q add up to %q, want %q", whole, got, want)
		}
		for _, s := range append([]string{known, lines}, shapes[0], shapes[1], shapes[3], "MIIEvQIBADANBg") {
			if strings.Contains(shown.String(), s) {
				t.Fatalf("%q is shown", s)
			}
		}
	})
}

// TestStreamLetsLinesOut has whole lines come out as soon as they are there, and
// a line without an end after a while.
func TestStreamLetsLinesOut(t *testing.T) {
	var secrets mask.Secrets
	s := secrets.Stream()
	if got := s.Push("one\ntwo"); got != "one\n" {
		t.Errorf("got %q", got)
	}
	if got := s.Push(" and\r50 %\r"); got != "two and\r50 %\r" {
		t.Errorf("got %q", got)
	}
	if got := s.Push(strings.Repeat("x", 100_000)); len(got) < 90_000 || len(got) == 100_000 {
		t.Errorf("%d bytes of a line without an end are shown", len(got))
	}
}
