package session

import (
	"slices"
	"time"

	"parley/app"
)

// out is what an actor has yet to store and to send, in the order in which it
// came about. Facts that lie side by side are stored in one transaction;
// transient events keep their place between them.
type out struct {
	hide  func(string) string // takes secrets out of a text
	items []outItem
}

// outItem is one of the three.
type outItem struct {
	fact      app.Fact
	transient *app.Event
	write     func() error
}

func (o *out) fact(turn app.TurnID, t app.EventType, d app.EventData) {
	o.items = append(o.items, outItem{fact: app.Fact{TurnID: turn, Type: t, Data: hidden(d, o.hide)}})
}

// transient adds an event that may be merged: a piece of text that continues
// the one before becomes one piece with it.
func (o *out) transient(e app.Event) {
	e.Data = hidden(e.Data, o.hide)
	if n := len(o.items); n > 0 && o.items[n-1].transient != nil {
		last := o.items[n-1].transient
		if d, ok := e.Data.(app.Delta); ok && last.Type == e.Type && last.TurnID == e.TurnID {
			if before, ok := last.Data.(app.Delta); ok && before.MessageID == d.MessageID && before.Offset+len(before.Text) == d.Offset {
				before.Text += d.Text
				last.Data = before
				return
			}
		}
	}
	o.items = append(o.items, outItem{transient: &e})
}

// write adds something else that changes the record, in its place.
func (o *out) write(f func() error) { o.items = append(o.items, outItem{write: f}) }

// maxOwed bounds how much waits for a record that cannot be written now: a full
// disk must not become a full memory.
const maxOwed = 20_000

// owedAgain is the pause before it is tried again.
const owedAgain = time.Second

// flush stores and sends everything. What the record cannot take now (a full
// disk, a lock) is owed: it stays in order before all that comes later, and is
// tried again every second. The conversation goes on meanwhile, since ending an
// agent's turn for a full disk would lose more.
func (a *actor) flush() {
	items := a.out.items
	a.out.items = nil
	for len(items) > 0 {
		if e := items[0].transient; e != nil {
			a.m.cfg.Bus.Publish(*e)
			items = items[1:]
			continue
		}
		n, err := a.store(items)
		switch {
		case app.ErrorCode(err) == app.CodeStorageFailed:
			a.owe(items, err)
			return
		case err != nil:
			a.log.Error("store what happened", "count", n, "error", err)
		}
		items = items[n:]
	}
	if a.owing {
		a.owing = false
		a.log.Info("the record can be written again, and all that was kept for it is in it")
	}
}

// store stores the facts, or the one write, at the head of items and returns how
// many items that were.
func (a *actor) store(items []outItem) (n int, err error) {
	if items[0].write != nil {
		return 1, items[0].write()
	}
	var facts []app.Fact
	for ; n < len(items) && items[n].transient == nil && items[n].write == nil; n++ {
		facts = append(facts, items[n].fact)
	}
	_, err = a.m.cfg.Records.Append(a.ctx, a.id, facts...)
	return n, err
}

// owe keeps items for later. What is transient is sent now: later it would mean
// nothing.
func (a *actor) owe(items []outItem, cause error) {
	for _, i := range items {
		if i.transient != nil {
			a.m.cfg.Bus.Publish(*i.transient)
		} else {
			a.out.items = append(a.out.items, i)
		}
	}
	if lost := len(a.out.items) - maxOwed; lost > 0 {
		a.log.Error("events are lost to the record", "count", lost)
		a.out.items = slices.Delete(a.out.items, 0, lost)
	}
	if !a.owing {
		a.owing = true
		a.log.Error("the record cannot be written now; what happens is kept until it can", "error", cause)
	}
	if a.again == nil {
		a.again = a.later(owedAgain, func() { a.again = nil }) // the loop flushes after it
	}
}

// owes reports whether something waits for the record. A new turn must not
// begin before the end of the last one is recorded.
func (a *actor) owes() bool { return len(a.out.items) > 0 }

func (a *actor) transient(t app.EventType, d app.EventData) {
	a.out.transient(app.Event{At: a.now(), SessionID: a.id, TurnID: a.turnID(), Type: t, Data: d})
}

func (a *actor) fact(t app.EventType, d app.EventData) { a.out.fact(a.turnID(), t, d) }

// notice tells the person something that ends nothing.
func (a *actor) notice(level app.NoticeLevel, code, text, advice string) {
	a.fact(app.EventNotice, app.Notice{Level: level, Code: code, Text: redact(text), Advice: redact(advice)})
}

func (a *actor) now() int64 { return a.m.cfg.Now().UnixMilli() }

func (a *actor) since(ms int64) int64 { return max(0, a.now()-ms) }

func (a *actor) turnID() app.TurnID {
	if a.turn == nil {
		return ""
	}
	return a.turn.row.ID
}
