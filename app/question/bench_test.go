package question_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/app"
	"parley/app/bus"
	"parley/app/question"
	"parley/app/store"
)

// BenchmarkAskToSubscriber measures from the call of Ask until a subscriber of
// the bus holds the card, which is the back end's part of "on screen within
// 200 ms of the call". Run it with -benchtime=1000x.
func BenchmarkAskToSubscriber(b *testing.B) {
	ctx := b.Context()
	events := bus.New(0)
	defer events.Close()
	db, err := store.Open(ctx, store.Config{Path: filepath.Join(b.TempDir(), "parley.db"), Committed: events.PublishAll, Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	desk := question.New(question.Config{Records: db, Log: quiet})
	session, turn := newID(), newID()
	if _, err := db.CreateSession(ctx, app.Session{ID: session, Kind: app.KindDirect}); err != nil {
		b.Fatal(err)
	}
	if err := db.StartTurn(ctx, app.Turn{ID: turn, SessionID: session}); err != nil {
		b.Fatal(err)
	}
	_, sub, err := events.Subscribe(func() (app.Snapshot, error) { return db.Snapshot(ctx) })
	if err != nil {
		b.Fatal(err)
	}
	defer sub.Close()
	shown := func(id string) {
		for {
			batch, _, err := sub.Next(ctx)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range batch {
				if in, ok := e.Data.(app.Interaction); ok && in.ID == id {
					return
				}
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		in := app.Interaction{ID: newID(), Kind: app.KindClarify, SessionID: session, RunID: turn, Question: "Which?",
			Options: []app.Option{{Label: "a"}, {Label: "b"}}}
		done := make(chan app.Outcome, 1)
		start := time.Now()
		go func() {
			out, _ := desk.Ask(ctx, in)
			done <- out
		}()
		shown(in.ID)
		took = append(took, time.Since(start))
		if _, err := desk.Answer(context.Background(), app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "x"}); err != nil {
			b.Fatal(err)
		}
		if out := <-done; out.Text != "x" {
			b.Fatalf("got %+v", out)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
