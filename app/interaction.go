package app

// Kind is the way in which an agent asks a person.
type Kind string

// Kinds of interaction.
const (
	KindClarify     Kind = "clarify"     // our blocking tool
	KindForm        Kind = "form"        // our deferred tool
	KindApproval    Kind = "approval"    // a permission request
	KindElicitation Kind = "elicitation" // an MCP server or ACP agent wants input
	KindNative      Kind = "native"      // the CLI's own question tool
)

// Reason is how an interaction ended. Only ReasonResponse carries an answer;
// the other three are no consent.
type Reason string

// The four reasons.
const (
	ReasonResponse  Reason = "response"
	ReasonDismissed Reason = "dismissed"
	ReasonTimeout   Reason = "timeout"
	ReasonCancelled Reason = "cancelled"
)

// Cause says what brought a reason about, for the record and the card.
type Cause string

// Causes.
const (
	CausePerson           Cause = "person"            // response, dismissed
	CauseDeadline         Cause = "deadline"          // timeout
	CauseTurnEnded        Cause = "turn_ended"        // the turn completed or failed
	CauseTurnStopped      Cause = "turn_stopped"      // the person pressed stop
	CauseNewTurn          Cause = "new_turn"          //
	CauseSessionClosed    Cause = "session_closed"    //
	CauseQuit             Cause = "app_quit"          //
	CauseMCPCancelled     Cause = "mcp_cancelled"     // the CLI cancelled the call
	CauseConnectionClosed Cause = "connection_closed" // parley-mcp or the CLI went away
	CauseRestart          Cause = "app_restarted"     // Parley ended without a word, found at the next start
	CauseAgentWithdrew    Cause = "agent_withdrew"    // the CLI took its own request back
)

// AnswersLate reports whether an answer to such a kind still means something
// once the agent has moved on. An approval or elicitation that has ended can
// never act.
func (k Kind) AnswersLate() bool { return k != KindApproval && k != KindElicitation }

// LateAllowed reports whether an answer may still be given after such an end,
// as the next message of the session. After a deliberate stop it may not.
func LateAllowed(r Reason, c Cause) bool {
	return r == ReasonTimeout || r == ReasonCancelled && (c == CauseConnectionClosed || c == CauseRestart)
}

// Action is what a person decided on an approval or an elicitation.
type Action string

// Actions.
const (
	ActionAllowOnce    Action = "allow_once"
	ActionAllowSession Action = "allow_session"
	ActionAllowAlways  Action = "allow_always"
	ActionDeny         Action = "deny"
	ActionAccept       Action = "accept"
	ActionDecline      Action = "decline"
)

// By says through which door an answer came.
type By string

// Doors.
const (
	ByWindow  By = "window"
	ByBrowser By = "browser"
	ByCLI     By = "cli"
	ByHook    By = "hook"
	ByNative  By = "native"
	ByRule    By = "rule" // a permission that the person gave before, see Rule and Grant
)

// Option is one answer that the agent proposes.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value,omitempty"` // forms and elicitations; "" means the label
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"` // advice, never pre-chosen
	Preview     string `json:"preview,omitempty"`
}

// FieldType is how a question is answered.
type FieldType string

// Types of field.
const (
	FieldChoice  FieldType = "choice"
	FieldText    FieldType = "text"
	FieldBoolean FieldType = "boolean" // elicitation
	FieldNumber  FieldType = "number"  // elicitation
	FieldInteger FieldType = "integer" // elicitation
)

// Field is one question of an interaction that has several: a form, a native
// question tool, an elicitation.
type Field struct {
	ID          string    `json:"id"`
	Question    string    `json:"question"`
	Header      string    `json:"header,omitempty"`
	Description string    `json:"description,omitempty"`
	Type        FieldType `json:"input_type"`
	Options     []Option  `json:"options"`
	MultiSelect bool      `json:"multi_select"`
	Required    bool      `json:"required"`
	// FreeText says that typed text is a valid answer beside or instead of the
	// options. Always so for questions; not for an elicitation's enum.
	FreeText    bool     `json:"free_text"`
	Default     []string `json:"default,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Format      string   `json:"format,omitempty"` // email, uri, date, date-time
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	MinLength   *int     `json:"min_length,omitempty"`
	MaxLength   *int     `json:"max_length,omitempty"`
	MinItems    *int     `json:"min_items,omitempty"` // of a choice with several answers
	MaxItems    *int     `json:"max_items,omitempty"`
}

// Risk is why an approval deserves a second look.
type Risk string

// Risks.
const (
	RiskNone          Risk = ""
	RiskOutsideFolder Risk = "outside_folder"
	RiskNetwork       Risk = "network"
	RiskDelete        Risk = "delete"
	RiskForcePush     Risk = "force_push"
)

// RiskReason says which words of a request make it a risk.
type RiskReason struct {
	Risk  Risk   `json:"risk"`
	Words string `json:"words"` // as they stand in the command, or a path
}

// Approval is what an agent wants to be allowed.
type Approval struct {
	Tool   string   `json:"tool"`   // the CLI's name of the tool
	Title  string   `json:"title"`  // what would happen, in words
	Detail string   `json:"detail"` // the command, path or input, as text
	Diff   string   `json:"diff"`   // unified diff, "" when it is no edit
	Why    string   `json:"why"`    // the agent's own reason, "" when it gave none
	Scopes []Action `json:"scopes"` // the allow actions this CLI can carry out, narrowest first
	Risks  []Risk   `json:"risks"`  // each once, gravest first
	// Reasons say for each risk which words made it one, in the order of Risks.
	Reasons []RiskReason `json:"risk_reasons,omitempty"`
	// Grants say what the wider of Scopes would let through, where Parley keeps it.
	Grants  []Grant `json:"grants,omitempty"`
	ToolID  string  `json:"tool_id"`
	Command string  `json:"command"` // exact command line, "" when it is no command
}

// Interaction is anything a person must answer. The same shape is the record,
// the data of *.requested, and what the API returns.
type Interaction struct {
	ID        string    `json:"interaction_id"`
	ClarifyID string    `json:"clarify_id,omitempty"` // the same id, only for clarify
	RunID     TurnID    `json:"run_id"`
	SessionID SessionID `json:"session_id"`
	Kind      Kind      `json:"kind"`

	// Provenance, fixed when asked.
	Agent        string `json:"agent"`
	SessionTitle string `json:"session_title"`
	Cwd          string `json:"cwd"`
	Branch       string `json:"branch"`
	PlanStep     string `json:"plan_step"`   // "3/5 decide on key reuse", "" without a plan
	SaidBefore   string `json:"said_before"` // the agent's last two lines
	Server       string `json:"server,omitempty"`
	ToolUseID    string `json:"tool_use_id,omitempty"`
	// CallKept says of a form that the agent's CLI put the call aside and makes it
	// again after the answer.
	CallKept bool `json:"call_kept,omitempty"`
	// ParentToolID is set when a sub-agent asks: the tool call that runs it.
	ParentToolID string `json:"parent_tool_id,omitempty"`

	// What is asked. Question, Options and MultiSelect for clarify; Questions
	// for form, native and elicitation; Approval for approval; URL for an
	// elicitation that is a link.
	Question    string    `json:"question"`
	Header      string    `json:"header,omitempty"`
	Choices     []string  `json:"choices" ts:"string[] | null"` // labels of Options, null when there are none
	Options     []Option  `json:"options"`
	MultiSelect bool      `json:"multi_select"`
	Questions   []Field   `json:"questions,omitempty"`
	Approval    *Approval `json:"approval,omitempty"`
	URL         string    `json:"url,omitempty"`

	// Life. Zero times have not happened.
	RequestedAt        int64 `json:"requested_at"`
	TimeoutMS          int64 `json:"timeout_ms"`           // 0: no limit
	RemainingTimeoutMS int64 `json:"remaining_timeout_ms"` // at the moment of sending
	DeadlineAt         int64 `json:"deadline_at"`          // 0: no limit
	MaxDeadlineAt      int64 `json:"max_deadline_at"`      // 0: no limit
	SeenAt             int64 `json:"seen_at,omitempty"`
	DeliveredAt        int64 `json:"delivered_at,omitempty"`
	ClearedAt          int64 `json:"cleared_at,omitempty"` // taken out of "moved on"
	NoticedAt          int64 `json:"noticed_at,omitempty"` // told in a system notice; once in its life
	// UndeliveredAt is set when it was answered and the agent was gone before
	// the answer reached it: found at once, or at the next start after a crash.
	UndeliveredAt int64 `json:"undelivered_at,omitempty"`

	Outcome *Outcome `json:"outcome,omitempty"` // nil while it waits
	Late    *Late    `json:"late,omitempty"`    // the late answer, if one was given
	Draft   *Draft   `json:"draft,omitempty"`   // what the person has ticked and typed so far
}

// Waiting reports whether nobody has settled it yet.
func (i Interaction) Waiting() bool { return i.Outcome == nil }

// MovedOn reports whether it has ended without an answer that reached the agent
// and may still get a late one: the inbox keeps it in its own part, not counted
// as waiting.
func (i Interaction) MovedOn() bool { return i.ClearedAt == 0 && i.TakesLate() }

// TakesLate reports whether a late answer is accepted; also after it was
// cleared from the inbox, where the timeline still offers it.
func (i Interaction) TakesLate() bool {
	return i.Outcome != nil && i.Late == nil && i.Kind.AnswersLate() &&
		(i.UndeliveredAt > 0 && i.DeliveredAt == 0 || LateAllowed(i.Outcome.Reason, i.Outcome.Cause))
}

// Outcome is how an interaction ended. Response, Selected, Text, Answers and
// Typed are empty unless Reason is response.
type Outcome struct {
	Reason     Reason              `json:"reason"`
	Cause      Cause               `json:"cause"`
	Action     Action              `json:"action,omitempty"`
	Response   string              `json:"response"` // one text: labels, then what was typed, one a line
	Selected   []string            `json:"selected"` // never nil
	Text       string              `json:"text"`
	Answers    map[string][]string `json:"answers,omitempty"` // by field id
	Typed      map[string]string   `json:"typed,omitempty"`   // by field id
	Note       string              `json:"note,omitempty"`    // reason given with a deny
	Files      []Attachment        `json:"files,omitempty"`
	By         By                  `json:"by,omitempty"`
	RuleID     string              `json:"rule_id,omitempty"` // with By rule: the stored Rule that answered, "" when it was a permission for the session
	ResolvedAt int64               `json:"resolved_at"`

	// InteractionID says what this is the outcome of. Set by the desk on what it
	// returns to whoever asked; a repeated call joins the card that is there.
	InteractionID string `json:"-"`
}

// Late is an answer that came after the agent had moved on. It went out, or
// will go out, as a message of the session.
type Late struct {
	TurnID     TurnID              `json:"turn_id"`
	Response   string              `json:"response"`
	Selected   []string            `json:"selected"`
	Text       string              `json:"text"`
	Answers    map[string][]string `json:"answers,omitempty"`
	By         By                  `json:"by"`
	AnsweredAt int64               `json:"answered_at"`
}

// Draft is an answer in the making. A save with an older Revision is ignored,
// since calls may arrive out of order.
type Draft struct {
	Revision int64               `json:"revision"`
	Selected []string            `json:"selected"`
	Text     string              `json:"text"`
	Answers  map[string][]string `json:"answers,omitempty"`
	Typed    map[string]string   `json:"typed,omitempty"`
	Files    []Attachment        `json:"files,omitempty"`
	Step     int                 `json:"step,omitempty"` // of a form with steps
}

// AnswerStatus says whether an Answer answers or closes without answering.
type AnswerStatus string

// Statuses of an answer.
const (
	StatusAnswered  AnswerStatus = "answered"
	StatusCancelled AnswerStatus = "cancelled" // close without answering
)

// Answer is what a person says to an interaction, at every entry. Only the
// fields that the kind needs are read.
type Answer struct {
	InteractionID string              `json:"interaction_id"`
	SessionID     SessionID           `json:"session_id,omitempty"` // checked when set
	Type          string              `json:"type,omitempty"`
	ToolUseID     string              `json:"tool_use_id,omitempty"`
	Status        AnswerStatus        `json:"status"`
	Selected      []string            `json:"selected,omitempty"`
	Text          string              `json:"text,omitempty"`
	Answers       map[string][]string `json:"answers,omitempty"`
	Typed         map[string]string   `json:"typed,omitempty"`
	Action        Action              `json:"action,omitempty"`
	Reason        string              `json:"reason,omitempty"` // with a deny, reaches the agent
	Message       string              `json:"message,omitempty"`
	Files         []Attachment        `json:"files,omitempty"`
	Revision      int64               `json:"revision,omitempty"`
	By            By                  `json:"-"` // set by the door, never by the caller
}

// Reply is what an accepted answer gets.
type Reply struct {
	Accepted bool     `json:"accepted"`
	Late     bool     `json:"late"`
	TurnID   TurnID   `json:"turn_id,omitempty"` // of the message that a late answer became
	Outcome  *Outcome `json:"outcome,omitempty"`
}

// InteractionState chooses a part of the record of interactions.
type InteractionState string

// Parts of the record.
const (
	InteractionsWaiting InteractionState = "waiting"
	InteractionsMovedOn InteractionState = "moved_on"
	InteractionsAll     InteractionState = "all"
)

// InteractionFilter says which interactions a reader wants.
type InteractionFilter struct {
	State     InteractionState // "" is all
	SessionID SessionID        // "" is every session
	Limit     int              // at most so many, newest first; 0 is no limit
}
