package store_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/app"
)

// Titles of any kind are kept and keep neither a migration nor a start from
// going through.
func TestOddTitles(t *testing.T) {
	var surrogate string // what JSON makes of half a surrogate pair
	must(t, json.Unmarshal([]byte(`"half \ud800 of a pair"`), &surrogate))
	titles := []string{strings.Repeat("长", 10_000), "a\x00b", surrogate, "\xff\xfe no text", "line\nline", "‮reversed", "'; DROP TABLE sessions; --"}
	r, ctx := open(t), t.Context()
	ids := map[app.SessionID]string{}
	for _, title := range titles {
		s, err := r.CreateSession(ctx, app.Session{ID: newID(), Title: title, Kind: app.KindDirect, Agent: title, Cwd: "/" + title})
		must(t, err)
		_, err = r.UpdateSession(ctx, s.ID, func(s *app.Session) { s.Branch = title })
		must(t, err)
		ids[s.ID] = title
	}
	must(t, r.MigrateTo(ctx, later(t, next), r.clock.now()))
	list, err := r.Sessions(ctx)
	must(t, err)
	equal(t, len(list), len(titles))
	for _, s := range list {
		want := strings.ToValidUTF8(ids[s.ID], "\uFFFD")
		if s.Title != want || s.Agent != want || s.Branch != want || !utf8.ValidString(s.Title) {
			t.Errorf("%.40q became %.40q", ids[s.ID], s.Title)
		}
		events, _, _, err := r.Events(ctx, s.ID, 0, 0, 0)
		must(t, err)
		equal(t, len(events), 2)
	}
}
