package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"parley/app"
	"parley/app/bus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func present(sessions ...app.Session) func() (app.Snapshot, error) {
	return func() (app.Snapshot, error) { return app.Snapshot{Sessions: sessions}, nil }
}

func subscribe(t testing.TB, b *bus.Bus, snapshot func() (app.Snapshot, error)) *bus.Subscription {
	t.Helper()
	_, s, err := b.Subscribe(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func notice(session string, seq int64) app.Event {
	return app.Event{Seq: seq, SessionID: session, Type: app.EventNotice, Data: app.Notice{Text: fmt.Sprint(seq)}}
}

func delta(id string, offset int, text string) app.Event {
	return app.Event{SessionID: "s", Type: app.EventMessageDelta, Data: app.Delta{MessageID: id, Offset: offset, Text: text}}
}

// next reads one batch as short texts.
func next(t testing.TB, s *bus.Subscription) []string {
	t.Helper()
	batch, resync, err := s.Next(t.Context())
	if err != nil || resync {
		t.Fatalf("next: resync %v, %v", resync, err)
	}
	return texts(batch)
}

func texts(batch []app.Event) (out []string) {
	for _, e := range batch {
		switch d := e.Data.(type) {
		case app.Delta:
			out = append(out, fmt.Sprintf("%s@%d %s", d.MessageID, d.Offset, d.Text))
		case app.ToolProgress:
			out = append(out, fmt.Sprintf("%s@%d %s %s", d.ToolID, d.Offset, d.Output, d.Text))
		case app.Usage:
			out = append(out, fmt.Sprintf("usage %d", *d.InputTokens))
		default:
			out = append(out, fmt.Sprintf("%s/%d %s", e.SessionID, e.Seq, e.Type))
		}
	}
	return out
}

func equal(t testing.TB, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

func TestPresentThenWhatFollows(t *testing.T) {
	b := bus.New(0)
	var during []app.Event
	snapshot := func() (app.Snapshot, error) {
		// What commits while the present is taken: 4 is in it, 5 is not.
		during = []app.Event{notice("s", 4), notice("s", 5), notice("new", 1)}
		b.PublishAll(during)
		return app.Snapshot{Sessions: []app.Session{{ID: "s", LastSeq: 4}}}, nil
	}
	b.Publish(notice("s", 3))
	snap, s, err := b.Subscribe(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if snap.Sessions[0].LastSeq != 4 {
		t.Errorf("snapshot: %+v", snap)
	}
	b.PublishAll([]app.Event{notice("s", 5), notice("s", 6)}) // 5 once more
	equal(t, next(t, s), []string{"s/5 notice", "new/1 notice", "s/6 notice"})
	b.Publish(notice("s", 7))
	equal(t, next(t, s), []string{"s/7 notice"})
}

func TestFailedSnapshotLeavesNothing(t *testing.T) {
	b := bus.New(1)
	broken := errors.New("broken")
	if _, _, err := b.Subscribe(func() (app.Snapshot, error) { return app.Snapshot{}, broken }); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if n := b.Subscribers(); n != 0 {
		t.Errorf("%d subscribers left", n)
	}
}

func TestOverflowIsTold(t *testing.T) {
	b := bus.New(3)
	s, quick := subscribe(t, b, present()), subscribe(t, b, present())
	for seq := range int64(3) {
		b.Publish(notice("s", seq+1))
	}
	equal(t, next(t, quick), []string{"s/1 notice", "s/2 notice", "s/3 notice"})
	b.Publish(notice("s", 4))
	for range 2 { // it stays so: there is no way back into the middle
		batch, resync, err := s.Next(t.Context())
		if !resync || batch != nil || err != nil {
			t.Fatalf("batch %v, resync %v, %v", batch, resync, err)
		}
	}
	equal(t, next(t, quick), []string{"s/4 notice"}) // the other is not held up

	// Large events count by what they hold.
	heavy := subscribe(t, b, present())
	for seq := range int64(3) {
		b.Publish(app.Event{Seq: 5 + seq, SessionID: "s", Type: app.EventToolCompleted, Data: app.ToolCompleted{Output: strings.Repeat("x", 12<<20)}})
	}
	if _, resync, _ := heavy.Next(t.Context()); !resync {
		t.Error("36 MiB waited for a subscriber")
	}
}

func TestPiecesMerge(t *testing.T) {
	n, m := int64(1), int64(2)
	usage := func(n *int64) app.Event {
		return app.Event{SessionID: "s", Type: app.EventUsageUpdated, Data: app.Usage{InputTokens: n}}
	}
	progress := func(offset int, output, text string) app.Event {
		return app.Event{SessionID: "s", Type: app.EventToolProgress, Data: &app.ToolProgress{ToolID: "t", Offset: offset, Output: output, Text: text}}
	}
	reasoning := app.Event{SessionID: "s", Type: app.EventReasoningDelta, Data: app.Delta{MessageID: "a", Text: "hm"}}
	done := func(typ app.EventType, data app.EventData) app.Event {
		return app.Event{Seq: 9, SessionID: "s", Type: typ, Data: data}
	}
	for name, c := range map[string]struct {
		events []app.Event
		want   []string
	}{
		"text follows":       {[]app.Event{delta("a", 0, "问"), delta("a", 3, "题"), delta("a", 6, "!")}, []string{"a@0 问题!"}},
		"messages apart":     {[]app.Event{delta("a", 0, "x"), delta("b", 0, "y"), delta("a", 1, "z")}, []string{"a@0 xz", "b@0 y"}},
		"a gap stays a gap":  {[]app.Event{delta("a", 0, "x"), delta("a", 5, "y"), delta("a", 6, "z")}, []string{"a@0 x", "a@5 yz"}},
		"around a fact":      {[]app.Event{delta("a", 0, "x"), notice("s", 1), delta("a", 1, "y")}, []string{"a@0 xy", "s/1 notice"}},
		"the whole replaces": {[]app.Event{delta("a", 0, "x"), reasoning, done(app.EventMessageCompleted, app.MessageText{MessageID: "a"})}, []string{"a@0 hm", "s/9 message.completed"}},
		"whole reasoning":    {[]app.Event{delta("a", 0, "x"), reasoning, done(app.EventReasoningCompleted, &app.MessageText{MessageID: "a"})}, []string{"a@0 x", "s/9 reasoning.completed"}},
		"progress":           {[]app.Event{progress(0, "ab", ""), progress(2, "c", "half"), progress(0, "", "done")}, []string{"t@0 abc done"}},
		"progress gap":       {[]app.Event{progress(0, "ab", ""), progress(7, "c", "")}, []string{"t@0 ab ", "t@7 c "}},
		"tool is over":       {[]app.Event{progress(0, "ab", ""), done(app.EventToolCompleted, app.ToolCompleted{ToolID: "t"})}, []string{"s/9 tool.completed"}},
		"usage":              {[]app.Event{usage(&n), usage(&m)}, []string{"usage 2"}},
		"after the whole":    {[]app.Event{delta("a", 0, "x"), done(app.EventMessageCompleted, app.MessageText{MessageID: "a"}), delta("a", 0, "again")}, []string{"s/9 message.completed", "a@0 again"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := bus.New(0)
			s := subscribe(t, b, present())
			b.PublishAll(c.events)
			batch, _, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch {
				if p, ok := batch[i].Data.(*app.ToolProgress); ok {
					batch[i].Data = *p
				}
			}
			equal(t, texts(batch), c.want)
		})
	}
}

func TestTransientTextIsBounded(t *testing.T) {
	b := bus.New(0)
	s := subscribe(t, b, present())
	offset := 0
	for range 5000 {
		b.Publish(delta("a", offset, strings.Repeat("x", 1000)))
		offset += 1000
	}
	b.Publish(notice("s", 1))
	batch, _, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(batch[0].Data.(app.Delta).Text); len(batch) != 2 || n > 1<<20 || n < 1_000_000 {
		t.Errorf("%d events, %d bytes of text", len(batch), n)
	}
	// It goes on once the subscriber has caught up.
	b.Publish(delta("a", offset, "y"))
	equal(t, next(t, s), []string{"a@5000000 y"})
}

func TestEnds(t *testing.T) {
	b := bus.New(0)
	s := subscribe(t, b, present())
	reason := errors.New("the client went")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, _, err := s.Next(ctx); !errors.Is(err, reason) {
		t.Errorf("ended context: %v", err)
	}
	b.Publish(notice("s", 1))
	b.Close()
	equal(t, next(t, s), []string{"s/1 notice"}) // what waited is still handed out
	if _, _, err := s.Next(t.Context()); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("closed bus: %v", err)
	}
	b.Publish(notice("s", 2))
	if _, _, err := b.Subscribe(present()); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("subscribe to a closed bus: %v", err)
	}
}

func TestNextWakesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.New(0)
		s := subscribe(t, b, present())
		var wg sync.WaitGroup
		var got []string
		wg.Go(func() { got = next(t, s) })
		synctest.Wait()
		b.Publish(notice("s", 1))
		wg.Wait()
		equal(t, got, []string{"s/1 notice"})
		wg.Go(func() {
			if _, _, err := s.Next(t.Context()); !errors.Is(err, bus.ErrClosed) {
				t.Errorf("closed while waiting: %v", err)
			}
		})
		synctest.Wait()
		s.Close()
		wg.Wait()
	})
}

// TestNothingIsLostOrDoubled publishes from one writer while subscribers come
// at any moment and read at any pace: present and events together must always
// make the whole, in order.
func TestNothingIsLostOrDoubled(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := bus.New(rapid.IntRange(5, 60).Draw(rt, "limit"))
		defer b.Close()
		total := int64(rapid.IntRange(1, 60).Draw(rt, "events"))
		var mu sync.Mutex
		var committed int64
		take := func() (app.Snapshot, error) {
			mu.Lock()
			defer mu.Unlock()
			return app.Snapshot{Sessions: []app.Session{{ID: "s", LastSeq: committed}}}, nil
		}
		var wg sync.WaitGroup
		for range rapid.IntRange(1, 3).Draw(rt, "subscribers") {
			wg.Go(func() {
				var at int64
				for at < total {
					snap, s, err := b.Subscribe(take)
					if err != nil {
						rt.Errorf("subscribe: %v", err)
						return
					}
					if snap.Sessions[0].LastSeq < at {
						rt.Errorf("the present went back from %d to %d", at, snap.Sessions[0].LastSeq)
					}
					at = snap.Sessions[0].LastSeq
					for at < total {
						batch, resync, err := s.Next(t.Context())
						if err != nil {
							rt.Errorf("next: %v", err)
							return
						}
						if resync {
							break
						}
						for _, e := range batch {
							if e.Seq != at+1 {
								rt.Errorf("event %d after %d", e.Seq, at)
							}
							at = e.Seq
						}
					}
					s.Close()
				}
			})
		}
		for seq := int64(1); seq <= total; seq++ {
			mu.Lock()
			committed = seq
			mu.Unlock()
			b.Publish(notice("s", seq))
		}
		wg.Wait()
	})
}

func BenchmarkPublish(b *testing.B) {
	bus := bus.New(0)
	for range 3 {
		s := subscribe(b, bus, present())
		go func() {
			for {
				if _, _, err := s.Next(context.Background()); err != nil {
					return
				}
			}
		}()
	}
	offset := 0
	b.ReportAllocs()
	for b.Loop() {
		bus.Publish(delta("m", offset, "some words "))
		offset += 11
	}
	bus.Close()
}
