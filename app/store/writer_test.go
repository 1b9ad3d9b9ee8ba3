package store_test

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"parley/app"
	"parley/app/store"
)

// TestWhatIsToldIsStored: whoever looks at the file from outside when an event is
// told finds it there.
func TestWhatIsToldIsStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	outside, err := sql.Open("sqlite3", "file:"+path)
	must(t, err)
	defer outside.Close()
	told := 0
	db, err := store.Open(t.Context(), store.Config{
		Path: path, Log: slog.New(slog.DiscardHandler),
		Committed: func(events []app.Event) {
			for _, e := range events {
				var n int
				if err := outside.QueryRow(`SELECT count(*) FROM events WHERE session_id = ? AND seq = ?`, e.SessionID, e.Seq).Scan(&n); err != nil || n != 1 {
					t.Errorf("event %d was told and is stored %d times (%v)", e.Seq, n, err)
				}
				told++
			}
		},
	})
	must(t, err)
	defer db.Close()
	s, err := db.CreateSession(t.Context(), app.Session{ID: newID()})
	must(t, err)
	_, err = db.Append(t.Context(), s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}}, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
	must(t, err)
	equal(t, told, 3)
}

// TestWritesShareATransaction holds the writer in its first commit while others
// queue up, some of them bad: they must go out as one group, in order, and the
// bad ones alone must fail.
func TestWritesShareATransaction(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var groups [][]app.Event
		hold := make(chan struct{})
		db, err := store.Open(t.Context(), store.Config{
			Path: filepath.Join(dir, "parley.db"), Log: slog.New(slog.DiscardHandler),
			Committed: func(events []app.Event) {
				groups = append(groups, events)
				if len(groups) == 2 {
					<-hold
				}
			},
		})
		must(t, err)
		defer db.Close()
		ctx := t.Context()
		s, err := db.CreateSession(ctx, app.Session{ID: newID()})
		must(t, err)
		append := func() error {
			_, err := db.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
			return err
		}
		var wg sync.WaitGroup
		wg.Go(func() { must(t, append()) })
		synctest.Wait() // the writer sits in Committed now
		for i := range 40 {
			wg.Go(func() {
				switch i % 4 {
				case 0:
					must(t, append())
				case 1:
					wantCode(t, db.DropQueued(ctx, "nothing"), app.CodeNotFound)
				case 2:
					if err := db.Panic(); err == nil {
						t.Error("a panic in a write is no error")
					}
				case 3: // fails when half of it is written
					_, err := db.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}},
						app.Fact{Type: app.EventToolCompleted, Data: app.ToolCompleted{RenderPayload: []byte("{")}})
					if err == nil {
						t.Error("an event that can't be encoded is no error")
					}
				}
			})
		}
		synctest.Wait()
		close(hold)
		wg.Wait()
		if len(groups) != 3 || len(groups[2]) != 10 {
			t.Fatalf("%d groups, the last of %d events; want one group of 10 for those that waited", len(groups), len(groups[len(groups)-1]))
		}
		for i, e := range groups[2] {
			equal(t, e.Seq, int64(i+3))
		}
		got, err := db.Session(ctx, s.ID)
		must(t, err)
		equal(t, got.LastSeq, int64(12))
	})
}

// TestReturnedMeansPublished checks the promise that everything else is built
// on: when a write returns, its events are out and can be read back.
func TestReturnedMeansPublished(t *testing.T) {
	r, ctx := open(t), t.Context()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := r.CreateSession(ctx, app.Session{ID: newID()})
			if err != nil {
				t.Error(err)
				return
			}
			for range 50 {
				seq, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
				if err != nil {
					t.Error(err)
					return
				}
				r.heard.mu.Lock()
				found := false
				for _, e := range r.heard.events {
					found = found || e.SessionID == s.ID && e.Seq == seq
				}
				r.heard.mu.Unlock()
				got, err := r.DB.Session(ctx, s.ID)
				if err != nil || got.LastSeq < seq || !found {
					t.Errorf("event %d: published %v, session at %d, %v", seq, found, got.LastSeq, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestNumbersHaveNoGaps drives random operations, good and bad, from several
// sessions: the published events of each session are numbered without a gap and
// are the stored ones.
func TestNumbersHaveNoGaps(t *testing.T) {
	db, ctx := open(t), t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		db.heard.take()
		var err error
		var sessions []app.SessionID
		for range 2 {
			s, err := db.CreateSession(ctx, app.Session{ID: newID()})
			must(t, err)
			sessions = append(sessions, s.ID)
		}
		turn := ""
		steps := rapid.IntRange(1, 25).Draw(rt, "steps")
		for range steps {
			s := rapid.SampledFrom(sessions).Draw(rt, "session")
			switch rapid.IntRange(0, 6).Draw(rt, "op") {
			case 0:
				facts := make([]app.Fact, rapid.IntRange(1, 4).Draw(rt, "facts"))
				for i := range facts {
					facts[i] = app.Fact{Type: app.EventNotice, Data: app.Notice{}}
				}
				_, err = db.Append(ctx, s, facts...)
			case 1:
				turn = newID()
				err = db.StartTurn(ctx, app.Turn{ID: turn, SessionID: s})
			case 2:
				err = db.EndTurn(ctx, turn, app.TurnEnded{Status: app.TurnCompleted})
			case 3:
				err = db.OpenInteraction(ctx, app.Interaction{ID: newID(), SessionID: s, RunID: turn, Kind: app.KindClarify})
			case 4:
				_, err = db.PutPlan(ctx, app.Plan{ID: newID(), SessionID: s, TurnID: turn, Steps: []app.PlanStep{}})
			case 5:
				_, err = db.UpdateSession(ctx, s, func(s *app.Session) { s.Title += "x" })
			case 6:
				err = db.Recover(ctx)
			}
			if err != nil && app.ErrorCode(err) != app.CodeNotFound && app.ErrorCode(err) != app.CodeNoActiveTurn {
				rt.Fatalf("unexpected error: %v", err)
			}
		}
		published := map[app.SessionID][]app.Event{}
		for _, e := range db.heard.take() {
			published[e.SessionID] = append(published[e.SessionID], e)
		}
		for _, s := range sessions {
			stored, through, more, err := db.Events(ctx, s, 0, 0, 1000)
			must(t, err)
			if more || len(stored) != len(published[s]) || through != int64(len(stored)) {
				rt.Fatalf("%d stored, %d published, through %d", len(stored), len(published[s]), through)
			}
			for i, e := range published[s] {
				if e.Seq != int64(i+1) || stored[i].Seq != e.Seq || stored[i].Type != e.Type || stored[i].At != e.At {
					rt.Fatalf("event %d: published %d %s, stored %d %s", i+1, e.Seq, e.Type, stored[i].Seq, stored[i].Type)
				}
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	r, ctx := open(b), b.Context()
	s := r.session(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: "300 bytes or so"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendTogether(b *testing.B) {
	r, ctx := open(b), b.Context()
	s := r.session(b)
	b.SetParallelism(10) // twenty agents
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: "300 bytes or so"}}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
