package store_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
)

// BenchmarkLongRecord reads from a record with 100,000 events in one session and
// 1,000 further sessions: the newest page, one from the middle, one upward, the
// list of sessions and the present. Nothing passes or fails by it.
//
//	go test -run - -bench LongRecord -benchmem ./app/store
func BenchmarkLongRecord(b *testing.B) {
	r, ctx := open(b), b.Context()
	s := r.session(b)
	for range 1000 {
		r.session(b)
	}
	fact := app.Fact{Type: app.EventMessageCompleted, Data: app.MessageText{MessageID: "m", Text: strings.Repeat("word ", 100)}}
	batch := make([]app.Fact, 1000)
	for i := range batch {
		batch[i] = fact
	}
	for range 100 {
		if _, err := r.Append(ctx, s.ID, batch...); err != nil {
			b.Fatal(err)
		}
	}
	for _, page := range []struct {
		name          string
		before, after int64
	}{{"newest", 0, 0}, {"middle", 50_000, 0}, {"upward", 0, 50_000}} {
		b.Run(fmt.Sprintf("page of 200, %s", page.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				events, _, more, err := r.Events(ctx, s.ID, page.before, page.after, 200)
				if err != nil || len(events) != 200 || !more {
					b.Fatal(len(events), more, err)
				}
			}
		})
	}
	b.Run("list of 1001 sessions", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if list, err := r.Sessions(ctx); err != nil || len(list) != 1001 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("the present", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Snapshot(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}
