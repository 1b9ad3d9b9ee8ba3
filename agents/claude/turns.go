package claude

import (
	"errors"

	"parley/agents"
)

// turns knows which turn is open and decides when it is over. The CLI's own
// turns do not map one to one: a message into a running turn may become a turn
// of its own, background work begins turns that nobody requested, and a message
// that is interrupted early gets no result at all. So every message carries an
// id, and the CLI tells its fate (newer versions).
//
// It is plain state without a lock; a conversation guards it.
type turns struct {
	open    *turn
	working bool // the CLI is within a turn of its own
	// tells says that the CLI tells the fate of messages.
	tells bool
}

// turn is the open turn as Parley sees it.
type turn struct {
	requested bool
	stopped   bool            // a person asked it to stop
	messages  map[string]bool // by id, not yet at their end: whether the CLI has begun with it
	held      *agents.Ended   // an end that waits for messages the CLI has not begun with
}

var errInTurn = errors.New("the agent is still in a turn")

// prompt opens a turn with its first message. When the CLI is in a turn of its
// own that nobody requested, the message takes it over.
func (s *turns) prompt(id string) error {
	switch {
	case s.open == nil:
		s.open = &turn{requested: true, messages: map[string]bool{id: false}}
	case s.open.requested:
		return errInTurn
	default:
		s.open.requested = true
		s.open.messages[id] = false
	}
	return nil
}

// resume opens a turn that begins with a call and no message.
func (s *turns) resume() error {
	if s.open != nil {
		return errInTurn
	}
	s.open = &turn{requested: true, messages: map[string]bool{}}
	return nil
}

// steer adds a message to the open turn; false when there is none.
func (s *turns) steer(id string) bool {
	if s.open == nil {
		return false
	}
	s.open.messages[id] = false
	return true
}

// unsay takes a message back that did not get on its way.
func (s *turns) unsay(id string) {
	delete(s.open.messages, id)
	if len(s.open.messages) == 0 && !s.working {
		s.open = nil
	}
}

// stop notes that a person wants the open turn to stop; false when there is none.
func (s *turns) stop() bool {
	if s.open == nil {
		return false
	}
	s.open.stopped = true
	return true
}

func (s *turns) stopped() bool { return s.open != nil && s.open.stopped }

// activity notes that the CLI works on its main thread. It reports true when
// that begins a turn which nobody requested.
func (s *turns) activity() bool {
	s.working = true
	if s.open != nil {
		return false
	}
	s.open = &turn{messages: map[string]bool{}}
	return true
}

// fate notes what became of a message and returns the end of the turn if this
// was it.
func (s *turns) fate(id, state string) *agents.Ended {
	s.tells = true
	if s.open == nil {
		return nil
	}
	begun, ours := s.open.messages[id]
	if !ours {
		return nil
	}
	switch state {
	case "queued":
		s.open.messages[id] = false
		return nil
	case "started":
		s.open.messages[id] = true
		s.working = true
		return nil
	case "completed", "cancelled", "discarded", "refused":
		delete(s.open.messages, id)
	default:
		return nil
	}
	switch {
	case s.unbegun():
		return nil
	case s.open.held != nil:
		return s.end(*s.open.held)
	case !begun && !s.working && len(s.open.messages) == 0:
		// The CLI never began with it, so no result follows.
		if state == "cancelled" {
			return s.end(agents.Ended{Stop: agents.StopStopped, Native: state})
		}
		return s.end(agents.Ended{Stop: agents.StopFailed, Native: state, Problem: &agents.Problem{
			Code: "refused", Title: name + " did not take the message.", Advice: "Send it again.",
		}})
	}
	return nil
}

// result notes the end of one of the CLI's turns and returns the end of the
// open turn if this was it. own says that the CLI began that turn by itself.
func (s *turns) result(e agents.Ended, own bool) *agents.Ended {
	s.working = false
	switch {
	case s.open == nil:
		return nil // it belongs to nothing that anybody saw begin
	case s.tells && s.unbegun():
		if !own {
			s.open.held = &e
		}
		return nil
	case !s.tells && own && s.open.requested:
		return nil // the result of the message follows
	}
	return s.end(e)
}

// over ends the open turn because the CLI has ended.
func (s *turns) over(closed bool) *agents.Ended {
	s.working = false
	switch {
	case s.open == nil:
		return nil
	case s.open.stopped || closed:
		return s.end(agents.Ended{Stop: agents.StopStopped})
	}
	return s.end(agents.Ended{Stop: agents.StopFailed, Problem: &agents.Problem{
		Code: "exited", Title: name + " ended in the middle of the turn.", Advice: "Send the message again to start it anew.",
	}})
}

func (s *turns) end(e agents.Ended) *agents.Ended {
	e.Unrequested = !s.open.requested
	s.open = nil
	return &e
}

// unbegun reports whether the open turn has a message that the CLI has not
// begun with.
func (s *turns) unbegun() bool {
	for _, begun := range s.open.messages {
		if !begun {
			return true
		}
	}
	return false
}
