package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/app"
	"parley/app/api"
)

// pipe is a response writer like the window's: no Flusher, no deadlines. It
// records when each piece was written.
type pipe struct {
	mu     sync.Mutex
	head   http.Header
	pieces []string
	at     []time.Time
	broken bool
	wrote  chan struct{}
}

func newPipe() *pipe { return &pipe{head: http.Header{}, wrote: make(chan struct{}, 1000)} }

func (p *pipe) Header() http.Header { return p.head }
func (p *pipe) WriteHeader(int)     {}
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return 0, errors.New("broken pipe")
	}
	p.pieces = append(p.pieces, string(b))
	p.at = append(p.at, time.Now())
	p.wrote <- struct{}{}
	return len(b), nil
}

func (p *pipe) breakUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
}

// written is each piece and when it came.
func (p *pipe) written() ([]string, []time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pieces), slices.Clone(p.at)
}

func (p *pipe) frames(t testing.TB) []api.Frame {
	t.Helper()
	var list []api.Frame
	pieces, _ := p.written()
	for _, piece := range pieces {
		text, ok := strings.CutPrefix(piece, "data: ")
		if !ok {
			continue
		}
		var f api.Frame
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatalf("%q: %v", piece, err)
		}
		list = append(list, f)
	}
	return list
}

// readStream reads n pieces of a stream and ends it.
func readStream(t testing.TB, h http.Handler, n int) []api.Frame {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := newPipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(p, httptest.NewRequestWithContext(ctx, "GET", "/api/stream", nil))
	}()
	for range n {
		select {
		case <-p.wrote:
		case <-time.After(2 * time.Minute):
			t.Fatal("the stream says nothing")
		}
	}
	cancel()
	<-done
	return p.frames(t)
}

func note(n int) app.Event {
	return app.Event{Seq: int64(n), SessionID: "s", Type: app.EventNotice, Data: &app.Notice{Code: "n"}}
}

// inBubble runs a stream in a synctest bubble.
func inBubble(t *testing.T, w *world, f func(p *pipe, cancel func(), done <-chan struct{})) {
	synctest.Test(t, func(t *testing.T) {
		w.subs = make(chan *subscription, 8)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, done := newPipe(), make(chan struct{})
		h := api.Door(api.New(w.config(t)), app.ByWindow)
		go func() {
			defer close(done)
			h.ServeHTTP(p, httptest.NewRequestWithContext(ctx, "GET", "/api/stream", nil))
		}()
		f(p, cancel, done)
		cancel()
		<-done
	})
}

func TestTheStreamBeginsWithThePresentAndIsPaced(t *testing.T) {
	w := newWorld()
	w.present.Sessions = []app.Session{{ID: "s", LastSeq: 7}}
	inBubble(t, w, func(p *pipe, _ func(), _ <-chan struct{}) {
		sub := newSubscription()
		w.subs <- sub
		for i := range 100 {
			sub.feed <- []app.Event{note(8 + i)}
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Second)
		frames := p.frames(t)
		if frames[0].Snapshot == nil || frames[0].Snapshot.Sessions[0].LastSeq != 7 || frames[0].Resync {
			t.Fatalf("first frame %+v", frames[0])
		}
		want := int64(8)
		for _, f := range frames[1:] {
			for _, e := range f.Events {
				if e.Seq != want {
					t.Fatalf("event %d, want %d", e.Seq, want)
				}
				want++
			}
		}
		if want != 108 {
			t.Errorf("got events up to %d", want-1)
		}
		_, at := p.written()
		for i := 1; i < len(at); i++ {
			if d := at[i].Sub(at[i-1]); d < 33*time.Millisecond {
				t.Errorf("frame %d came %s after the one before", i, d)
			}
		}
		if len(frames) < 10 {
			t.Errorf("only %d frames in half a second of events", len(frames))
		}
	})
}

func TestAQuietStreamBeats(t *testing.T) {
	w := newWorld()
	inBubble(t, w, func(p *pipe, _ func(), _ <-chan struct{}) {
		sub := newSubscription()
		w.subs <- sub
		time.Sleep(46 * time.Second)
		if pieces, _ := p.written(); len(pieces) != 4 || pieces[1] != ":\n\n" {
			t.Errorf("pieces %q", pieces)
		}
		sub.feed <- []app.Event{note(1)}
		time.Sleep(time.Second)
		if frames := p.frames(t); len(frames) != 2 || frames[1].Events[0].Seq != 1 {
			t.Errorf("after the beats: %+v", frames)
		}
	})
}

func TestLostEventsBringANewPresent(t *testing.T) {
	w := newWorld()
	inBubble(t, w, func(p *pipe, _ func(), _ <-chan struct{}) {
		first, second := newSubscription(), newSubscription()
		w.subs <- first
		w.subs <- second
		first.feed <- nil
		time.Sleep(time.Second)
		second.feed <- []app.Event{note(5)}
		time.Sleep(time.Second)
		frames := p.frames(t)
		if len(frames) != 3 || !frames[1].Resync || frames[1].Snapshot == nil || frames[2].Events[0].Seq != 5 {
			t.Errorf("%+v", frames)
		}
		<-first.closed
	})
}

func TestAFailedWriteEndsTheStream(t *testing.T) {
	w := newWorld()
	inBubble(t, w, func(p *pipe, _ func(), done <-chan struct{}) {
		sub := newSubscription()
		w.subs <- sub
		synctest.Wait()
		p.breakUp() // the window's page is gone, and nobody cancels the request
		<-done      // the next heartbeat finds out
		<-sub.closed
	})
}

func TestTheStreamEndsWithItsRequest(t *testing.T) {
	w := newWorld()
	inBubble(t, w, func(_ *pipe, cancel func(), done <-chan struct{}) {
		sub := newSubscription()
		w.subs <- sub
		synctest.Wait()
		cancel()
		<-done
		<-sub.closed
	})
}
