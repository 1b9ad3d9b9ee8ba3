package torture_test

import (
	"context"
	"fmt"
	"slices"

	"parley/app"
)

// Kinds of fault.
const (
	lost    = "lost"    // something that was told or acknowledged is not there
	doubled = "doubled" // something is there twice
	stuck   = "stuck"   // something still runs or waits that nobody can end
	gap     = "gap"     // a number is missing
	left    = "left"    // a process
	dead    = "dead"    // the program does not start, or does not answer
)

// fault is one thing that is not as it must be.
type fault struct{ kind, text string }

// checker compares the record with a ledger, right after a restart and before
// anybody acts.
type checker struct {
	*socket
	ledger *ledger
	faults []fault
}

func (c *checker) fault(kind, format string, args ...any) {
	c.faults = append(c.faults, fault{kind, fmt.Sprintf(format, args...)})
}

// check looks at everything.
func check(ctx context.Context, s *socket, l *ledger) []fault {
	c := &checker{socket: s, ledger: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	list, err := s.Sessions(ctx)
	if err != nil {
		return []fault{{dead, "list sessions: " + err.Error()}}
	}
	c.list(list)
	for _, row := range list {
		c.session(ctx, row, l.talkLocked(row.ID))
	}
	return c.faults
}

// list compares which sessions there are.
func (c *checker) list(list []app.Session) {
	there := map[app.SessionID]bool{}
	for _, row := range list {
		if there[row.ID] {
			c.fault(doubled, "session %s is listed twice", row.ID)
		}
		there[row.ID] = true
		t := c.ledger.sessions[row.ID]
		switch {
		case t == nil && c.ledger.unheard == 0:
			c.fault(doubled, "session %s was never asked for", row.ID)
		case t == nil:
			c.ledger.unheard--
		case t.deleted:
			c.fault(lost, "the deletion of session %s", row.ID)
		}
	}
	for id, t := range c.ledger.sessions {
		if !there[id] && !t.deleting {
			c.fault(lost, "session %s", id)
		}
		if !there[id] {
			t.deleted = true
		}
	}
}

// session compares one session. Only what is new since the last look can have
// suffered, but looking at all of it is cheap while homes are young.
func (c *checker) session(ctx context.Context, row app.Session, t *talk) {
	if row.State != app.StateIdle || row.Live {
		c.fault(stuck, "session %s is %s, live %v", row.ID, row.State, row.Live)
	}
	if t.title > 0 && !slices.Contains(t.titles[t.title-1:], row.Title) {
		c.fault(lost, "title %q of session %s, it is %q", t.titles[t.title-1], row.ID, row.Title)
	}
	events, err := c.events(ctx, row.ID)
	if err != nil {
		c.fault(dead, "read the events of %s: %v", row.ID, err)
		return
	}
	c.numbers(row, t, events)
	c.turns(row, t, events)
	c.interactions(ctx, row, events)
}

// numbers checks that nothing is missing and that what a client saw is there,
// unchanged.
func (c *checker) numbers(row app.Session, t *talk, events []app.Event) {
	for i, e := range events {
		if want := int64(i + 1); e.Seq != want {
			c.fault(gap, "session %s: event %d in place %d", row.ID, e.Seq, want)
			return
		}
	}
	if n := int64(len(events)); n != row.LastSeq {
		c.fault(gap, "session %s: %d events, the row says %d", row.ID, n, row.LastSeq)
	}
	for seq, saw := range t.seen {
		switch {
		case seq > int64(len(events)):
			c.fault(lost, "event %d of session %s: %s", seq, row.ID, saw)
		case text(events[seq-1]) != saw:
			c.fault(lost, "event %d of session %s was %s, is %s", seq, row.ID, saw, text(events[seq-1]))
		}
	}
	clear(t.seen) // compared; from now on the record speaks for itself
	for _, e := range events {
		t.seen[e.Seq] = text(e)
	}
}

// turns checks that every turn began once and ended once, and that queued
// messages are kept.
func (c *checker) turns(row app.Session, t *talk, events []app.Event) {
	began, ended := map[app.TurnID]int{}, map[app.TurnID]int{}
	dropped := map[app.TurnID]bool{}
	for _, e := range events {
		switch e.Type {
		case app.EventTurnStarted:
			began[e.TurnID]++
		case app.EventTurnCompleted:
			ended[e.TurnID]++
		case app.EventTurnUnqueued:
			dropped[e.TurnID] = true
		}
	}
	for id, n := range began {
		switch {
		case n > 1 || ended[id] > 1:
			c.fault(doubled, "turn %s began %d times and ended %d times", id, n, ended[id])
		case ended[id] == 0:
			c.fault(stuck, "turn %s has no end", id)
		}
	}
	for _, id := range t.queued {
		waits := slices.ContainsFunc(row.Queued, func(q app.Queued) bool { return q.TurnID == id })
		switch {
		case waits && began[id] > 0:
			c.fault(doubled, "message %s has begun and still waits", id)
		case !waits && began[id] == 0 && !dropped[id]:
			c.fault(lost, "queued message %s of session %s", id, row.ID)
		}
	}
}

// life is what the events tell of one interaction.
type life struct{ requested, resolved, late, delivered int }

// interactions checks everything that was asked in a session.
func (c *checker) interactions(ctx context.Context, row app.Session, events []app.Event) {
	lives := map[string]*life{}
	at := func(id string) *life {
		if lives[id] == nil {
			lives[id] = &life{}
		}
		return lives[id]
	}
	outcomes := map[string]app.Outcome{}
	lateTurns := map[string]int{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *app.Interaction:
			at(d.ID).requested++
		case *app.InteractionResolved:
			at(d.InteractionID).resolved++
			outcomes[d.InteractionID] = d.Outcome
		case *app.InteractionLateAnswered:
			at(d.InteractionID).late++
		case *app.InteractionDelivered:
			at(d.InteractionID).delivered++
		case *app.TurnText:
			if e.Type == app.EventTurnStarted && d.Late != "" {
				lateTurns[d.Late]++
			}
		}
	}
	list, err := c.Interactions(ctx, app.InteractionFilter{State: app.InteractionsAll, SessionID: row.ID})
	if err != nil {
		c.fault(dead, "list the questions of %s: %v", row.ID, err)
		return
	}
	there := map[string]bool{}
	for _, in := range list {
		if there[in.ID] {
			c.fault(doubled, "%s is listed twice", in.ID)
		}
		there[in.ID] = true
		l := at(in.ID)
		switch {
		case l.requested != 1:
			c.fault(doubled, "%s was requested %d times", in.ID, l.requested)
		case in.Outcome == nil:
			c.fault(stuck, "%s waits, and nobody waits for it", in.ID)
		case l.resolved != 1:
			c.fault(doubled, "%s was resolved %d times", in.ID, l.resolved)
		case same(outcomes[in.ID]) != same(*in.Outcome):
			c.fault(lost, "%s ended as %s, the record says %s", in.ID, same(outcomes[in.ID]), same(*in.Outcome))
		}
		if l.late > 1 || l.delivered > 1 || lateTurns[in.ID] > 1 {
			c.fault(doubled, "%s: late %d times, sent as a message %d times, delivered %d times", in.ID, l.late, lateTurns[in.ID], l.delivered)
		}
		if in.DeliveredAt != 0 && in.MovedOn() {
			c.fault(doubled, "%s reached its agent and can be answered again", in.ID)
		}
		if k := c.ledger.cards[in.ID]; k != nil {
			c.card(in, k)
		}
	}
	for id := range lives {
		if !there[id] {
			c.fault(lost, "%s has events and no record", id)
		}
	}
	for id, k := range c.ledger.cards {
		if k.in.SessionID == row.ID && !there[id] {
			c.fault(lost, "%s was shown", id)
		}
	}
}

// card compares one interaction with what its client was told.
func (c *checker) card(in app.Interaction, k *card) {
	if in.Question != k.in.Question || in.Kind != k.in.Kind || in.RunID != k.in.RunID || in.RequestedAt != k.in.RequestedAt {
		c.fault(lost, "%s was asked as %+v and is %+v", in.ID, k.in, in)
	}
	if in.Outcome == nil {
		return
	}
	if k.settled != nil && same(*k.settled) != same(*in.Outcome) {
		c.fault(lost, "%s was shown as %s, the record says %s", in.ID, same(*k.settled), same(*in.Outcome))
	}
	inTime, late := 0, 0
	for _, g := range k.given {
		switch {
		case g.reply == nil:
			continue
		case g.reply.Late:
			late++
			if in.Late == nil || in.Late.Text != g.answer.Text || in.Late.TurnID != g.reply.TurnID {
				c.fault(lost, "the late answer %q to %s: %+v", g.answer.Text, in.ID, in.Late)
			}
		default:
			inTime++
			if in.Outcome.Reason != reasonOf(g.answer) || in.Outcome.Text != g.answer.Text || in.Outcome.Action != g.answer.Action {
				c.fault(lost, "the accepted answer %+v to %s: %s", g.answer, in.ID, same(*in.Outcome))
			}
		}
	}
	if inTime > 1 || late > 1 {
		c.fault(doubled, "%s took %d answers in time and %d late", in.ID, inTime, late)
	}
	if in.Outcome.Reason == app.ReasonResponse && !slices.ContainsFunc(k.given, func(g given) bool {
		return g.answer.Text == in.Outcome.Text && g.answer.Action == in.Outcome.Action
	}) {
		c.fault(doubled, "%s has an answer that nobody gave: %s", in.ID, same(*in.Outcome))
	}
	if in.MovedOn() && in.UndeliveredAt == 0 && k.saved > 0 {
		if in.Draft == nil || in.Draft.Revision < k.saved || in.Draft.Text != k.drafts[in.Draft.Revision] {
			c.fault(lost, "draft %d of %s: %+v", k.saved, in.ID, in.Draft)
		}
	}
}

func reasonOf(a app.Answer) app.Reason {
	if a.Status == app.StatusCancelled {
		return app.ReasonDismissed
	}
	return app.ReasonResponse
}

// same is an outcome in a form that can be compared.
func same(o app.Outcome) string {
	return fmt.Sprintf("%s/%s %q %q %q by %s at %d", o.Reason, o.Cause, o.Action, o.Response, o.Text, o.By, o.ResolvedAt)
}
