//go:build desktop && linux

package desktop_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
	"parley/build/figures"
	"parley/mcp"
)

// BenchmarkAskingInWindow has twenty sessions ask at once and measures from each
// tool call, as the back end heard of it from the agent, until as many sessions
// are marked as waiting in the window's list, seen in the memory of the virtual
// screen. Twenty agents, the window and its drawing share the computer meanwhile.
//
//	PARLEY_BIN_DIR=$PWD/bin go test -tags desktop,production,webkit2_41 -run - -bench AskingInWindow -benchtime 20x ./app/desktop
func BenchmarkAskingInWindow(b *testing.B) {
	const sessions = 20
	s := newStage(b)
	s.window()
	s.find("push button", "Start the demo")
	ids := make([]app.SessionID, sessions)
	for i := range ids {
		ids[i] = s.quiet(fmt.Sprintf("say ready %d", i))
	}
	screen := openScreen(b, s.dir)

	table := figures.New(fmt.Sprintf("%d sessions ask at once: a tool call until its session is marked as waiting (window)", sessions),
		"what", "calls", "median ms", "p95 ms", "p99 ms", "all calls within, median ms")
	var recorded, shown, spread figures.Sample
	for b.Loop() {
		called, asked, seen := s.askAll(b, screen, ids)
		for i := range called {
			recorded = append(recorded, float64(asked[i].Sub(called[i]))/1e6)
			shown = append(shown, float64(seen[i].Sub(called[i]))/1e6)
		}
		spread = append(spread, float64(called[len(called)-1].Sub(called[0]))/1e6)
	}
	table.Row("tool call → question in the record", len(recorded), recorded.Median(), recorded.Quantile(0.95), recorded.Quantile(0.99), spread.Median())
	table.Row("tool call → mark on the screen", len(shown), shown.Median(), shown.Quantile(0.95), shown.Quantile(0.99), spread.Median())
	table.Print(b)
}

// askAll has each session ask and answers all of them. It returns when tools were
// called, questions recorded and marks on the screen, each in its own order.
func (s *stage) askAll(b *testing.B, screen *screen, ids []app.SessionID) (called, asked, seen []time.Time) {
	b.Helper()
	turns := make([]app.TurnID, len(ids))
	var sent sync.WaitGroup
	for i, id := range ids {
		sent.Go(func() {
			reply, err := s.client().Send(b.Context(), id, api.NewMessage{Text: "ask 1"})
			if err != nil {
				b.Error(err)
			}
			turns[i] = reply.TurnID
		})
	}
	for limit := time.Now().Add(waitLimit); len(seen) < len(ids); time.Sleep(time.Millisecond) {
		for marks := screen.marks(); len(seen) < marks; {
			seen = append(seen, time.Now())
		}
		if time.Now().After(limit) {
			s.picture("bench-failed")
			b.Fatalf("%d of %d sessions are marked as waiting", len(seen), len(ids))
		}
	}
	sent.Wait()
	for _, in := range s.waiting(len(ids)) {
		asked = append(asked, time.UnixMilli(in.RequestedAt))
		if _, err := s.client().Answer(b.Context(), app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "yes"}); err != nil {
			b.Fatal(err)
		}
	}
	s.until("no session is marked as waiting", func() bool { return screen.marks() == 0 })
	for i, id := range ids {
		err := s.client().EachEvent(b.Context(), id, func(e app.Event) error {
			if d, ok := apptest.Data[app.ToolStarted](e); ok && e.TurnID == turns[i] && d.Name == mcp.ToolClarify {
				called = append(called, time.UnixMilli(e.At))
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		s.until("the session is idle", func() bool {
			got, err := s.client().Session(b.Context(), id)
			return err == nil && got.State == app.StateIdle
		})
	}
	if len(called) != len(ids) {
		b.Fatalf("%d tool calls of %d sessions", len(called), len(ids))
	}
	slices.SortFunc(called, time.Time.Compare)
	slices.SortFunc(asked, time.Time.Compare)
	return called, asked, seen
}

// marks counts the amber discs of sessions that wait for the person, in the list
// of sessions.
func (s *screen) marks() (n int) {
	amber := []byte{0x2b, 0xa2, 0xeb} // blue, green, red of the light theme
	const column, apart = 100, 8      // pixels: through the discs, left of their sign; less than between two
	last := -apart
	for y := 60; y < 840; y++ {
		at := s.head + y*s.line + 4*column
		if bytes.Equal(s.memory[at:at+3], amber) {
			if y-last >= apart {
				n++
			}
			last = y
		}
	}
	return n
}
