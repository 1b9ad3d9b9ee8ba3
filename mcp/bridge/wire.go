// Package bridge is the wire between parley-mcp and the app: the shapes of the
// child endpoints and the client that speaks them over the unix socket. It
// imports the standard library alone, since parley-mcp must stay small.
package bridge

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
)

// HelloRequest opens the conversation.
type HelloRequest struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program, for the log
	PID      int    `json:"pid"`
}

// HelloReply tells parley-mcp what to offer. A false flag hides the tools, and
// the environment can only narrow it further.
type HelloReply struct {
	Protocol   int    `json:"protocol"`
	Version    string `json:"version"`
	Family     string `json:"family"`
	Profile    string `json:"profile"`
	ToolPrefix string `json:"tool_prefix"`
	MayAsk     bool   `json:"may_ask"`
	MayPlan    bool   `json:"may_plan"`
	// CallLimitMS is how long a waiting call may stay open before parley-mcp
	// gives up by itself: contracts section 6, "transport".
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
}

// ClarifyRequest is a validated question. Lengths were counted, blanks
// refused and duplicates dropped by the server.
type ClarifyRequest struct {
	Call
	ContextID   string   `json:"context_id"`
	Question    string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Options     []Option `json:"options"`
	MultiSelect bool     `json:"multi_select"`
}

// ClarifyReply is the one JSON line that ends a clarify stream. Blank lines
// come before it every 15 s. Exactly one of Result and Error is set.
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
}

// PlanStep is one step of a plan.
type PlanStep struct {
	ID     string `json:"id"`
	Step   string `json:"step"`
	Status string `json:"status"` // pending, in_progress, completed
}

// PlanRequest is a validated plan, the whole each time.
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

// Error is a refusal: the same object that HTTP bodies carry under "error" and
// that an MCP result carries as structured content.
type Error struct {
	Status  int    `json:"-"` // HTTP status, set by the client
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Limit   string `json:"limit,omitempty"`
	Got     string `json:"got,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }
