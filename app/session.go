package app

// SessionID names one durable conversation. A UUIDv7 text.
type SessionID = string

// TurnID names one input and all that follows until the agent stops.
type TurnID = string

// SessionKind says what a session is for; only direct sessions and rooms may
// ask a person.
type SessionKind string

// Kinds of session.
const (
	KindDirect     SessionKind = "direct"
	KindRoom       SessionKind = "room"
	KindWorkflow   SessionKind = "workflow"
	KindBackground SessionKind = "background"
	KindTerminal   SessionKind = "terminal"
)

// Scope is what a kind of session may do. A kind that is not listed may do
// nothing.
type Scope struct {
	Kind SessionKind
	Plan bool // keep a plan
	Ask  bool // reach the person: clarify, form, the CLI's own questions, approvals
}

// Scopes is the table of all kinds.
func Scopes() []Scope {
	return []Scope{
		{KindDirect, true, true},
		{KindRoom, true, true}, // each agent has its own session in it
		{KindWorkflow, true, false},
		{KindBackground, true, false},
		{KindTerminal, false, false},
	}
}

func (k SessionKind) scope() Scope {
	for _, s := range Scopes() {
		if s.Kind == k {
			return s
		}
	}
	return Scope{Kind: k}
}

// MayAsk reports whether a turn of such a session may reach a person.
func (k SessionKind) MayAsk() bool { return k.scope().Ask }

// MayPlan reports whether a turn of such a session may keep a plan.
func (k SessionKind) MayPlan() bool { return k.scope().Plan }

// SessionState is what a session is doing now.
type SessionState string

// States of a session.
const (
	StateIdle     SessionState = "idle"     // no turn; the next message starts one
	StateStarting SessionState = "starting" // the agent is being launched
	StateRunning  SessionState = "running"  // a turn is under way
	StateWaiting  SessionState = "waiting"  // a turn is under way and a person is asked
	StateStopping SessionState = "stopping" // an interrupt was sent, the turn has not ended
)

// Session is one durable conversation with one agent in one workspace, as a
// client sees it. It is also the data of session.created and session.updated.
type Session struct {
	ID       SessionID    `json:"id"`
	Title    string       `json:"title"`
	Kind     SessionKind  `json:"kind"`
	Agent    string       `json:"agent"` // family
	Profile  string       `json:"profile"`
	Cwd      string       `json:"cwd"`
	Branch   string       `json:"branch"` // git branch of cwd, "" when there is none
	Model    string       `json:"model"`  // "" is the CLI's own default
	Effort   string       `json:"effort"`
	Mode     string       `json:"mode"` // plan, ask, edits, full
	State    SessionState `json:"state"`
	NativeID string       `json:"native_id"` // the CLI's own id, "" until it told
	// ForkedFrom is the session whose conversation this one began with, "" for
	// none. It may be gone.
	ForkedFrom SessionID `json:"forked_from"`
	// ForkNative is the CLI's own id of the conversation that is to be copied, ""
	// once this session has an id of its own.
	ForkNative string `json:"fork_native"`
	Live       bool   `json:"live"`   // an agent process is up for it now
	Closed     bool   `json:"closed"` // ended by a deliberate close; opened again only after asking

	CreatedAt  int64 `json:"created_at"`
	UpdatedAt  int64 `json:"updated_at"`
	LastSeq    int64 `json:"last_seq"`    // newest durable event
	WaitingFor int   `json:"waiting_for"` // open interactions
	// WaitingSince is the time of the oldest open interaction, 0 when none.
	WaitingSince int64 `json:"waiting_since"`
	// LastStatus is how the newest ended turn ended, "" before the first.
	LastStatus TurnStatus `json:"last_status" ts:"TurnStatus | ''"`
	Queued     []Queued   `json:"queued"` // never nil
}

// Queued is a message that waits for the running turn to end.
type Queued struct {
	TurnID TurnID `json:"turn_id"`
	Text   string `json:"text"`
	// Held says that it is not sent by itself: a form waits, or no turn runs
	// because the one before failed, was stopped or was cut off by a restart.
	// The next message or a resume sends it, in order.
	Held bool `json:"held"`
}

// TurnStatus is how a turn ended.
type TurnStatus string

// Ends of a turn.
const (
	TurnCompleted   TurnStatus = "completed"
	TurnFailed      TurnStatus = "failed"
	TurnInterrupted TurnStatus = "interrupted"
	TurnDeferred    TurnStatus = "deferred"
)

// Problem says what went wrong, what to do about it, and what was seen.
type Problem struct {
	Code     string `json:"code"`     // such as "not_logged_in", "rate_limited", "exited"
	Title    string `json:"title"`    // one sentence: what happened
	Advice   string `json:"advice"`   // one sentence: what to do, "" when there is nothing
	Command  string `json:"command"`  // a command that fixes it, "" when there is none
	Evidence string `json:"evidence"` // last lines of output, masked; "" when there are none
	ResetAt  int64  `json:"reset_at"` // when a limit ends, 0 when unknown
}

// Attachment is a file or picture that goes along with a message or an answer.
type Attachment struct {
	Name string `json:"name"`
	Mime string `json:"mime"`
	Path string `json:"path"` // absolute, on this computer
}

// Usage is what a session has used so far; a nil number is unknown.
type Usage struct {
	InputTokens   *int64   `json:"input_tokens"`
	OutputTokens  *int64   `json:"output_tokens"`
	CachedTokens  *int64   `json:"cached_tokens"`
	CostUSD       *float64 `json:"cost_usd"`
	ContextUsed   *int64   `json:"context_used"`
	ContextWindow *int64   `json:"context_window"`
}

// StepStatus is the state of one step of a plan.
type StepStatus string

// States of a step.
const (
	StepPending    StepStatus = "pending"
	StepInProgress StepStatus = "in_progress"
	StepCompleted  StepStatus = "completed"
)

// PlanStep is one line of a plan.
type PlanStep struct {
	ID     string     `json:"id"`
	Step   string     `json:"step"`
	Status StepStatus `json:"status"`
}

// PlanState is what became of a plan.
type PlanState string

// States of a plan.
const (
	PlanActive      PlanState = "active"
	PlanEnded       PlanState = "ended"
	PlanInterrupted PlanState = "interrupted"
	PlanFailed      PlanState = "failed"
)

// Plan is the task card of one turn. Revision counts from 1.
type Plan struct {
	ID          string     `json:"plan_id"`
	SessionID   SessionID  `json:"session_id"`
	TurnID      TurnID     `json:"turn_id"`
	Revision    int64      `json:"revision"`
	State       PlanState  `json:"state"`
	Explanation string     `json:"explanation"`
	Steps       []PlanStep `json:"plan"`
}

// Current returns the step in work with its place from 1; ok is false when none
// is.
func (p Plan) Current() (index int, step PlanStep, ok bool) {
	for i, s := range p.Steps {
		if s.Status == StepInProgress {
			return i + 1, s, true
		}
	}
	return 0, PlanStep{}, false
}
