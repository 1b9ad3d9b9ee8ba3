// Package bus hands what happens to whoever looks: the present first, then the
// events that follow it, without gap or overlap. It keeps nothing of its own;
// the store is the record.
//
// Two promises of delivery:
//
//   - A durable event (it has a number) reaches every subscriber in order,
//     exactly once. One that is too slow for that is told so (resync) and starts
//     again from the present; nothing is left out silently.
//   - A transient event (a piece of text, progress, usage) may be merged with
//     others of the same message or tool, be left out when its whole has
//     arrived, or be dropped for a slow subscriber. It is never the only carrier
//     of a fact.
//
// Concurrency: all methods may be called from any goroutine. Publishing never
// waits for a subscriber and never calls out.
package bus

import (
	"errors"
	"sync"

	"parley/app"
)

// DefaultLimit is how many durable events may wait for one subscriber: minutes
// of work of twenty agents.
const DefaultLimit = 10_000

// ErrClosed is what a subscription returns once it, or the bus, was closed.
var ErrClosed = errors.New("the stream of events was closed")

// Bus passes events on.
type Bus struct {
	limit int

	mu     sync.Mutex // guards the fields below
	subs   map[*Subscription]struct{}
	closed bool
}

// New makes a bus on which at most limit durable events wait for a subscriber;
// 0 is DefaultLimit.
func New(limit int) *Bus {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Bus{limit: limit, subs: map[*Subscription]struct{}{}}
}

// Publish passes one event on.
func (b *Bus) Publish(e app.Event) { b.PublishAll([]app.Event{e}) }

// PublishAll passes events on in order. Durable ones must come in the order of
// their commits.
func (b *Bus) PublishAll(events []app.Event) {
	for _, s := range b.all() {
		s.push(events)
	}
}

// Subscribe returns the present, which snapshot tells, and what follows it.
// snapshot is called once the subscription listens, so that what commits
// meanwhile is in the one or in the other; what is in both is left out of the
// events. Close the subscription when it is no longer read.
func (b *Bus) Subscribe(snapshot func() (app.Snapshot, error)) (app.Snapshot, *Subscription, error) {
	s := newSubscription(b)
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return app.Snapshot{}, nil, ErrClosed
	}
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	snap, err := snapshot()
	if err != nil {
		s.Close()
		return app.Snapshot{}, nil, err
	}
	s.start(snap)
	return snap, s, nil
}

// Close ends all subscriptions and refuses new ones. What waits for a
// subscriber is still handed out.
func (b *Bus) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	for _, s := range b.all() {
		s.Close()
	}
}

func (b *Bus) all() []*Subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	subs := make([]*Subscription, 0, len(b.subs))
	for s := range b.subs {
		subs = append(subs, s)
	}
	return subs
}

func (b *Bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs, s)
}
