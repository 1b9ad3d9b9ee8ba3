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

// BenchmarkAskingInWindow has sessions ask, five alone and then twenty at once, and
// measures from each tool call, as the back end heard of it from the agent, until
// the window shows it, seen in the memory of the virtual screen: the open card in
// the inbox, and as many sessions marked as waiting in the list as calls were made.
// Twenty agents, the window and its drawing share the computer.
//
//	PARLEY_BIN_DIR=$PWD/bin go test -tags desktop,production,webkit2_41 -run - -bench AskingInWindow -benchtime 20x ./app/desktop
func BenchmarkAskingInWindow(b *testing.B) {
	const sessions, alone = 20, 5
	s := newStage(b)
	s.window()
	ids := make([]app.SessionID, sessions)
	for i := range ids {
		ids[i] = s.quiet(fmt.Sprintf("say ready %d", i))
	}
	screen := openScreen(b, s.dir)
	screen.right = 4 * 1350  // the whole window counts
	s.askAll(b, screen, ids) // drawn once, not counted

	table := figures.New("A tool call until the window shows its question",
		"what", "times", "median ms", "p95 ms", "p99 ms", "all calls within, median ms")
	row := func(what string, times, within figures.Sample) {
		table.Row(what, len(times), times.Median(), times.Quantile(0.95), times.Quantile(0.99), within.Median())
	}
	var one, recorded, marked, first, spread figures.Sample
	for b.Loop() {
		for i := range alone {
			round := s.askAll(b, screen, ids[i:i+1])
			one = append(one, since(round.called[0], round.card))
		}
		round := s.askAll(b, screen, ids)
		for i, called := range round.called {
			recorded = append(recorded, since(called, round.asked[i]))
			marked = append(marked, since(called, round.marked[i]))
		}
		first = append(first, since(round.called[0], round.card))
		spread = append(spread, since(round.called[0], round.called[sessions-1]))
	}
	row("one asks: tool call → card on the screen", one, figures.Sample{0})
	row("20 at once: tool call → question in the record", recorded, spread)
	row("20 at once: first tool call → card on the screen", first, spread)
	row("20 at once: tool call → its session marked in the list", marked, spread)
	table.Print(b)
}

func since(from, to time.Time) float64 { return float64(to.Sub(from)) / 1e6 }

// asking is when tools were called, questions recorded and marks seen in the list,
// each in its own order, and when the open card was seen.
type asking struct {
	called, asked, marked []time.Time
	card                  time.Time
}

// askAll has each session ask while the inbox shows, and answers all of them.
func (s *stage) askAll(b *testing.B, screen *screen, ids []app.SessionID) (round asking) {
	b.Helper()
	// An inbox that shows what was settled goes on showing it until the person leaves.
	for _, key := range []string{"ctrl+comma", "ctrl+i"} {
		s.still(screen)
		s.do("xdotool", "key", key)
	}
	s.still(screen)
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
	for limit := time.Now().Add(waitLimit); len(round.marked) < len(ids) || round.card.IsZero(); time.Sleep(time.Millisecond) {
		if round.card.IsZero() && screen.card() {
			round.card = time.Now()
		}
		for marks := screen.marks(); len(round.marked) < marks; {
			round.marked = append(round.marked, time.Now())
		}
		if time.Now().After(limit) {
			s.picture("bench-failed")
			b.Fatalf("%d of %d sessions are marked as waiting; a card: %t", len(round.marked), len(ids), !round.card.IsZero())
		}
	}
	sent.Wait()
	for _, in := range s.waiting(len(ids)) {
		round.asked = append(round.asked, time.UnixMilli(in.RequestedAt))
		if _, err := s.client().Answer(b.Context(), app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "yes"}); err != nil {
			b.Fatal(err)
		}
	}
	s.until("nothing shows that somebody waits", func() bool { return screen.marks() == 0 && !screen.card() })
	for i, id := range ids {
		err := s.client().EachEvent(b.Context(), id, func(e app.Event) error {
			if d, ok := apptest.Data[app.ToolStarted](e); ok && e.TurnID == turns[i] && d.Name == mcp.ToolClarify {
				round.called = append(round.called, time.UnixMilli(e.At))
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
	if len(round.called) != len(ids) {
		b.Fatalf("%d tool calls of %d sessions", len(round.called), len(ids))
	}
	slices.SortFunc(round.called, time.Time.Compare)
	slices.SortFunc(round.asked, time.Time.Compare)
	return round
}

// still waits until the window shows the page and nothing in it has moved for a while.
// The tree of accessibility would tell too, and slow down what is measured.
func (s *stage) still(screen *screen) {
	s.t.Helper()
	var sum uint64
	var at time.Time
	s.until("nothing moves", func() bool {
		if now := screen.sum(); now != sum {
			sum, at = now, time.Now()
		}
		return bytes.Equal(screen.pixel(100, 720), listColour) && time.Since(at) > 500*time.Millisecond
	})
}

// Blue, green, red of the light theme.
var (
	markColour = []byte{0x2b, 0xa2, 0xeb}
	headColour = []byte{0xcb, 0xef, 0xff}
	listColour = []byte{0xf6, 0xf3, 0xf1} // where it is empty
)

func (s *screen) pixel(x, y int) []byte {
	at := s.head + y*s.line + 4*x
	return s.memory[at : at+3]
}

// card tells whether the head of a waiting card stands in the inbox.
func (s *screen) card() bool {
	const column = 1060 // pixels: right of the names in it, left of the clock
	for y := 120; y < 400; y += 8 {
		if bytes.Equal(s.pixel(column, y), headColour) {
			return true
		}
	}
	return false
}

// marks counts the amber discs of sessions that wait for the person, in the list
// of sessions.
func (s *screen) marks() (n int) {
	const column, apart = 100, 8 // pixels: through the discs, left of their sign; less than between two
	last := -apart
	for y := 60; y < 840; y++ {
		if bytes.Equal(s.pixel(column, y), markColour) {
			if y-last >= apart {
				n++
			}
			last = y
		}
	}
	return n
}
