package app

// Fact is a durable event before it has a number: the store gives it one, in
// the transaction that makes it true, and the bus sends it afterwards.
type Fact struct {
	TurnID TurnID
	Type   EventType
	Data   EventData
}

// Turn is one input and its end, as the record holds it.
type Turn struct {
	ID          TurnID
	SessionID   SessionID
	Text        string // as typed, without the context block
	Attachments []Attachment
	Late        string // id of the interaction that this message answers late, "" usually
	Form        string // id of the form whose end this message tells the agent, "" usually
	Unrequested bool   // the CLI began it by itself
	State       TurnState
	QueuedAt    int64
	StartedAt   int64 // 0 while queued
	EndedAt     int64 // 0 until it ended
}

// TurnState is where a turn is in its life.
type TurnState string

// States of a turn.
const (
	TurnQueued  TurnState = "queued"
	TurnRunning TurnState = "running"
	TurnOver    TurnState = "over"
)
