package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/agents"
	"parley/app"
)

// actor owns one session: its agent, its queue, its state. Everything that
// changes it is a closure that runs on the actor's goroutine, so nothing here
// needs a lock; what takes long (starting an agent, writing to its pipe, asking
// a person) runs elsewhere and comes back as a closure.
type actor struct {
	m   *Manager
	id  app.SessionID
	log *slog.Logger
	ctx context.Context // of store calls; it does not end before the actor

	inbox chan func()   // what is to be done, in order
	ears  chan said     // what agents say; bounded, so that a fast agent waits
	gone  chan struct{} // closed when the actor has ended

	allowed allowances // for this session; any goroutine

	// The fields below belong to the actor's goroutine.

	session app.Session       // the row as last stored
	env     map[string]string // laid over the agent's environment
	fast    bool

	queue []app.Turn // messages that wait, in order
	held  bool       // the queue waits for a person's act

	form *owedForm // nil when the agent knows of every form's end

	live  *live // the starting or running agent, nil when none
	turn  *turn // the turn under way, nil when none
	usage *app.Usage

	out      out
	owing    bool        // the record could not take something; it waits in out
	again    *time.Timer // tries again to store what is owed, nil when none is set
	streams  []*stream
	tools    map[string]*toolCall
	lastSaid string // the agent's last two lines

	awaited chan<- error // hears once whether the agent came up; nil when nobody waits
	ending  *ending      // set once the session is being put away
}

// said is one thing that an agent says or asks. All go through one channel, so
// that a question takes effect after everything said before it.
type said struct {
	live  *live
	event agents.Event
	ask   *ask // instead of event
	// deferral is a form that a CLI would put aside, instead of event.
	deferral *deferral
}

// errAway is returned to a caller whose actor has just ended.
var errAway = errors.New("the session has been put away")

// batch is how many things an agent says are stored in one go.
const batch = 256

// run is the actor's goroutine.
func (a *actor) run() {
	defer close(a.gone)
	for a.ending == nil || !a.ending.over {
		select {
		case f := <-a.inbox:
			f()
		case s := <-a.ears:
			a.hear(s)
			a.hearWaiting(batch)
		}
		a.flush()
	}
	a.payLast()
}

// payLast has what is owed recorded when the session's end has come: a disk may
// have room again in a moment. What cannot be recorded then is lost, and said.
func (a *actor) payLast() {
	for end := time.Now().Add(a.m.cfg.Wait.Record); a.owes() && time.Now().Before(end); {
		time.Sleep(min(owedAgain, time.Until(end)))
		a.flush()
	}
	if n := len(a.out.items); n > 0 {
		a.log.Error("the session ended before all of it could be recorded", "events", n)
		a.m.report.unrecorded(n)
	}
}

// hearWaiting takes what agents have said already, at most n things.
func (a *actor) hearWaiting(n int) {
	for range n {
		select {
		case s := <-a.ears:
			a.hear(s)
		default:
			return
		}
	}
}

func (a *actor) hear(s said) {
	if s.live != a.live {
		// It was let go of; what it still says concerns nobody.
		if s.ask != nil {
			s.ask.reply <- cancelledOutcome()
		}
		if s.deferral != nil {
			s.deferral.reply <- false
		}
		return
	}
	if s.deferral != nil {
		s.deferral.reply <- a.putAside(s.live, s.deferral.call)
		return
	}
	if s.ask != nil {
		a.flush()
		a.asked(s.live, s.ask)
		return
	}
	a.heard(s.live, s.event)
}

// post has f run on the actor's goroutine. It reports false when the actor has
// ended. It must not be called from that goroutine.
func (a *actor) post(f func()) bool {
	select {
	case a.inbox <- f:
		return true
	case <-a.gone:
		return false
	}
}

// call runs f on the actor's goroutine and returns what it returns.
func call[T any](ctx context.Context, a *actor, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var zero T
	done := make(chan result, 1)
	select {
	case a.inbox <- func() { v, err := f(); done <- result{v, err} }:
	case <-a.gone:
		return zero, errAway
	case <-ctx.Done():
		return zero, ctx.Err()
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-a.gone:
		// It may have been the last thing that the actor did.
		select {
		case r := <-done:
			return r.value, r.err
		default:
			return zero, errAway
		}
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

// update changes the stored row and what the actor knows of it.
func (a *actor) update(change func(*app.Session)) {
	change(&a.session)
	a.out.write(func() error {
		s, err := a.m.cfg.Records.UpdateSession(a.ctx, a.id, change)
		if err == nil {
			a.session = s
		}
		return err
	})
	a.flush()
}

func (a *actor) setState(s app.SessionState) {
	a.update(func(row *app.Session) { row.State = s })
}

// later has f run on the actor's goroutine after d, unless the timer is stopped
// or the actor has ended.
func (a *actor) later(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { a.post(f) })
}
