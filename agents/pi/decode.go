package pi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/agents"
)

// decoder turns records into events. It remembers what a line alone does not
// tell: texts that are being written and calls that run. It belongs to the
// reader.
type decoder struct {
	cwd     string
	stopped bool // a person asked the running turn to stop
	spoke   bool // the model has finished a message, so the CLI has written it down
	signs   int  // of the CLI going on by itself: runs, retries, compactions
	count   int  // messages of the model so far
	message string
	texts   map[int]*text // of the message that is being written, by their place in it
	last    message       // the model's newest
	tools   map[string]*tool
	order   []string // of those, oldest first
}

// text is a piece of a message that is being written.
type text struct {
	thought  bool
	redactor agents.Redactor
	written  strings.Builder
}

func newDecoder(cwd string) *decoder {
	return &decoder{cwd: cwd, texts: map[int]*text{}, tools: map[string]*tool{}}
}

func (d *decoder) runBegan() { d.signs++ }

// decode returns the events of a record. Turns and dialogs are not its business.
func (d *decoder) decode(kind string, line []byte) []agents.Event {
	switch kind {
	case "turn_start", "turn_end", "queue_update", "entry_appended", "session_info_changed", "thinking_level_changed",
		"auto_retry_end", "summarization_retry_attempt_start", "summarization_retry_finished", "bash_execution_update", "session":
		return nil
	case "message_start":
		return read(line, d.messageBegan)
	case "message_update":
		return read(line, d.piece)
	case "message_end":
		return read(line, d.messageEnded)
	case "tool_execution_start":
		return read(line, d.toolStarted)
	case "tool_execution_update":
		return read(line, d.toolProgress)
	case "tool_execution_end":
		return read(line, d.toolEnded)
	case "auto_retry_start", "summarization_retry_scheduled":
		d.signs++
		return read(line, retrying)
	case "compaction_start":
		d.signs++
		return []agents.Event{agents.Notice{Level: "info", Code: "compacting", Text: name + " sums up the conversation to make room. This can take a minute."}}
	case "compaction_end":
		return read(line, compacted)
	case "extension_error":
		return read(line, func(f extensionFault) []agents.Event {
			return []agents.Event{agents.Notice{Level: "warning", Code: "extension_error",
				Text: "The extension " + f.Path + " failed: " + agents.Redact(f.Error)}}
		})
	default:
		return unknown(line)
	}
}

// read reads a record into its shape; one of another shape is kept as unknown.
func read[N any](line []byte, take func(N) []agents.Event) []agents.Event {
	var n N
	if json.Unmarshal(line, &n) != nil {
		return unknown(line)
	}
	return take(n)
}

func unknown(line []byte) []agents.Event {
	return []agents.Event{agents.Unknown{Raw: agents.Redact(string(line))}}
}

// messageBegan takes the beginning of a message. Only the model's are told: what
// the person said and what tools brought is known.
func (d *decoder) messageBegan(n messageNote) []agents.Event {
	if n.Message.Role != "assistant" {
		return nil
	}
	events := d.cutTexts()
	d.count++
	d.message = fmt.Sprintf("%d-%d", n.Message.Timestamp, d.count)
	return events
}

func (d *decoder) piece(u update) []agents.Event {
	e := u.Event
	kind, stage, _ := strings.Cut(e.Type, "_")
	if kind != "text" && kind != "thinking" {
		return nil // calls come again when they run
	}
	t := d.texts[e.Index]
	if t == nil {
		t = &text{thought: kind == "thinking"}
		d.texts[e.Index] = t
	}
	if stage == "end" {
		return d.whole(e.Index, e.Content, false)
	}
	t.written.WriteString(e.Delta)
	if shown := t.redactor.Push(e.Delta); shown != "" {
		return []agents.Event{d.event(e.Index, t, shown, false, false)}
	}
	return nil
}

// whole ends a text. all repairs what was lost; "" is what was written.
func (d *decoder) whole(index int, all string, partial bool) []agents.Event {
	t := d.texts[index]
	delete(d.texts, index)
	var events []agents.Event
	if rest := t.redactor.Flush(); rest != "" {
		events = append(events, d.event(index, t, rest, false, false))
	}
	if all == "" {
		all = t.written.String()
	}
	if all = agents.Redact(all); all == "" {
		return events
	}
	return append(events, d.event(index, t, all, true, partial))
}

func (d *decoder) event(index int, t *text, words string, done, partial bool) agents.Event {
	id := fmt.Sprintf("%s:%d", d.message, index)
	if t.thought {
		return agents.Thought{MessageID: id, Text: words, Done: done}
	}
	return agents.Text{MessageID: id, Text: words, Done: done, Partial: partial}
}

// messageEnded takes a finished message. What it says goes before what its pieces
// said.
func (d *decoder) messageEnded(n messageNote) []agents.Event {
	m := n.Message
	if m.Role != "assistant" {
		return nil
	}
	d.last, d.spoke = m, true
	partial := m.StopReason == "aborted" || m.StopReason == "error" || m.StopReason == "length"
	var events []agents.Event
	for i, b := range m.Content {
		t := d.texts[i]
		if t != nil {
			events = append(events, d.whole(i, b.Text+b.Thinking, partial)...)
		}
	}
	return append(events, d.cutTexts()...)
}

// cutTexts ends texts that will get no more pieces.
func (d *decoder) cutTexts() []agents.Event {
	var events []agents.Event
	open := make([]int, 0, len(d.texts))
	for i := range d.texts {
		open = append(open, i)
	}
	slices.Sort(open)
	for _, i := range open {
		events = append(events, d.whole(i, "", true)...)
	}
	return events
}

// cut ends everything that is open.
func (d *decoder) cut() []agents.Event {
	events := d.cutTexts()
	for _, id := range slices.Clone(d.order) {
		events = append(events, d.ended(id, "cancelled", ""))
	}
	return events
}

func retrying(n retryNote) []agents.Event {
	p := problem(n.Error)
	return []agents.Event{agents.Notice{
		Level: "warning", Code: "api_retry", Text: fmt.Sprintf("%s Trying again in %d s (%d of %d).", p.Title, (n.DelayMS+999)/1000, n.Attempt, n.Max),
		Advice: agents.Redact(n.Error),
	}}
}

func compacted(n compactionNote) []agents.Event {
	switch {
	case n.Error != "":
		return []agents.Event{agents.Notice{Level: "error", Code: "compaction_failed",
			Text: name + " could not sum up the conversation.", Advice: agents.Redact(n.Error)}}
	case n.Aborted:
		return []agents.Event{agents.Notice{Level: "info", Code: "compaction_stopped", Text: "The conversation was not summed up: it was stopped."}}
	default:
		return []agents.Event{agents.Notice{Level: "info", Code: "compacted", Text: name + " summed up the conversation to make room."}}
	}
}
