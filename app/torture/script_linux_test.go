package torture_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"parley/app"
	"parley/app/api"
	"parley/app/apptest"
)

// A moment is where in the script the back end is killed, give or take a random
// delay.
type moment string

const (
	starting   moment = "starting"   // while it comes up on a record that was left by the kill before
	migrating  moment = "migrating"  // while it brings an older record up to date
	creating   moment = "creating"   // of a session
	renaming   moment = "renaming"   //
	asking     moment = "asking"     // from the message on until the card is up
	asked      moment = "asked"      // the card has just come up
	drafting   moment = "drafting"   // somebody types
	queueing   moment = "queueing"   // of messages behind a question
	answering  moment = "answering"  // the answer has been sent
	accepted   moment = "accepted"   // it has just been accepted
	delivered  moment = "delivered"  // it has left for the agent
	writing    moment = "writing"    // the agent works with it
	streaming  moment = "streaming"  // of a long text
	late       moment = "late"       // an answer after the agent has moved on
	dismissing moment = "dismissing" //
	stopping   moment = "stopping"   // of a turn
	closing    moment = "closing"    // of a session
	deleting   moment = "deleting"   // of a session
	quitting   moment = "quitting"   // in order, when the kill comes
)

// moments in the order in which they take turns, with the longest delay after
// each. Those that take long and have much in them come more often.
var moments = []struct {
	moment
	delay time.Duration
}{
	{starting, 0}, {answering, 12 * time.Millisecond}, {asking, 600 * time.Millisecond}, {late, 40 * time.Millisecond},
	{accepted, 6 * time.Millisecond}, {streaming, 300 * time.Millisecond}, {migrating, 0}, {queueing, 20 * time.Millisecond},
	{writing, 200 * time.Millisecond}, {drafting, 12 * time.Millisecond}, {quitting, 300 * time.Millisecond},
	{asked, 3 * time.Millisecond}, {starting, 0}, {deleting, 60 * time.Millisecond}, {dismissing, 12 * time.Millisecond},
	{delivered, 4 * time.Millisecond}, {creating, 20 * time.Millisecond}, {stopping, 40 * time.Millisecond},
	{renaming, 12 * time.Millisecond}, {closing, 60 * time.Millisecond},
}

// point is one kill, decided by the seed and its number alone.
type point struct {
	n      int
	at     moment
	after  time.Duration // the moment, or the share of a start, see share
	share  float64       // of the time that a start or migration takes, 0 to 1.2
	other  bool          // a second session streams beside
	again  bool          // in a session that has been used, if there is one
	prompt string        // that makes the agent ask in a session that has been used
}

func newPoint(seed uint64, n int) point {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	m := moments[n%len(moments)]
	p := point{n: n, at: m.moment, share: 1.2 * r.Float64(), other: r.Float64() < 0.2, again: r.Float64() < 0.4}
	p.after = time.Duration(r.Float64() * float64(m.delay))
	p.prompt = []string{"approve", "elicit"}[r.IntN(2)]
	return p
}

// scene is one life of the back end, from its start to its kill: a client that
// follows the stream, and a person who does what the point wants.
type scene struct {
	*socket
	ledger  *ledger
	program *program
	point   point
	tape    *tape
	reached chan struct{} // closed at the moment
}

// play does the script up to the moment and on, until the back end is gone. It
// returns why it could not.
func (s *scene) play(ctx context.Context) error {
	if s.point.other {
		if _, _, err := s.begin(ctx, "long"); err != nil {
			return err
		}
	}
	switch s.point.at {
	case creating:
		s.reach()
		for range 3 {
			if _, err := s.create(ctx); err != nil {
				return err
			}
		}
		return nil
	case renaming:
		id, err := s.used(ctx)
		if err != nil {
			return err
		}
		s.reach()
		for n := range 20 {
			if err := s.rename(ctx, id, fmt.Sprintf("title %d.%d", s.point.n, n)); err != nil {
				return err
			}
		}
		return nil
	case streaming:
		_, turn, err := s.begin(ctx, "long")
		if err != nil {
			return err
		}
		err = s.tape.wait(ctx, func(e app.Event) bool { return e.Type == app.EventMessageDelta && e.TurnID == turn })
		s.reach()
		return err
	case late:
		return s.late(ctx)
	case deleting:
		id, err := s.used(ctx)
		if err != nil {
			return err
		}
		s.reach()
		return s.remove(ctx, id)
	}
	return s.question(ctx)
}

// reach says that the moment has come.
func (s *scene) reach() { close(s.reached) }

// question has a question asked and goes on from there.
func (s *scene) question(ctx context.Context) error {
	id, turn, err := s.ask(ctx)
	if err != nil {
		return err
	}
	if s.point.at == asking {
		s.reach()
		return nil
	}
	in, err := s.tape.asked(ctx, id, turn)
	if err != nil {
		return err
	}
	answer := answerTo(in, fmt.Sprintf("answer %d", s.point.n))
	path := "/api/interactions/" + in.ID
	switch s.point.at {
	case asked:
		s.reach()
	case drafting:
		s.reach()
		for n := range int64(20) {
			if err := s.draft(ctx, in, n+1); err != nil {
				return err
			}
		}
	case queueing:
		s.reach()
		for n := range 6 {
			if err := s.queue(ctx, in.SessionID, fmt.Sprintf("say %d.%d", s.point.n, n)); err != nil {
				return err
			}
		}
	case stopping:
		s.reach()
		return s.Stop(ctx, in.SessionID)
	case closing:
		s.reach()
		_, err := s.Close(ctx, in.SessionID)
		return err
	case quitting:
		s.reach()
		return s.program.cmd.Process.Signal(syscall.SIGTERM)
	case dismissing:
		s.reach()
		_, err := s.answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusCancelled})
		return err
	case answering:
		if err := s.call(ctx, "POST", path+"/seen", struct{}{}, nil); err != nil {
			return err
		}
		s.reach()
		_, err := s.answer(ctx, answer)
		return err
	case accepted:
		_, err := s.answer(ctx, answer)
		s.reach()
		return err
	case delivered, writing:
		if _, err := s.answer(ctx, answer); err != nil {
			return err
		}
		err := s.tape.wait(ctx, func(e app.Event) bool {
			d, ok := apptest.Data[app.InteractionDelivered](e)
			return ok && d.InteractionID == in.ID
		})
		s.reach()
		return err
	}
	return nil
}

// answerTo is a person's answer to an interaction of the demo agent.
func answerTo(in app.Interaction, text string) app.Answer {
	a := app.Answer{InteractionID: in.ID, Status: app.StatusAnswered}
	switch in.Kind {
	case app.KindApproval:
		a.Action = app.ActionAllowOnce
	case app.KindElicitation:
		a.Action, a.Answers = app.ActionAccept, map[string][]string{"title": {text}}
	default:
		a.Text = text
	}
	return a
}

// ask sends a message that makes the agent ask, in a new session or in one that
// has been used.
func (s *scene) ask(ctx context.Context) (app.SessionID, app.TurnID, error) {
	if s.point.again {
		if id := s.any(); id != "" {
			turn, err := s.send(ctx, id, s.point.prompt)
			if app.ErrorCode(err) != app.CodeSessionClosed {
				return id, turn, err
			}
		}
	}
	return s.begin(ctx, "Make me a page")
}

// late answers something that has moved on; when there is nothing, it makes
// some for the points that follow.
func (s *scene) late(ctx context.Context) error {
	list, err := s.Interactions(ctx, app.InteractionFilter{State: app.InteractionsMovedOn})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		id, turn, err := s.begin(ctx, "Make me a page")
		if err != nil {
			return err
		}
		_, err = s.tape.asked(ctx, id, turn)
		s.reach()
		return err
	}
	s.reach()
	_, err = s.answer(ctx, app.Answer{InteractionID: list[0].ID, Status: app.StatusAnswered, Text: fmt.Sprintf("late answer %d", s.point.n)})
	return err
}

// any is one of the sessions, not always the same, "" when there is none.
func (s *scene) any() (id app.SessionID) {
	s.ledger.with(func() {
		var ids []app.SessionID
		for _, t := range s.ledger.sessions {
			if !t.deleting {
				ids = append(ids, t.id)
			}
		}
		if len(ids) > 0 {
			slices.Sort(ids)
			id = ids[s.point.n%len(ids)]
		}
	})
	return id
}

// used is a session that there is, or a new one.
func (s *scene) used(ctx context.Context) (app.SessionID, error) {
	if id := s.any(); id != "" {
		return id, nil
	}
	return s.create(ctx)
}

func (s *scene) begin(ctx context.Context, prompt string) (app.SessionID, app.TurnID, error) {
	id, err := s.create(ctx)
	if err != nil {
		return "", "", err
	}
	turn, err := s.send(ctx, id, prompt)
	return id, turn, err
}

// The calls below note what they ask for before they do, and what is promised
// once the reply is there.

func (s *scene) create(ctx context.Context) (app.SessionID, error) {
	s.ledger.with(func() { s.ledger.unheard++ })
	row, err := s.CreateSession(ctx, api.NewSession{Agent: "demo", Fast: true})
	if err != nil {
		return "", err
	}
	s.ledger.with(func() {
		s.ledger.unheard--
		s.ledger.talkLocked(row.ID)
	})
	return row.ID, nil
}

func (s *scene) send(ctx context.Context, id app.SessionID, prompt string) (app.TurnID, error) {
	reply, err := s.Send(ctx, id, api.NewMessage{Text: prompt})
	return reply.TurnID, err
}

func (s *scene) queue(ctx context.Context, id app.SessionID, prompt string) error {
	reply, err := s.Send(ctx, id, api.NewMessage{Text: prompt})
	if err != nil {
		return err
	}
	s.ledger.with(func() {
		t := s.ledger.talkLocked(id)
		t.queued = append(t.queued, reply.TurnID)
	})
	return nil
}

func (s *scene) rename(ctx context.Context, id app.SessionID, title string) error {
	s.ledger.with(func() {
		t := s.ledger.talkLocked(id)
		t.titles = append(t.titles, title)
	})
	if err := s.call(ctx, "PATCH", "/api/sessions/"+id, api.SessionChange{Title: &title}, nil); err != nil {
		return err
	}
	s.ledger.with(func() {
		t := s.ledger.talkLocked(id)
		t.title = len(t.titles)
	})
	return nil
}

func (s *scene) remove(ctx context.Context, id app.SessionID) error {
	s.ledger.with(func() { s.ledger.talkLocked(id).deleting = true })
	if err := s.call(ctx, "DELETE", "/api/sessions/"+id, nil, nil); err != nil {
		return err
	}
	s.ledger.with(func() { s.ledger.talkLocked(id).deleted = true })
	return nil
}

func (s *scene) draft(ctx context.Context, in app.Interaction, revision int64) error {
	d := app.Draft{Revision: revision, Selected: []string{}, Text: fmt.Sprintf("draft %d.%d", s.point.n, revision)}
	s.ledger.with(func() { s.ledger.cardLocked(in).drafts[revision] = d.Text })
	if err := s.call(ctx, "PUT", "/api/interactions/"+in.ID+"/draft", d, nil); err != nil {
		return err
	}
	s.ledger.with(func() { s.ledger.cardLocked(in).saved = revision })
	return nil
}

func (s *scene) answer(ctx context.Context, a app.Answer) (reply app.Reply, err error) {
	in, err := s.Interaction(ctx, a.InteractionID)
	if err != nil {
		return reply, err
	}
	var at int
	s.ledger.with(func() {
		c := s.ledger.cardLocked(in)
		at = len(c.given)
		c.given = append(c.given, given{answer: a})
	})
	if reply, err = s.Answer(ctx, a); err == nil {
		s.ledger.with(func() { s.ledger.cardLocked(in).given[at].reply = &reply })
	}
	return reply, err
}
