package codex

import (
	"slices"
	"strconv"
	"strings"

	"parley/agents"
)

// texts follows messages and reasoning that are being written. What is finished
// is forgotten.
type texts struct {
	open map[string]*text // by the id that the person's side sees
	ids  []string         // of those, oldest first
}

type text struct {
	source
	redactor agents.Redactor
	written  strings.Builder
}

// source says whose message it is.
type source struct {
	thread  string
	parent  string
	thought bool
}

func newTexts() *texts { return &texts{open: map[string]*text{}} }

// part is the id of one part of an item that has several.
func part(item string, index int) string { return item + ":" + strconv.Itoa(index) }

// piece takes a piece of a message.
func (s *texts) piece(id string, from source, delta string) []agents.Event {
	t := s.open[id]
	if t == nil {
		t = &text{source: from}
		s.open[id] = t
		s.ids = append(s.ids, id)
	}
	t.written.WriteString(delta)
	if shown := t.redactor.Push(delta); shown != "" {
		return []agents.Event{t.event(id, shown, false, false)}
	}
	return nil
}

// whole takes a finished message; partial says that it was cut off.
func (s *texts) whole(id string, from source, all string, partial bool) []agents.Event {
	t := s.open[id]
	if t == nil {
		t = &text{source: from}
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

// cut ends what belongs to a thread, or to an item when its id is given.
func (s *texts) cut(thread, item string) []agents.Event {
	var events []agents.Event
	for _, id := range slices.Clone(s.ids) {
		if t := s.open[id]; t.thread == thread && (item == "" || strings.HasPrefix(id, item+":")) {
			events = append(events, s.whole(id, source{}, "", item == "")...)
		}
	}
	return events
}

// cutOthers ends the messages of a thread that are open, but for one. Reasoning
// may go on beside a message.
func (s *texts) cutOthers(thread, but string) []agents.Event {
	var events []agents.Event
	for _, id := range slices.Clone(s.ids) {
		if t := s.open[id]; t.thread == thread && !t.thought && id != but {
			events = append(events, s.whole(id, source{}, "", true)...)
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
