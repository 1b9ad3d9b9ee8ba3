package doctor

import (
	"context"
	"sync"
	"time"

	"parley/app"
	"parley/app/api"
)

// events is what a trial's back end told so far. A wait for one of them is a
// look at all: what came before the wait counts. It may be used from any
// goroutine.
type events struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing more comes

	mu   sync.Mutex // guards the fields below
	all  []told
	more chan struct{} // closed with the next
}

// told is an event and when it arrived here.
type told struct {
	app.Event
	here time.Time
}

// follow begins to listen and returns once nothing can be missed any more.
func follow(ctx context.Context, c *api.Client) (*events, error) {
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e := &events{cancel: cancel, ended: make(chan struct{}), more: make(chan struct{})}
	began := make(chan struct{})
	failure := make(chan error, 1)
	go func() {
		defer close(e.ended)
		var once sync.Once
		failure <- c.Stream(run, func(f api.Frame) error {
			once.Do(func() { close(began) })
			e.add(f.Events)
			return nil
		})
	}()
	select {
	case <-began:
		return e, nil
	case err := <-failure:
		cancel()
		return nil, err
	case <-ctx.Done():
		e.close()
		return nil, context.Cause(ctx)
	}
}

func (e *events) close() {
	e.cancel()
	<-e.ended
}

func (e *events) add(list []app.Event) {
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range list {
		e.all = append(e.all, told{ev, now})
	}
	close(e.more)
	e.more = make(chan struct{})
}

// mark is the number of events so far: what is waited for behind it is new.
func (e *events) mark() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.all)
}

// wait returns the first event behind from that fits; false when it does not
// come within limit.
func (e *events) wait(ctx context.Context, limit time.Duration, from int, fits func(app.Event) bool) (told, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for seen := from; ; {
		e.mu.Lock()
		all, more := e.all, e.more
		e.mu.Unlock()
		for ; seen < len(all); seen++ {
			if fits(all[seen].Event) {
				return all[seen], true
			}
		}
		select {
		case <-more:
		case <-timer.C:
			return told{}, false
		case <-e.ended:
			return told{}, false
		case <-ctx.Done():
			return told{}, false
		}
	}
}

// has reports whether one behind from fits.
func (e *events) has(from int, fits func(app.Event) bool) bool {
	e.mu.Lock()
	all := e.all
	e.mu.Unlock()
	for _, t := range all[from:] {
		if fits(t.Event) {
			return true
		}
	}
	return false
}

// What is waited for.

func isEnd(e app.Event) bool  { return e.Type == app.EventTurnCompleted }
func isExit(e app.Event) bool { return e.Type == app.EventAgentExited }

func isWord(e app.Event) bool {
	return e.Type == app.EventMessageDelta || e.Type == app.EventMessageCompleted
}

func asks(k app.Kind) func(app.Event) bool {
	typ := app.InteractionEvent(k, app.StepRequested)
	return func(e app.Event) bool { return e.Type == typ }
}

func both(a, b func(app.Event) bool) func(app.Event) bool {
	return func(e app.Event) bool { return a(e) && b(e) }
}

func either(fits ...func(app.Event) bool) func(app.Event) bool {
	return func(e app.Event) bool {
		for _, f := range fits {
			if f(e) {
				return true
			}
		}
		return false
	}
}
