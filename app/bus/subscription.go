package bus

import (
	"context"
	"sync"

	"parley/app"
)

const (
	// maxWeight is how many bytes of durable events may wait for a subscriber.
	maxWeight = 32 << 20
	// maxTransient is how many bytes of transient text may wait; more is dropped.
	maxTransient = 1 << 20
)

// Subscription is one subscriber's place in the stream.
type Subscription struct {
	bus  *Bus
	wake chan struct{} // of capacity one: there is something to look at

	mu        sync.Mutex              // guards the fields below
	queue     []slot                  // in order; gone ones are skipped
	latest    map[key]int             // newest queued transient of a message or tool, by place in queue
	seen      map[app.SessionID]int64 // number of the newest durable event handed out or in the present
	durable   int                     // durable events in queue
	weight    int                     // their bytes, roughly
	transient int                     // bytes of transient text in queue
	started   bool                    // the present is known
	lost      bool
	closed    bool
}

func newSubscription(b *Bus) *Subscription {
	return &Subscription{
		bus: b, wake: make(chan struct{}, 1), latest: map[key]int{}, seen: map[app.SessionID]int64{},
	}
}

// Next waits for events and returns all that wait. resync says that there were
// too many of them: the subscription is then of no more use, and the subscriber
// subscribes again. It returns the cause of ctx when that ends, and ErrClosed
// when the subscription or the bus was closed and nothing is left.
func (s *Subscription) Next(ctx context.Context) (batch []app.Event, resync bool, err error) {
	for {
		batch, resync, err = s.take()
		if batch != nil || resync || err != nil {
			return batch, resync, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.bus.remove(s)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.signal()
}

// start says what the present holds: events that it tells already are left out.
func (s *Subscription) start(snap app.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range snap.Sessions {
		s.seen[session.ID] = session.LastSeq
	}
	s.started = true
	for i := range s.queue {
		if e := s.queue[i].event; !s.queue[i].gone && e.Durable() && s.old(e) {
			s.drop(i)
		}
	}
}

// old reports whether e was handed out, or told by the present; it notes a new
// one.
func (s *Subscription) old(e app.Event) bool {
	if e.Seq <= s.seen[e.SessionID] {
		return true
	}
	s.seen[e.SessionID] = e.Seq
	return false
}

func (s *Subscription) push(events []app.Event) {
	s.mu.Lock()
	for _, e := range events {
		if s.closed || s.lost {
			break
		}
		s.add(e)
	}
	s.mu.Unlock()
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look anyway
	}
}

func (s *Subscription) add(e app.Event) {
	if !e.Durable() {
		s.addTransient(e)
		return
	}
	if s.started && s.old(e) {
		return
	}
	if k, ok := completes(e); ok { // the whole is there, so its pieces need not be
		if i, waits := s.latest[k]; waits {
			s.drop(i)
			delete(s.latest, k)
		}
	}
	s.durable++
	s.weight += weigh(e)
	if s.durable > s.bus.limit || s.weight > maxWeight {
		s.lost, s.queue, s.latest = true, nil, nil
		return
	}
	s.queue = append(s.queue, slot{event: e})
}

func (s *Subscription) addTransient(e app.Event) {
	size := weigh(e)
	if s.transient+size > maxTransient {
		return
	}
	k, ok := pieceOf(e)
	if i, waits := s.latest[k]; ok && waits && s.queue[i].merge(e) {
		s.transient += size
		s.queue[i].size += size
		return
	}
	s.transient += size
	s.queue = append(s.queue, slot{event: e, size: size})
	if ok {
		s.latest[k] = len(s.queue) - 1
	}
}

func (s *Subscription) drop(i int) {
	slot := &s.queue[i]
	if slot.event.Durable() {
		s.durable--
		s.weight -= weigh(slot.event)
	} else {
		s.transient -= slot.size
	}
	*slot = nothing
}

// take empties the queue. batch is nil when nothing waits.
func (s *Subscription) take() (batch []app.Event, resync bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return nil, true, nil
	}
	for _, slot := range s.queue {
		if !slot.gone {
			batch = append(batch, slot.whole())
		}
	}
	s.queue, s.durable, s.weight, s.transient = nil, 0, 0, 0
	clear(s.latest)
	if batch == nil && s.closed {
		return nil, false, ErrClosed
	}
	return batch, false, nil
}
