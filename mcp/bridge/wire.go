// Package bridge is the wire between parley-mcp and the app: the shapes of the
// child endpoints, the limits of what a model may send, and the client that
// speaks the endpoints over the unix socket. It imports the standard library
// alone, since parley-mcp must stay small. Values are plain; the Client may be
// used from any goroutine.
package bridge

import "encoding/json"

// ProtocolVersion is exchanged in Hello. It is raised when an older parley-mcp
// could no longer talk to the app; the call is then refused with
// version_mismatch and the window says "restart this agent".
const ProtocolVersion = 1

// Credential is the 0600 file that PARLEY_RUN_CREDENTIAL names. Token is the
// launch token, 32 random bytes as base64url.
type Credential struct {
	Version    int    `json:"version"` // of this file: 1
	Socket     string `json:"socket"`
	Token      string `json:"token"`
	SessionID  string `json:"session_id"`
	Profile    string `json:"profile"`
	Family     string `json:"family"`
	ToolPrefix string `json:"tool_prefix"` // what the family puts before a tool's name, such as "mcp__parley-interaction__"
}

// Paths of the child endpoints. All are POST with JSON and
// "Authorization: Bearer TOKEN".
const (
	PathHello   = "/v1/child/hello"
	PathReady   = "/v1/child/ready"
	PathClarify = "/v1/child/clarify"
	PathForm    = "/v1/child/form"
	PathPlan    = "/v1/child/plan"
	PathCancel  = "/v1/child/cancel"
)

// MaxBody is the most bytes that a child endpoint reads of a request.
const MaxBody = 1 << 20

// HelloRequest opens the conversation.
type HelloRequest struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program, for the log
	PID      int    `json:"pid"`
}

// HelloReply tells what the launch may do. What is listed follows from the
// environment alone, so that a CLI that lists at once is not kept waiting; what
// a flag forbids is refused when it is called.
type HelloReply struct {
	Protocol   int    `json:"protocol"`
	Version    string `json:"version"`
	Family     string `json:"family"`
	Profile    string `json:"profile"`
	ToolPrefix string `json:"tool_prefix"`
	MayAsk     bool   `json:"may_ask"`
	MayPlan    bool   `json:"may_plan"`
	// CallLimitMS is how long a waiting call may stay open before parley-mcp
	// gives up by itself; 0 is no limit. It lies above the longest deadline of a
	// question and below the time that the CLI allows for a call.
	CallLimitMS int64 `json:"call_limit_ms"`
}

// ReadyRequest says that the CLI has listed the tools.
type ReadyRequest struct {
	Tools      []string `json:"tools"`
	Protocol   string   `json:"protocol"`    // MCP version in use, for the doctor
	ClientName string   `json:"client_name"` // as the CLI names itself
}

// Option is one proposed answer.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
	Preview     string `json:"preview,omitempty"`
}

// Call is what every tool call carries beside its arguments.
type Call struct {
	// Meta is the call's _meta as JSON text: tool use id, thread id, what tells
	// a sub-agent from its parent.
	Meta string `json:"meta,omitempty"`
	// ID names a waiting call of this launch, for CancelRequest. The client
	// makes it; it is never shown.
	ID string `json:"call_id,omitempty"`
}

// CancelRequest withdraws a waiting call because the CLI cancelled it. Closing
// the request would end the call too, but looks like a crash: the app keeps
// such a question answerable.
type CancelRequest struct {
	ID string `json:"call_id"`
}

// ClarifyRequest is a question. Both ends hold it to its limits (Checked): the
// server for the model's sake, the app because the launch token lies where an
// agent can read it.
type ClarifyRequest struct {
	Call
	ContextID   string   `json:"context_id"`
	Question    string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Options     []Option `json:"options"`
	MultiSelect bool     `json:"multi_select"`
	// FromChoices says that Options were given as plain texts, so that an error
	// can name the argument as the model wrote it.
	FromChoices bool `json:"-"`
}

// ClarifyReply is the one JSON line that ends a clarify stream. Before it come
// an interim response (102) once the call can be cancelled, and blank lines
// every 15 s. Exactly one of Result and Error is set. A refusal before the
// first blank line has its HTTP status and the usual error body instead.
type ClarifyReply struct {
	Result *ClarifyResult `json:"result,omitempty"`
	Error  *Error         `json:"error,omitempty"`
}

// ClarifyResult is how a question ended. Response, Selected and Text are empty
// unless Reason is "response".
type ClarifyResult struct {
	ClarifyID string   `json:"clarify_id"`
	Reason    string   `json:"reason"`
	Response  string   `json:"response"`
	Selected  []string `json:"selected"`
	Text      string   `json:"text"`
	// Pictures go along with the answer, for an agent that takes them. Their
	// paths are in Response as well.
	Pictures []Picture `json:"pictures,omitempty"`
}

// Picture is a file on this computer.
type Picture struct {
	Mime string `json:"mime"`
	Path string `json:"path"` // absolute
}

// FormRequest is a call of the form tool. The app reads the arguments, which
// come as the model wrote them (FormQuestions).
type FormRequest struct {
	Call
	Arguments json.RawMessage `json:"arguments"`
}

// FormReply says what a call of the form tool came to. Without an Answer the
// form is shown and the run ends for it. With one the CLI has made the call again
// after the person answered: Answer is what the model gets, Note the same in
// words and what else it must know.
type FormReply struct {
	AskID  string          `json:"ask_id"`
	Answer json.RawMessage `json:"answer,omitempty"`
	Note   string          `json:"note,omitempty"`
}

// PlanStep is one step of a plan.
type PlanStep struct {
	ID     string `json:"id"`
	Step   string `json:"step"`
	Status string `json:"status"` // pending, in_progress, completed
}

// PlanRequest is a plan, the whole each time; see Checked.
type PlanRequest struct {
	Call
	ContextID   string     `json:"context_id"`
	Explanation string     `json:"explanation,omitempty"`
	Plan        []PlanStep `json:"plan"`
}

// PlanReply confirms a stored plan.
type PlanReply struct {
	PlanID   string `json:"plan_id"`
	Revision int64  `json:"revision"`
}
