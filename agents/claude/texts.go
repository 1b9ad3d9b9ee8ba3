package claude

import (
	"strconv"
	"strings"

	"parley/agents"
)

// texts follows messages that are being written. The stream names a block by
// message and index; the line with the finished block names the message alone
// and belongs to the first block of its kind that is not finished.
type texts struct {
	messages map[string]*message // by the provider's id
	current  map[string]string   // by sub-agent ("" is the agent itself): the message that streams
}

type message struct {
	parent string
	blocks []*block // by index; nil for blocks that are no text
	next   int      // index of the next block that comes without a stream
}

type block struct {
	kind     string // text, thinking
	redactor agents.Redactor
	written  strings.Builder
	done     bool
}

func newTexts() *texts {
	return &texts{messages: map[string]*message{}, current: map[string]string{}}
}

func (s *texts) message(parent, id string) *message {
	m := s.messages[id]
	if m == nil {
		m = &message{parent: parent}
		s.messages[id] = m
	}
	return m
}

// begin notes a message that streams. What was open of the one before will not
// be finished: the CLI asks the provider again after a broken answer.
func (s *texts) begin(parent, id string) []agents.Event {
	var events []agents.Event
	if old := s.current[parent]; old != id { // a replayed beginning goes on with what is there
		events = s.cutMessage(old)
	}
	s.current[parent] = id
	s.message(parent, id)
	return events
}

// open notes a block of the streaming message.
func (s *texts) open(parent string, index int, kind string) {
	m := s.messages[s.current[parent]]
	if m == nil || index < 0 || index > maxBlocks {
		return
	}
	for len(m.blocks) <= index {
		m.blocks = append(m.blocks, nil)
	}
	if kind == "text" || kind == "thinking" {
		m.blocks[index] = &block{kind: kind}
	}
	m.next = max(m.next, index+1)
}

// maxBlocks bounds the index that a line may name.
const maxBlocks = 1 << 16

// piece takes a piece of a block.
func (s *texts) piece(parent string, index int, text string) []agents.Event {
	id := s.current[parent]
	m := s.messages[id]
	if m == nil || index < 0 || index >= len(m.blocks) || m.blocks[index] == nil || text == "" {
		return nil
	}
	b := m.blocks[index]
	if b.done {
		return nil
	}
	b.written.WriteString(text)
	if shown := b.redactor.Push(text); shown != "" {
		return []agents.Event{b.event(id, index, parent, shown)}
	}
	return nil
}

// whole takes a finished block.
func (s *texts) whole(parent, id string, c content, aborted bool) []agents.Event {
	m := s.message(parent, id)
	text := c.Text + c.Thinking
	index := m.next
	for i, b := range m.blocks {
		if b != nil && !b.done && b.kind == c.Type {
			index = i
			break
		}
	}
	if index == m.next { // it did not stream
		for len(m.blocks) <= index {
			m.blocks = append(m.blocks, nil)
		}
		m.blocks[index] = &block{kind: c.Type}
		m.next++
	}
	return m.blocks[index].finish(id, index, parent, text, aborted)
}

// finish ends a block with its whole text.
func (b *block) finish(id string, index int, parent, text string, partial bool) []agents.Event {
	b.done = true
	var events []agents.Event
	if b.written.Len() > 0 {
		if rest := b.redactor.Flush(); rest != "" {
			events = append(events, b.event(id, index, parent, rest))
		}
	}
	if text == "" {
		text = b.written.String()
	}
	if text = agents.Redact(text); text == "" {
		return events
	}
	if b.kind == "thinking" {
		return append(events, agents.Thought{MessageID: blockID(id, index), Text: text, Done: true, Parent: parent})
	}
	return append(events, agents.Text{MessageID: blockID(id, index), Text: text, Done: true, Partial: partial, Parent: parent})
}

func (b *block) event(id string, index int, parent, text string) agents.Event {
	if b.kind == "thinking" {
		return agents.Thought{MessageID: blockID(id, index), Text: text, Parent: parent}
	}
	return agents.Text{MessageID: blockID(id, index), Text: text, Parent: parent}
}

// blockID is Parley's id of a message: one block of one of the provider's.
func blockID(message string, index int) string { return message + ":" + strconv.Itoa(index) }

// cutMessage ends what is open of a message and forgets it.
func (s *texts) cutMessage(id string) []agents.Event {
	m := s.messages[id]
	if m == nil {
		return nil
	}
	delete(s.messages, id)
	var events []agents.Event
	for i, b := range m.blocks {
		if b != nil && !b.done && b.written.Len() > 0 {
			events = append(events, b.finish(id, i, m.parent, b.written.String(), true)...)
		}
	}
	return events
}

// cut ends what a sub-agent ("" is the agent itself) has open and forgets it.
func (s *texts) cut(parent string) []agents.Event {
	events := s.cutMessage(s.current[parent])
	delete(s.current, parent)
	for id, m := range s.messages {
		if m.parent == parent {
			delete(s.messages, id)
		}
	}
	return events
}
