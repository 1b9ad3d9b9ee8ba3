package acpclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/agents"
)

// rawLimit is how much of a line that was not understood is passed on, in bytes.
const rawLimit = 16 << 10

// decoder turns updates into events. It belongs to the reader's goroutine.
type decoder struct {
	session  string // ours; an update of another session is a sub-agent's
	turn     string // id of the newest turn; makes ids of messages unique
	running  bool   // that turn has not ended
	stopped  bool   // a person asked it to stop
	messages int    // begun in this turn
	open     map[string]*speech
	tools    map[string]*tool // of this turn
	order    []string         // their ids, in the order of their start
	usage    agents.Usage
	mode     string // the agent's own id of its mode, "" until it told
}

// speech is a message or a thought that is being streamed. There is one at a
// time for the agent and one for each sub-agent.
type speech struct {
	id      string
	native  string // the agent's own id of it, "" when it has none
	thought bool
	text    strings.Builder
	redact  agents.Redactor
}

// update is a session/update of any kind. The SDK's own type is a union that
// takes an update of an unknown kind for the first kind whose fields it has, and
// refuses a null where it wants a text; this one reads what is there.
type update struct {
	Kind      string          `json:"sessionUpdate"`
	Content   json.RawMessage `json:"content"` // a block; a list with a tool call
	MessageID string          `json:"messageId"`
	Entries   []planEntry     `json:"entries"`
	Used      *int64          `json:"used"`
	Size      *int64          `json:"size"`
	Cost      *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
	CurrentModeID string `json:"currentModeId"`
	toolUpdate
}

type planEntry struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// begin starts a turn. Nothing of the turn before is open any more.
func (d *decoder) begin(turn string) {
	d.turn, d.running, d.stopped, d.messages = turn, true, false, 0
	d.open = map[string]*speech{}
	d.tools, d.order = map[string]*tool{}, nil
}

// update decodes the parameters of session/update; line is what they came in.
func (d *decoder) update(params json.RawMessage, line []byte) []agents.Event {
	var p struct {
		SessionID string          `json:"sessionId"`
		Update    json.RawMessage `json:"update"`
	}
	var u update
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Update, &u) != nil {
		return unknown(string(line))
	}
	parent := ""
	if p.SessionID != "" && d.session != "" && p.SessionID != d.session {
		parent = p.SessionID
	}
	switch u.Kind {
	case "agent_message_chunk":
		return d.chunk(parent, u, false)
	case "agent_thought_chunk":
		return d.chunk(parent, u, true)
	case "tool_call", "tool_call_update":
		u.toolUpdate.Content = u.Content
		events, ok := d.toolUpdate(parent, u.toolUpdate)
		if !ok {
			return unknown(string(line))
		}
		return events
	case "plan":
		return []agents.Event{plan(u.Entries)}
	case "usage_update":
		return d.usageUpdate(u)
	case "current_mode_update":
		return d.modeUpdate(u.CurrentModeID)
	case "user_message_chunk", "available_commands_update", "config_option_update", "session_info_update":
		return nil // understood, and nothing that Parley shows
	default:
		return unknown(string(line))
	}
}

// chunk takes a piece of a message. A change of kind, of the agent's own id or a
// tool call in between begins a new message.
func (d *decoder) chunk(parent string, u update, thought bool) []agents.Event {
	text := blockText(u.Content)
	if text == "" {
		return nil
	}
	if !d.running { // nobody would close it, so it is whole as it comes
		d.messages++
		s := &speech{id: d.messageID(), thought: thought}
		s.text.WriteString(agents.Redact(text))
		return []agents.Event{s.event(s.text.String(), true, false, parent)}
	}
	var events []agents.Event
	s := d.open[parent]
	if s != nil && (s.thought != thought || s.native != u.MessageID) {
		events = d.closeSpeech(parent, false)
		s = nil
	}
	if s == nil {
		d.messages++
		s = &speech{id: d.messageID(), native: u.MessageID, thought: thought}
		d.open[parent] = s
	}
	if shown := s.redact.Push(text); shown != "" {
		s.text.WriteString(shown)
		events = append(events, s.event(shown, false, false, parent))
	}
	return events
}

func (d *decoder) messageID() string {
	turn := d.turn
	if turn == "" {
		turn = d.session
	}
	return turn + "/" + strconv.Itoa(d.messages)
}

// closeSpeech ends the message of the agent (parent "") or of a sub-agent.
func (d *decoder) closeSpeech(parent string, partial bool) []agents.Event {
	s := d.open[parent]
	if s == nil {
		return nil
	}
	delete(d.open, parent)
	s.text.WriteString(s.redact.Flush())
	return []agents.Event{s.event(s.text.String(), true, partial, parent)}
}

func (s *speech) event(text string, done, partial bool, parent string) agents.Event {
	if s.thought {
		return agents.Thought{MessageID: s.id, Text: text, Done: done, Parent: parent}
	}
	return agents.Text{MessageID: s.id, Text: text, Done: done, Partial: partial, Parent: parent}
}

// finish closes what the turn left open: messages, and tools whose end the agent
// did not tell. cut says that the turn did not come to its own end.
func (d *decoder) finish(cut bool) []agents.Event {
	d.running = false
	var events []agents.Event
	for _, parent := range slices.Sorted(maps.Keys(d.open)) {
		events = append(events, d.closeSpeech(parent, cut)...)
	}
	for _, id := range d.order {
		if t := d.tools[id]; !t.ended {
			t.ended = true
			ended := agents.ToolEnded{ID: id, Status: "cancelled", Output: t.output}
			if !cut && t.output == "" {
				ended.Output = "The agent did not say how this ended."
			}
			events = append(events, ended)
		}
	}
	return events
}

func plan(entries []planEntry) agents.Event {
	p := agents.Plan{Steps: make([]agents.PlanStep, 0, len(entries))}
	for i, e := range entries {
		status := e.Status
		if status != "in_progress" && status != "completed" {
			status = "pending"
		}
		p.Steps = append(p.Steps, agents.PlanStep{ID: strconv.Itoa(i + 1), Step: agents.Redact(e.Content), Status: status})
	}
	return p
}

func (d *decoder) usageUpdate(u update) []agents.Event {
	if u.Used != nil {
		d.usage.ContextUsed = u.Used
	}
	if u.Size != nil {
		d.usage.Window = u.Size
	}
	if u.Cost != nil && u.Cost.Currency == "USD" {
		d.usage.CostUSD = &u.Cost.Amount
	}
	return []agents.Event{d.usage}
}

// addUsage adds what a turn used. The protocol counts tokens by the turn, Parley
// by the session.
func (d *decoder) addUsage(u *TurnUsage) {
	if u == nil {
		return
	}
	d.usage.Input = sum(d.usage.Input, u.Input)
	d.usage.Output = sum(d.usage.Output, u.Output)
	d.usage.Cached = sum(d.usage.Cached, u.Cached)
}

// TurnUsage is what one turn used, in tokens; nil is unknown.
type TurnUsage struct {
	Input  *int64 `json:"inputTokens"`
	Output *int64 `json:"outputTokens"`
	Cached *int64 `json:"cachedReadTokens"`
}

// sum adds b to a; nil is unknown and stays so until a number comes.
func sum(a, b *int64) *int64 {
	if b == nil {
		return a
	}
	total := *b
	if a != nil {
		total += *a
	}
	return &total
}

// modeUpdate tells a person when the agent changed its mode by itself.
func (d *decoder) modeUpdate(mode string) []agents.Event {
	if mode == "" || mode == d.mode {
		return nil
	}
	d.mode = mode
	return []agents.Event{agents.Notice{
		Level: "info", Code: "mode_changed",
		Text: fmt.Sprintf("The agent is now in its mode “%s”.", mode),
	}}
}

func unknown(line string) []agents.Event {
	line = agents.Redact(line)
	if len(line) > rawLimit {
		line = strings.ToValidUTF8(line[:rawLimit], "") + fmt.Sprintf("… (%d bytes)", len(line))
	}
	return []agents.Event{agents.Unknown{Raw: line}}
}

// blockText is the text of a content block; what has none is named.
func blockText(raw json.RawMessage) string {
	var b struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Name     string `json:"name"`
		URI      string `json:"uri"`
		Resource struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"resource"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return ""
	}
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return fmt.Sprintf("[%s](%s)", b.Name, b.URI)
	case "resource":
		if b.Resource.Text != "" {
			return b.Resource.Text
		}
		return b.Resource.URI
	case "image", "audio":
		return "[" + b.Type + "]"
	default:
		return ""
	}
}
