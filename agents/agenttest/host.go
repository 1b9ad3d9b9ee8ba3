package agenttest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/agents"
	"parley/agents/agenttest/leaks"
)

// Host records what an agent says, in order, and hands its questions to the
// test. It may be used from any goroutine.
type Host struct {
	// Form decides on calls of the form tool: true puts them aside. nil lets all
	// be made. Set before the conversation begins.
	Form func(agents.FormCall) bool

	t testing.TB

	mu      sync.Mutex // guards the fields below
	events  []agents.Event
	asked   []*Asked
	next    int           // index of the question that NextAsk returns next
	changed chan struct{} // closed and replaced when anything is added
}

// Asked is a question that an agent has put.
type Asked struct {
	agents.Interaction
	Before []agents.Event // what had been emitted when it was put
	Ctx    context.Context

	answer chan agents.Outcome
}

// Answer settles the question. It must be called at most once.
func (a *Asked) Answer(o agents.Outcome) { a.answer <- o }

// NewHost returns a Host that has heard nothing.
func NewHost(t testing.TB) *Host {
	leaks.Each(t)
	return NewHostInBubble(t)
}

// NewHostInBubble is NewHost for a test in a bubble of testing/synctest, which by
// itself lets no goroutine outlast the test. Looking for them once more would take
// many times as long as an input of a fuzz target.
func NewHostInBubble(t testing.TB) *Host {
	return &Host{t: t, changed: make(chan struct{})}
}

var _ agents.Host = (*Host)(nil)

// Emit implements agents.Host.
func (h *Host) Emit(e agents.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
	h.wakeLocked()
}

// Ask implements agents.Host. It waits for the test's answer or for the agent
// to withdraw.
func (h *Host) Ask(ctx context.Context, in agents.Interaction) agents.Outcome {
	a := &Asked{Interaction: in, Ctx: ctx, answer: make(chan agents.Outcome, 1)}
	h.mu.Lock()
	a.Before = h.events[:len(h.events):len(h.events)]
	h.asked = append(h.asked, a)
	h.wakeLocked()
	h.mu.Unlock()
	select {
	case o := <-a.answer:
		return o
	case <-ctx.Done():
		return agents.Outcome{Reason: "cancelled"}
	}
}

// Defer implements agents.Host.
func (h *Host) Defer(_ context.Context, call agents.FormCall) bool {
	return h.Form != nil && h.Form(call)
}

func (h *Host) wakeLocked() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// Events returns what has been emitted so far.
func (h *Host) Events() []agents.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events[:len(h.events):len(h.events)]
}

// await waits until ready, which is called with the mutex held, reports true.
func (h *Host) await(what string, ready func() bool) {
	h.t.Helper()
	deadline := time.NewTimer(Limit)
	defer deadline.Stop()
	for {
		h.mu.Lock()
		ok, changed := ready(), h.changed
		h.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			h.t.Fatalf("no %s within %v; so far:\n%s", what, Limit, Describe(h.Events()))
		}
	}
}

// Until waits until done reports true for everything emitted so far, and
// returns it.
func (h *Host) Until(what string, done func([]agents.Event) bool) []agents.Event {
	h.t.Helper()
	var events []agents.Event
	h.await(what, func() bool {
		events = h.events[:len(h.events):len(h.events)]
		return done(events)
	})
	return events
}

// NextAsk waits for the next question.
func (h *Host) NextAsk() *Asked {
	h.t.Helper()
	var a *Asked
	h.await("question", func() bool {
		if h.next == len(h.asked) {
			return false
		}
		a = h.asked[h.next]
		h.next++
		return true
	})
	return a
}

// Asks is how many questions were put so far.
func (h *Host) Asks() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.asked)
}

// EndOfTurn waits for the end of the turn that began when n events had been
// emitted, and returns the events of the turn with its end as the last.
func (h *Host) EndOfTurn(n int) []agents.Event {
	h.t.Helper()
	var turn []agents.Event
	h.Until("end of the turn", func(events []agents.Event) bool {
		for i, e := range events[n:] {
			if _, ok := e.(agents.Ended); ok {
				turn = events[n : n+i+1]
				return true
			}
		}
		return false
	})
	return turn
}

// Find returns the first event of a type after the first n.
func Find[E agents.Event](events []agents.Event) (E, bool) {
	for _, e := range events {
		if found, ok := e.(E); ok {
			return found, true
		}
	}
	var none E
	return none, false
}

// All returns all events of a type.
func All[E agents.Event](events []agents.Event) []E {
	var all []E
	for _, e := range events {
		if found, ok := e.(E); ok {
			all = append(all, found)
		}
	}
	return all
}

// Saw returns a condition for Until: an event of this type was emitted.
func Saw[E agents.Event](events []agents.Event) bool {
	_, ok := Find[E](events)
	return ok
}

// Said is the agent's whole text in events, its messages one after another.
func Said(events []agents.Event) string {
	var b strings.Builder
	for _, e := range events {
		if text, ok := e.(agents.Text); ok && text.Done {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// Describe prints events one a line, shortened.
func Describe(events []agents.Event) string {
	var b strings.Builder
	for i, e := range events {
		line := fmt.Sprintf("%3d %T%+v", i, e, e)
		if len(line) > 300 {
			line = line[:300] + "…"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
