package app

import (
	"encoding/json"
	"fmt"
)

// EventType names a kind of event on the wire.
type EventType string

// Types of event. Those marked ~ are transient: they have no number and are
// never the only carrier of a fact.
const (
	EventSessionCreated     EventType = "session.created"
	EventSessionUpdated     EventType = "session.updated"
	EventSessionDeleted     EventType = "session.deleted"
	EventAgentStarted       EventType = "agent.started"
	EventAgentExited        EventType = "agent.exited"
	EventTurnQueued         EventType = "turn.queued"
	EventTurnUnqueued       EventType = "turn.unqueued"
	EventTurnStarted        EventType = "turn.started"
	EventTurnSteered        EventType = "turn.steered" // a message went into the running turn
	EventTurnCompleted      EventType = "turn.completed"
	EventMessageDelta       EventType = "message.delta" // ~
	EventMessageCompleted   EventType = "message.completed"
	EventReasoningDelta     EventType = "reasoning.delta" // ~
	EventReasoningCompleted EventType = "reasoning.completed"
	EventToolStarted        EventType = "tool.started"
	EventToolProgress       EventType = "tool.progress" // ~
	EventToolCompleted      EventType = "tool.completed"
	EventFileChanged        EventType = "file.changed"
	EventPlanUpdated        EventType = "plan.updated"
	EventUsageUpdated       EventType = "usage.updated" // ~
	EventNotice             EventType = "notice"
	EventMCPChanged         EventType = "mcp.changed" // ~, of no session
	EventUnknown            EventType = "unknown"
)

// Steps in the life of an interaction; with a kind they make an event type,
// such as "clarify.requested".
const (
	StepRequested    = "requested"
	StepUpdated      = "updated"
	StepResolved     = "resolved"
	StepLateAnswered = "late_answered"
	StepDelivered    = "delivered"
)

// InteractionEvent is the event type of a step in the life of a kind.
func InteractionEvent(k Kind, step string) EventType { return EventType(string(k) + "." + step) }

// EventData is the payload of one event type. Every implementation is a plain
// struct with fixed JSON names.
type EventData interface{ eventData() }

// Event is the envelope. Seq counts the durable events of a session from 1; it
// is 0 for a transient event.
type Event struct {
	Seq       int64     `json:"seq,omitempty"`
	At        int64     `json:"at"`
	SessionID SessionID `json:"session_id"`
	TurnID    TurnID    `json:"turn_id,omitempty"`
	Type      EventType `json:"type"`
	Data      EventData `json:"data"`
}

// Durable reports whether the event was stored before it was sent.
func (e Event) Durable() bool { return e.Seq > 0 }

// SessionDeleted is the data of session.deleted.
type SessionDeleted struct{}

// AgentStarted is the data of agent.started. Command is masked.
type AgentStarted struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Command string `json:"command"`
}

// AgentExited is the data of agent.exited.
type AgentExited struct {
	Code    int      `json:"code"`
	Signal  string   `json:"signal"`
	Reason  string   `json:"reason"` // closed, stopped, crashed, quit
	Problem *Problem `json:"problem,omitempty"`
}

// TurnText is the data of turn.queued, turn.started and turn.steered: the input
// as typed, without the context block.
type TurnText struct {
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Unrequested marks a turn that the CLI began by itself.
	Unrequested bool `json:"unrequested,omitempty"`
	// Late is the id of the interaction that this message answers late.
	Late string `json:"late,omitempty"`
	// Form is the id of the form whose end goes along: of an answer Text is the
	// answer in words; beside a form that was closed, Text is the person's message.
	Form string `json:"form,omitempty"`
}

// TurnUnqueued is the data of turn.unqueued: a queued message was dropped, or
// changed when Text is set.
type TurnUnqueued struct {
	Text string `json:"text,omitempty"`
}

// TurnEnded is the data of turn.completed. WaitedMS is the part of DurationMS
// in which a person was asked.
type TurnEnded struct {
	Status     TurnStatus `json:"status"`
	StopReason string     `json:"stop_reason"`
	Usage      *Usage     `json:"usage,omitempty"`
	DurationMS int64      `json:"duration_ms"`
	WaitedMS   int64      `json:"waited_ms"`
	Problem    *Problem   `json:"problem,omitempty"`
}

// Delta is the data of message.delta and reasoning.delta. Offset counts the
// bytes of UTF-8 before Text in the message.
type Delta struct {
	MessageID    string `json:"message_id"`
	Offset       int    `json:"offset"`
	Text         string `json:"text"`
	ParentToolID string `json:"parent_tool_id,omitempty"`
}

// MessageText is the data of message.completed and reasoning.completed.
type MessageText struct {
	MessageID    string `json:"message_id"`
	Text         string `json:"text"`
	ParentToolID string `json:"parent_tool_id,omitempty"`
	Partial      bool   `json:"partial,omitempty"` // cut off by a stop or a crash
	DurationMS   int64  `json:"duration_ms,omitempty"`
}

// ToolKind groups tools for the icon and for folding runs of reads.
type ToolKind string

// Kinds of tool.
const (
	ToolRead   ToolKind = "read"
	ToolSearch ToolKind = "search"
	ToolEdit   ToolKind = "edit"
	ToolWrite  ToolKind = "write"
	ToolRun    ToolKind = "run"
	ToolFetch  ToolKind = "fetch"
	ToolAgent  ToolKind = "agent" // a sub-agent
	ToolAsk    ToolKind = "ask"   // a question to the person
	ToolPlan   ToolKind = "plan"
	ToolMCP    ToolKind = "mcp"
	ToolOther  ToolKind = "other"
)

// ToolStarted is the data of tool.started. Input is redacted JSON as text.
type ToolStarted struct {
	ToolID       string   `json:"tool_id"`
	Name         string   `json:"name"`
	Kind         ToolKind `json:"kind"`
	Title        string   `json:"title"` // the main argument: a path, a command
	Input        string   `json:"input"`
	ParentToolID string   `json:"parent_tool_id,omitempty"`
}

// ToolProgress is the data of tool.progress.
type ToolProgress struct {
	ToolID string `json:"tool_id"`
	Text   string `json:"text,omitempty"`
	Output string `json:"output,omitempty"`
	Offset int    `json:"offset,omitempty"`
}

// ToolStatus is how a tool call ended.
type ToolStatus string

// Ends of a tool call.
const (
	ToolOK        ToolStatus = "ok"
	ToolFailed    ToolStatus = "failed"
	ToolCancelled ToolStatus = "cancelled"
)

// ToolCompleted is the data of tool.completed. A Truncated output is kept whole
// under OutputID, unless that is empty: then it was not to be had whole.
type ToolCompleted struct {
	ToolID        string          `json:"tool_id"`
	Status        ToolStatus      `json:"status"`
	Output        string          `json:"output"`
	Truncated     bool            `json:"truncated"`
	OutputID      string          `json:"output_id,omitempty"`
	OutputBytes   int64           `json:"output_bytes,omitempty"` // of the whole
	DurationMS    int64           `json:"duration_ms"`
	RenderPayload json.RawMessage `json:"render_payload,omitempty"`
}

// FileChange is what happened to a file.
type FileChange string

// Changes of a file.
const (
	FileAdded    FileChange = "added"
	FileModified FileChange = "modified"
	FileDeleted  FileChange = "deleted"
)

// FileChanged is the data of file.changed. Path is relative to the session's
// folder where it lies inside. Added and Removed count lines, -1 if unknown.
type FileChanged struct {
	Path    string     `json:"path"`
	Change  FileChange `json:"change"`
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	ToolID  string     `json:"tool_id,omitempty"`
	Diff    string     `json:"diff,omitempty"`
}

// Causes of *.updated.
const (
	UpdatedMoreTime    = "more_time"
	UpdatedTyping      = "typing"
	UpdatedClock       = "clock"       // the computer's clock was set, the time left is the same
	UpdatedCleared     = "cleared"     // the person took it out of "moved on"
	UpdatedUndelivered = "undelivered" // the answer never reached the agent; it may go out as a message
)

// InteractionUpdated is the data of *.updated: the deadline moved, or what the
// inbox shows of it changed.
type InteractionUpdated struct {
	InteractionID      string `json:"interaction_id"`
	ClarifyID          string `json:"clarify_id,omitempty"`
	DeadlineAt         int64  `json:"deadline_at"`
	MaxDeadlineAt      int64  `json:"max_deadline_at"`
	RemainingTimeoutMS int64  `json:"remaining_timeout_ms"`
	Cause              string `json:"cause"`
}

// InteractionResolved is the data of *.resolved.
type InteractionResolved struct {
	InteractionID string `json:"interaction_id"`
	ClarifyID     string `json:"clarify_id,omitempty"`
	RunID         TurnID `json:"run_id"`
	Kind          Kind   `json:"kind"`
	Resolved      bool   `json:"resolved"`          // always true
	SeenAt        int64  `json:"seen_at,omitempty"` // when a person first saw it, if one did before it ended
	Outcome
}

// InteractionLateAnswered is the data of *.late_answered.
type InteractionLateAnswered struct {
	InteractionID string `json:"interaction_id"`
	ClarifyID     string `json:"clarify_id,omitempty"`
	SeenAt        int64  `json:"seen_at,omitempty"`
	Late
}

// InteractionDelivered is the data of *.delivered: the answer has left for the
// agent.
type InteractionDelivered struct {
	InteractionID string `json:"interaction_id"`
	ClarifyID     string `json:"clarify_id,omitempty"`
	DeliveredAt   int64  `json:"delivered_at"`
}

// NoticeLevel is how much a notice matters.
type NoticeLevel string

// Levels of notice.
const (
	LevelInfo    NoticeLevel = "info"
	LevelWarning NoticeLevel = "warning"
	LevelError   NoticeLevel = "error"
)

// Notice is the data of notice: something a person should know that ends
// nothing.
type Notice struct {
	Level  NoticeLevel `json:"level"`
	Code   string      `json:"code"`
	Text   string      `json:"text"`
	Advice string      `json:"advice,omitempty"`
}

// Unknown is the data of unknown: a line that was not understood, redacted.
type Unknown struct {
	Raw string `json:"raw"`
}

func (Session) eventData()                 {}
func (SessionDeleted) eventData()          {}
func (AgentStarted) eventData()            {}
func (AgentExited) eventData()             {}
func (TurnText) eventData()                {}
func (TurnUnqueued) eventData()            {}
func (TurnEnded) eventData()               {}
func (Delta) eventData()                   {}
func (MessageText) eventData()             {}
func (ToolStarted) eventData()             {}
func (ToolProgress) eventData()            {}
func (ToolCompleted) eventData()           {}
func (FileChanged) eventData()             {}
func (Plan) eventData()                    {}
func (Usage) eventData()                   {}
func (Interaction) eventData()             {}
func (InteractionUpdated) eventData()      {}
func (InteractionResolved) eventData()     {}
func (InteractionLateAnswered) eventData() {}
func (InteractionDelivered) eventData()    {}
func (Notice) eventData()                  {}
func (MCPChanged) eventData()              {}
func (Unknown) eventData()                 {}

// newData makes an empty payload for each event type.
var newData = func() map[EventType]func() EventData {
	m := map[EventType]func() EventData{
		EventSessionCreated:     func() EventData { return &Session{} },
		EventSessionUpdated:     func() EventData { return &Session{} },
		EventSessionDeleted:     func() EventData { return &SessionDeleted{} },
		EventAgentStarted:       func() EventData { return &AgentStarted{} },
		EventAgentExited:        func() EventData { return &AgentExited{} },
		EventTurnQueued:         func() EventData { return &TurnText{} },
		EventTurnUnqueued:       func() EventData { return &TurnUnqueued{} },
		EventTurnStarted:        func() EventData { return &TurnText{} },
		EventTurnSteered:        func() EventData { return &TurnText{} },
		EventTurnCompleted:      func() EventData { return &TurnEnded{} },
		EventMessageDelta:       func() EventData { return &Delta{} },
		EventMessageCompleted:   func() EventData { return &MessageText{} },
		EventReasoningDelta:     func() EventData { return &Delta{} },
		EventReasoningCompleted: func() EventData { return &MessageText{} },
		EventToolStarted:        func() EventData { return &ToolStarted{} },
		EventToolProgress:       func() EventData { return &ToolProgress{} },
		EventToolCompleted:      func() EventData { return &ToolCompleted{} },
		EventFileChanged:        func() EventData { return &FileChanged{} },
		EventPlanUpdated:        func() EventData { return &Plan{} },
		EventUsageUpdated:       func() EventData { return &Usage{} },
		EventNotice:             func() EventData { return &Notice{} },
		EventMCPChanged:         func() EventData { return &MCPChanged{} },
		EventUnknown:            func() EventData { return &Unknown{} },
	}
	for _, k := range []Kind{KindClarify, KindForm, KindApproval, KindElicitation, KindNative} {
		m[InteractionEvent(k, StepRequested)] = func() EventData { return &Interaction{} }
		m[InteractionEvent(k, StepUpdated)] = func() EventData { return &InteractionUpdated{} }
		m[InteractionEvent(k, StepResolved)] = func() EventData { return &InteractionResolved{} }
		m[InteractionEvent(k, StepLateAnswered)] = func() EventData { return &InteractionLateAnswered{} }
		m[InteractionEvent(k, StepDelivered)] = func() EventData { return &InteractionDelivered{} }
	}
	return m
}()

// DataTypes lists every event type with an empty payload; the generator of the
// page's types reads it.
func DataTypes() map[EventType]EventData {
	out := make(map[EventType]EventData, len(newData))
	for t, f := range newData {
		out[t] = f()
	}
	return out
}

// DecodeData reads the payload of an event type. A type that this program does
// not know becomes Unknown, so that an older client survives a newer server.
func DecodeData(t EventType, raw []byte) (EventData, error) {
	f, ok := newData[t]
	if !ok {
		return &Unknown{Raw: string(raw)}, nil
	}
	d := f()
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("decode %s: %w", t, err)
	}
	return d, nil
}

// UnmarshalJSON reads the envelope and its payload by type. Payloads come back
// as pointers.
func (e *Event) UnmarshalJSON(b []byte) error {
	type plain Event
	var w struct {
		plain
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	d, err := DecodeData(w.Type, w.Data)
	if err != nil {
		return err
	}
	*e = Event(w.plain)
	e.Data = d
	return nil
}

// Snapshot is the present: what a client shows before the first event arrives.
// A session's events continue from its LastSeq.
type Snapshot struct {
	Sessions     []Session     `json:"sessions"`     // never nil, newest first
	Interactions []Interaction `json:"interactions"` // waiting and moved on, never nil
	Plans        []Plan        `json:"plans"`        // of each live session's newest turn, never nil
	Version      string        `json:"version"`
	At           int64         `json:"at"` // the server's clock, for countdowns
}
