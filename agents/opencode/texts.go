package opencode

import (
	"slices"
	"strings"

	"parley/agents"
)

// texts follows messages and reasoning that are being written. What is finished
// is forgotten.
type texts struct {
	open map[string]*text // by the id of the part
	ids  []string         // of those, oldest first
}

type text struct {
	source
	redactor agents.Redactor
	written  strings.Builder
}

// source says whose message it is.
type source struct {
	session string
	parent  string
	thought bool
}

func newTexts() *texts { return &texts{open: map[string]*text{}} }

// begin takes the beginning of a message, whose pieces follow.
func (s *texts) begin(id string, from source) {
	if s.open[id] == nil {
		s.open[id] = &text{source: from}
		s.ids = append(s.ids, id)
	}
}

// piece takes a piece of a message that has begun; of others it knows nothing.
func (s *texts) piece(id, delta string) []agents.Event {
	t := s.open[id]
	if t == nil {
		return nil
	}
	t.written.WriteString(delta)
	if shown := t.redactor.Push(delta); shown != "" {
		return []agents.Event{t.event(id, shown, false, false)}
	}
	return nil
}

// whole takes a finished message; partial says that it was cut off.
func (s *texts) whole(id, all string, partial bool) []agents.Event {
	t := s.open[id]
	if t == nil {
		return nil // it was finished before
	}
	delete(s.open, id)
	s.ids = slices.DeleteFunc(s.ids, func(other string) bool { return other == id })
	var events []agents.Event
	if rest := t.redactor.Flush(); rest != "" {
		events = append(events, t.event(id, rest, false, false))
	}
	if all == "" {
		all = t.written.String()
	}
	if all = agents.Redact(all); all == "" {
		return events
	}
	return append(events, t.event(id, all, true, partial))
}

// cut ends what belongs to a session; "" is all of them.
func (s *texts) cut(session string) []agents.Event {
	var events []agents.Event
	for _, id := range slices.Clone(s.ids) {
		if session == "" || s.open[id].session == session {
			events = append(events, s.whole(id, "", true)...)
		}
	}
	return events
}

func (t *text) event(id, words string, done, partial bool) agents.Event {
	if t.thought {
		return agents.Thought{MessageID: id, Text: words, Done: done, Parent: t.parent}
	}
	return agents.Text{MessageID: id, Text: words, Done: done, Partial: partial, Parent: t.parent}
}
