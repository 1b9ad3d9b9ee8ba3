package session

import "parley/app"

// out is what an actor has yet to store and to send, in the order in which it
// came about. Facts that lie side by side are stored in one transaction;
// transient events keep their place between them.
type out struct {
	hide  func(string) string // takes secrets out of a text
	items []outItem
}

// outItem is one of the two.
type outItem struct {
	fact      app.Fact
	transient *app.Event
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

// flush stores and sends everything. When the store cannot take it the events
// are lost to the record and that is logged: the conversation goes on, since
// ending an agent's turn for a full disk would lose more.
func (a *actor) flush() {
	items := a.out.items
	a.out.items = nil
	for len(items) > 0 {
		if e := items[0].transient; e != nil {
			a.m.cfg.Bus.Publish(*e)
			items = items[1:]
			continue
		}
		var facts []app.Fact
		for len(items) > 0 && items[0].transient == nil {
			facts = append(facts, items[0].fact)
			items = items[1:]
		}
		if _, err := a.m.cfg.Records.Append(a.ctx, a.id, facts...); err != nil {
			a.log.Error("store events", "count", len(facts), "error", err)
		}
	}
}

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
