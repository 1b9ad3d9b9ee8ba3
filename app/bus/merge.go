package bus

import (
	"strings"

	"parley/app"
)

// slot is one event that waits, with the texts that were merged into it.
type slot struct {
	event app.Event
	more  []string // texts after the event's own
	extra int      // bytes of those
	size  int      // bytes of transient text, for the cap
	gone  bool     // left out
}

var nothing = slot{gone: true}

// key names what transient events may merge: pieces of one message, one tool's
// progress, one session's usage.
type key struct {
	session app.SessionID
	typ     app.EventType
	id      string
}

// pieceOf tells what a transient event is a piece of.
func pieceOf(e app.Event) (key, bool) {
	k := key{session: e.SessionID, typ: e.Type}
	switch d := value(e.Data).(type) {
	case app.Delta:
		k.id = d.MessageID
	case app.ToolProgress:
		k.id = d.ToolID
	case app.Usage:
	default:
		return key{}, false
	}
	return k, true
}

// completes tells of which pieces a durable event is the whole.
func completes(e app.Event) (key, bool) {
	k := key{session: e.SessionID}
	switch d := value(e.Data).(type) {
	case app.MessageText:
		k.typ, k.id = app.EventMessageDelta, d.MessageID
		if e.Type == app.EventReasoningCompleted {
			k.typ = app.EventReasoningDelta
		}
	case app.ToolCompleted:
		k.typ, k.id = app.EventToolProgress, d.ToolID
	default:
		return key{}, false
	}
	return k, true
}

// merge takes e into the slot of an earlier piece of the same thing. It refuses
// text that doesn't follow directly, since the offset would lie.
func (s *slot) merge(e app.Event) bool {
	switch d := value(e.Data).(type) {
	case app.Delta:
		before := value(s.event.Data).(app.Delta)
		if d.Offset != before.Offset+len(before.Text)+s.extra {
			return false
		}
		s.append(d.Text)
	case app.ToolProgress:
		before := value(s.event.Data).(app.ToolProgress)
		if d.Output != "" && d.Offset != before.Offset+len(before.Output)+s.extra {
			return false
		}
		if d.Text != "" {
			before.Text = d.Text
			s.event.Data = before
		}
		s.append(d.Output)
	case app.Usage:
		s.event = e
	}
	return true
}

func (s *slot) append(text string) {
	s.more, s.extra = append(s.more, text), s.extra+len(text)
}

// whole is the event with everything that was merged into it.
func (s *slot) whole() app.Event {
	if len(s.more) == 0 {
		return s.event
	}
	e, rest := s.event, strings.Join(s.more, "")
	switch d := value(e.Data).(type) {
	case app.Delta:
		d.Text += rest
		e.Data = d
	case app.ToolProgress:
		d.Output += rest
		e.Data = d
	}
	return e
}

// value is a payload without the pointer that decoding puts around it, for the
// types that merge.
func value(d app.EventData) app.EventData {
	switch p := d.(type) {
	case *app.Delta:
		return *p
	case *app.ToolProgress:
		return *p
	case *app.Usage:
		return *p
	case *app.MessageText:
		return *p
	case *app.ToolCompleted:
		return *p
	}
	return d
}

// weigh is roughly how many bytes an event holds in memory.
func weigh(e app.Event) int {
	const frame = 512
	switch d := value(e.Data).(type) {
	case app.Delta:
		return len(d.Text)
	case app.ToolProgress:
		return len(d.Text) + len(d.Output)
	case app.MessageText:
		return frame + len(d.Text)
	case app.ToolCompleted:
		return frame + len(d.Output)
	case app.ToolStarted:
		return frame + len(d.Input)
	case app.FileChanged:
		return frame + len(d.Diff)
	case app.Unknown:
		return frame + len(d.Raw)
	}
	return frame
}
