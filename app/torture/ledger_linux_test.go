package torture_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// ledger is what the back end has told its client and promised to it, over all
// its lives in one home. After each restart the record must agree with it.
type ledger struct {
	mu       sync.Mutex // guards everything below
	sessions map[app.SessionID]*talk
	cards    map[string]*card
	unheard  int // calls for a new session that were cut off: there may be one more, or not
}

// talk is what is known of one session.
type talk struct {
	id       app.SessionID
	seen     map[int64]string // durable events as they came over the stream, by number
	titles   []string         // in the order in which they were sent
	title    int              // how many of titles were acknowledged
	queued   []app.TurnID     // messages whose place in the queue was acknowledged
	deleting bool
	deleted  bool // acknowledged
}

// card is what is known of one interaction.
type card struct {
	in      app.Interaction
	given   []given
	drafts  map[int64]string // texts by revision, as sent
	saved   int64            // newest revision that was acknowledged
	settled *app.Outcome     // as a client saw it
}

// given is an answer with its reply, nil when the call was cut off.
type given struct {
	answer app.Answer
	reply  *app.Reply
}

func newLedger() *ledger {
	return &ledger{sessions: map[app.SessionID]*talk{}, cards: map[string]*card{}}
}

// with runs f under the ledger's lock.
func (l *ledger) with(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// talkLocked finds a session or begins it.
func (l *ledger) talkLocked(id app.SessionID) *talk {
	t := l.sessions[id]
	if t == nil {
		t = &talk{id: id, seen: map[int64]string{}}
		l.sessions[id] = t
	}
	return t
}

func (l *ledger) cardLocked(in app.Interaction) *card {
	c := l.cards[in.ID]
	if c == nil {
		c = &card{in: in, drafts: map[int64]string{}}
		l.cards[in.ID] = c
	}
	return c
}

// take notes what a client sees.
func (l *ledger) take(f api.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range f.Events {
		if !e.Durable() {
			continue
		}
		t := l.talkLocked(e.SessionID)
		if e.Type == app.EventSessionDeleted {
			t.deleting, t.deleted = true, true
			continue
		}
		t.seen[e.Seq] = text(e)
		switch d := e.Data.(type) {
		case *app.Interaction:
			l.cardLocked(*d)
		case *app.InteractionResolved:
			if c := l.cards[d.InteractionID]; c != nil {
				c.settled = &d.Outcome
			}
		}
	}
}

// text is an event in a form that can be compared.
func text(e app.Event) string {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Sprintf("%+v: %v", e, err)
	}
	return string(data)
}

// tape is the stream of one life, which can be waited on until the life is over.
type tape struct {
	mu     sync.Mutex // guards the fields below
	events []app.Event
	more   chan struct{} // closed with the next events, or the end
	over   bool
}

func newTape() *tape { return &tape{more: make(chan struct{})} }

func (t *tape) add(events []app.Event, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events, t.over = append(t.events, events...), over
	close(t.more)
	t.more = make(chan struct{})
}

var errOver = errors.New("the stream has ended")

// find returns the first event that fits, from the beginning on.
func (t *tape) find(ctx context.Context, fits func(app.Event) bool) (app.Event, error) {
	for next := 0; ; {
		t.mu.Lock()
		events, more, over := t.events, t.more, t.over
		t.mu.Unlock()
		for ; next < len(events); next++ {
			if fits(events[next]) {
				return events[next], nil
			}
		}
		if over {
			return app.Event{}, errOver
		}
		select {
		case <-more:
		case <-ctx.Done():
			return app.Event{}, context.Cause(ctx)
		}
	}
}

func (t *tape) wait(ctx context.Context, fits func(app.Event) bool) error {
	_, err := t.find(ctx, fits)
	return err
}

// asked waits for the first question after a message, of whatever kind: the
// turn's own, or that of a turn which was queued before it in the same session.
// A turn that ends without one is an error.
func (t *tape) asked(ctx context.Context, session app.SessionID, turn app.TurnID) (in app.Interaction, err error) {
	e, err := t.find(ctx, func(e app.Event) bool {
		in, ok := apptest.Data[app.Interaction](e)
		return ok && in.SessionID == session || e.Type == app.EventTurnCompleted && e.TurnID == turn
	})
	if err != nil {
		return in, err
	}
	if end, ended := apptest.Data[app.TurnEnded](e); ended {
		return in, fmt.Errorf("the turn ended without a question: %+v %+v", end, end.Problem)
	}
	in, _ = apptest.Data[app.Interaction](e)
	return in, nil
}
