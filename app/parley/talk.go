package main

import (
	"context"
	"errors"
	"os"

	"parley/app"
	"parley/app/api"
)

// talk follows one turn of a session to its end. All of it runs on the
// goroutine of follow; frames, lines and signals come over channels.
type talk struct {
	p       *program
	c       *backend
	show    func(app.Event) error // prints
	ask     *asker
	session app.SessionID // "" until it is made
	turn    app.TurnID    // the turn that is followed, "" until it has started
	last    int64         // newest event that was shown
	stopped bool          // an interrupt was sent on to the agent
	joined  bool          // the turn is another's; what came of it before the stream stood is read first
	// answered and closed say what became of the turn's form before the turn ended.
	answered, closed bool
}

// start makes or finds the session and sends the message. The turn may be ""
// when only its start will tell it.
type start func(ctx context.Context) (app.SessionID, app.TurnID, error)

// follow sends a message and shows what comes of it. It returns the exit code
// of the turn's end.
func (t *talk) follow(ctx context.Context, begin start) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	frames, lost := make(chan api.Frame), make(chan error, 1)
	go func() {
		lost <- t.c.Stream(ctx, func(f api.Frame) error {
			select {
			case frames <- f:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	// The stream stands before the message goes out, so that nothing is missed.
	select {
	case <-frames:
	case err := <-lost:
		return 0, err
	case s := <-t.p.Interrupts:
		if s != os.Interrupt {
			t.p.hurry.Store(true)
		}
		return exitInterrupted, nil
	}
	var err error
	if t.session, t.turn, err = begin(ctx); err != nil {
		return 0, err
	}
	code, err := t.hear(ctx, frames, lost)
	t.ask.finish()
	if untaken(err) { // it must not look as if nothing had begun
		err = app.Errorf(app.CodeUnavailable, "Parley's back end has ended. The session is kept: parley sessions resume %s", shortID(t.session))
	}
	return code, err
}

// hear takes what comes until the turn has ended.
func (t *talk) hear(ctx context.Context, frames <-chan api.Frame, lost <-chan error) (int, error) {
	if t.joined {
		if end, err := t.frame(ctx, api.Frame{Resync: true}); err != nil || end != nil {
			return t.code(end), err
		}
	}
	for {
		select {
		case f := <-frames:
			end, err := t.frame(ctx, f)
			if err != nil || end != nil {
				return t.code(end), err
			}
		case err := <-lost:
			return 0, err
		case line, ok := <-t.ask.lines():
			if err := t.line(ctx, line, ok); err != nil {
				return 0, err
			}
		case s := <-t.p.Interrupts:
			if t.interrupted(ctx, s) {
				return exitInterrupted, nil
			}
		}
	}
}

// interrupted stops the turn with the first interrupt, and reports whether to
// leave: with the second, or when somebody else than the keyboard says so.
func (t *talk) interrupted(ctx context.Context, s os.Signal) bool {
	if t.stopped || s != os.Interrupt {
		t.p.hurry.Store(true)
		return true
	}
	t.stopped = true
	t.ask.leave()
	t.p.say("Stopping. Ctrl-C again leaves at once.")
	if err := t.c.Stop(ctx, t.session); err != nil && app.ErrorCode(err) != app.CodeNoActiveTurn {
		t.p.say("%s", app.ErrorMessage(err))
		return true
	}
	return false
}

// frame shows the events of the session. After lost ones it reads on where it
// was.
func (t *talk) frame(ctx context.Context, f api.Frame) (*app.TurnEnded, error) {
	if !f.Resync {
		return t.events(f.Events)
	}
	for {
		page, err := t.c.Events(ctx, t.session, 0, t.last, 1000)
		if err != nil || len(page.Events) == 0 {
			return nil, err
		}
		if end, err := t.events(page.Events); end != nil || err != nil {
			return end, err
		}
	}
}

func (t *talk) events(list []app.Event) (*app.TurnEnded, error) {
	for _, e := range list {
		if e.SessionID != t.session || e.Durable() && e.Seq <= t.last {
			continue
		}
		if e.Durable() {
			t.last = e.Seq
		}
		if err := t.show(e); err != nil {
			return nil, err
		}
		if end, err := t.event(e); end != nil || err != nil {
			return end, err
		}
	}
	return nil, nil
}

// formClosed is the end of a turn whose form was closed: none follows, and what was
// to be done is not.
var formClosed = &app.TurnEnded{Status: app.TurnInterrupted}

var errSessionGone = errors.New("the session was deleted")

// event takes in what an event means for the talk.
func (t *talk) event(e app.Event) (*app.TurnEnded, error) {
	switch d := e.Data.(type) {
	case *app.TurnText:
		if e.Type == app.EventTurnStarted && t.turn == "" {
			t.turn = e.TurnID
		}
	case *app.TurnEnded:
		if e.TurnID != t.turn {
			break
		}
		switch {
		case d.Status == app.TurnDeferred && t.closed:
			return formClosed, nil
		case d.Status == app.TurnDeferred && (t.ask.waiting() || t.answered):
			t.turn, t.answered = "", false // the answer starts the next one
		default:
			return d, nil
		}
	case *app.Interaction:
		t.ask.add(*d)
	case *app.InteractionResolved:
		t.ask.drop(d.InteractionID)
		switch {
		case d.Kind != app.KindForm:
		case d.Reason == app.ReasonResponse:
			t.answered = d.RunID == t.turn
		case t.turn == "":
			return formClosed, nil
		default:
			t.closed = d.RunID == t.turn
		}
	case *app.SessionDeleted:
		return nil, errSessionGone
	}
	return nil, nil
}

// line takes what was typed.
func (t *talk) line(ctx context.Context, line typedLine, ok bool) error {
	if !ok {
		t.ask.hangUp()
		return nil
	}
	answer := t.ask.line(line)
	if answer == nil {
		return nil
	}
	_, err := t.c.Answer(ctx, *answer)
	if taken, ok := errors.AsType[*api.Resolved](err); ok {
		t.p.say("%s", settledBefore(taken))
		return nil
	}
	if code := app.ErrorCode(err); code == app.CodeInvalidArgument || code == app.CodeInvalidFormAnswer {
		t.p.say("%s", plain(app.ErrorMessage(err)))
		t.ask.again()
		return nil
	}
	return err
}

// code is the exit code for a turn's end.
func (t *talk) code(end *app.TurnEnded) int {
	switch {
	case end == nil:
		return exitFailed
	case end.Status == app.TurnCompleted:
		return exitDone
	case end.Status == app.TurnInterrupted:
		return exitInterrupted
	case end.Status == app.TurnDeferred:
		return exitDeferred
	case end.Problem != nil && (end.Problem.Code == "not_installed" || end.Problem.Code == "not_logged_in"):
		return exitNoAgent
	default:
		return exitFailed
	}
}
