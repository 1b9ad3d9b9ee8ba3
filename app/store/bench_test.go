package store_test

import (
	"fmt"
	"testing"
	"time"

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
	if err := long(ctx, r.DB, s.ID, 100); err != nil {
		b.Fatal(err)
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

// BenchmarkFork copies a session with 100,000 events while another one is written
// to all the time, and tells the longest of those writes. Nothing passes or fails
// by it.
//
//	go test -run - -bench Fork -benchtime 10x ./app/store
func BenchmarkFork(b *testing.B) {
	r, ctx := open(b), b.Context()
	s, other := r.session(b), r.session(b)
	if err := long(ctx, r.DB, s.ID, 100); err != nil {
		b.Fatal(err)
	}
	over, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for {
			select {
			case <-over:
				longest <- most
				return
			default:
			}
			began := time.Now()
			if _, err := r.Append(ctx, other.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: "beside"}}); err != nil {
				b.Error(err)
			}
			most = max(most, time.Since(began))
		}
	}()
	for b.Loop() {
		if _, err := fork(ctx, r.DB, s.ID); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	close(over)
	b.ReportMetric(float64((<-longest).Microseconds())/1000, "ms-longest-write")
}
