package question_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"parley/app"
	"parley/app/question"
	"parley/mcp"
)

// TestAnyOrderHasOneOutcome throws answers, dismissals, passing time, cancels,
// lost connections, faults of the record and crashes at a few questions in any
// order. Whatever happened: each question has one outcome that never changes,
// whoever asked hears that one, an accepted answer is never lost, and no answer
// reaches the agent twice.
func TestAnyOrderHasOneOutcome(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, filepath.Join(dir, "parley.db"))
		defer func() { w.close() }()
		// Short times: rapid gives up after a day, also a virtual one.
		w.limits = mcp.Limits{Deadline: time.Minute, MaxWait: 3 * time.Minute}
		runs := 0
		// A bubble has no deadline to tell; without the method rapid doesn't ask.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			runs++
			m := &model{world: w, rt: rt, cards: map[string]*life{}}
			w.begin()
			w.sent = nil
			steps := rapid.IntRange(1, 20).Draw(rt, "steps")
			for range steps {
				m.step()
				m.check()
			}
			m.end()
		})
		if runs < 50 && !t.Failed() {
			t.Errorf("only %d runs: the property is hardly tried", runs)
		}
	})
}

// model knows what must hold of each question.
type model struct {
	*world
	rt    *rapid.T
	order []string
	cards map[string]*life
}

type life struct {
	ask     *asked
	crashed bool // its Ask belonged to a process that was killed
	outcome *app.Outcome
	inTime  int  // answers that were accepted while the agent waited
	late    int  // answers that were accepted as messages
	arrived bool // the agent got the answer that was given in time
}

func (m *model) step() {
	rt := m.rt
	op := rapid.SampledFrom([]string{"ask", "ask", "answer", "answer", "answer", "dismiss", "wait", "more", "withdraw", "turn", "fault", "crash", "clock"}).Draw(rt, "op")
	switch op {
	case "ask":
		in := m.clarify()
		in.Kind = rapid.SampledFrom([]app.Kind{app.KindClarify, app.KindNative}).Draw(rt, "kind")
		q := m.world.ask(in)
		if !q.ended() || q.err == nil {
			m.order = append(m.order, q.id)
			m.cards[q.id] = &life{ask: q}
		}
	case "answer":
		if c := m.pick(); c != nil {
			reply, err := m.answer(c.ask.id, "text", "fixed")
			m.replied(c, reply, err)
		}
	case "dismiss":
		if c := m.pick(); c != nil {
			reply, err := m.dismiss(c.ask.id)
			if err == nil && reply.Late {
				rt.Fatalf("a dismissal was sent as a message")
			}
		}
	case "wait":
		time.Sleep(rapid.SampledFrom([]time.Duration{time.Second, 31 * time.Second, 59 * time.Second, time.Minute}).Draw(rt, "time"))
	case "more":
		if c := m.pick(); c != nil {
			m.MoreTime(context.Background(), c.ask.id)
		}
	case "withdraw":
		if c := m.pick(); c != nil {
			c.ask.stop(nil)
		}
	case "turn":
		m.CancelTurn(context.Background(), m.turn, app.CauseTurnEnded)
	case "fault":
		if rapid.Bool().Draw(rt, "broken") {
			m.records.failOn(rapid.SampledFrom([]string{"open", "settle", "move", "late"}).Draw(rt, "call"))
		} else {
			m.records.failing(nil)
		}
	case "clock":
		m.setClock(rapid.SampledFrom([]time.Duration{-time.Hour, time.Hour}).Draw(rt, "by"))
	case "crash":
		m.crash()
	}
	synctest.Wait()
}

func (m *model) pick() *life {
	if len(m.order) == 0 {
		return nil
	}
	return m.cards[rapid.SampledFrom(m.order).Draw(m.rt, "card")]
}

func (m *model) replied(c *life, reply app.Reply, err error) {
	switch app.ErrorCode(err) {
	case "":
		if !reply.Accepted {
			m.rt.Fatalf("no error and not accepted: %+v", reply)
		}
		if reply.Late {
			c.late++
			return
		}
		c.inTime++
		if rapid.Bool().Draw(m.rt, "arrives") {
			m.must(m.Delivered(context.Background(), c.ask.id))
			c.arrived = true
		}
	case app.CodeAlreadyResolved:
		if r, ok := errors.AsType[*question.Resolved](err); !ok || r.Outcome.Reason == "" {
			m.rt.Fatalf("refused without saying what was accepted: %v", err)
		}
	case app.CodeStorageFailed:
	default:
		m.rt.Fatalf("answer: %v", err)
	}
}

// crash kills the process as far as the desk is concerned: its waits go
// nowhere, and a new desk opens the record.
func (m *model) crash() {
	m.records.failing(func(string) error { return errDisk }) // what is dead writes nothing
	for _, c := range m.cards {
		c.ask.stop(nil)
		if !c.ask.ended() {
			<-c.ask.done
		}
		if c.outcome == nil {
			c.crashed = true
		}
	}
	m.world.close()
	m.records.failing(nil)
	m.world.open()
	m.turn = newID()
	m.must(m.records.StartTurn(context.Background(), app.Turn{ID: m.turn, SessionID: m.session}))
}

// check looks at every question after every step.
func (m *model) check() {
	for id, c := range m.cards {
		card := m.get(id)
		if c.outcome != nil && (card.Outcome == nil || fmt.Sprint(*card.Outcome) != fmt.Sprint(*c.outcome)) {
			m.rt.Fatalf("the outcome changed from %+v to %+v", c.outcome, card.Outcome)
		}
		c.outcome = card.Outcome
		heard := c.ask.ended() && c.ask.err == nil && !c.crashed && c.outcome != nil
		if heard && (c.ask.out.Reason != c.outcome.Reason || c.ask.out.Cause != c.outcome.Cause || c.ask.out.Text != c.outcome.Text) {
			m.rt.Fatalf("who asked heard %+v, recorded is %+v", c.ask.out, c.outcome)
		}
		if c.outcome != nil && !c.ask.ended() {
			m.rt.Fatalf("it is settled as %s and its call still waits", c.outcome.Reason)
		}
		if c.inTime > 1 || c.late > 1 || c.late > 0 && c.arrived {
			m.rt.Fatalf("accepted %d in time (arrived %v), %d late", c.inTime, c.arrived, c.late)
		}
	}
}

// end lets all time pass, kills the process once more and counts deliveries.
func (m *model) end() {
	m.records.failing(nil)
	time.Sleep(4 * time.Minute)
	synctest.Wait()
	m.check()
	m.must(m.CancelAll(context.Background(), app.CauseQuit))
	if n := m.Held(); n != 0 {
		m.rt.Fatalf("%d interactions are left in memory", n)
	}
	m.crash()
	for id, c := range m.cards {
		card := m.get(id)
		if card.Waiting() {
			m.rt.Fatalf("nothing settled it: %+v", card)
		}
		delivered := 0
		if c.arrived {
			delivered++
		}
		for _, turn := range m.sent {
			if turn.Late == id {
				delivered++
			}
		}
		if delivered > 1 {
			m.rt.Fatalf("delivered %d times: %+v", delivered, card)
		}
		if c.inTime+c.late > 0 && delivered == 0 && !card.MovedOn() {
			m.rt.Fatalf("an accepted answer reached nobody and is not offered again: %+v", card)
		}
	}
}
