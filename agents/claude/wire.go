package claude

import (
	"encoding/json"
)

// head is what tells one kind of line from another.
type head struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Parent  string `json:"parent_tool_use_id"` // of a sub-agent's line: the call that started it
}

// initLine is system/init, which comes at the beginning of every turn.
type initLine struct {
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	Version   string `json:"claude_code_version"`
	Mode      string `json:"permissionMode"`
	Servers   []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
	ServerErrors []struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"mcp_server_errors"`
	Capabilities []string `json:"capabilities"`
}

// streamLine is stream_event: a piece of the model's answer as it is written.
type streamLine struct {
	MessageID string `json:"api_message_id"` // newer versions
	Event     struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			ID    string `json:"id"`
			Usage *usage `json:"usage"`
		} `json:"message"`
		Block content `json:"content_block"`
		Delta struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
		Usage *usage `json:"usage"`
	} `json:"event"`
}

// usage is the provider's count of one request, in tokens.
type usage struct {
	Input      int64 `json:"input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

// content is one block of a message.
type content struct {
	Type      string          `json:"type"` // text, thinking, tool_use, tool_result …
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"` // of a tool_result: a text or blocks
}

// messageLine is assistant (one finished block) and user (tool results, and
// texts that the CLI puts in).
type messageLine struct {
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"` // a text or blocks
	} `json:"message"`
	AgentID    string          `json:"agent_id"`
	Aborted    bool            `json:"aborted"`
	APIError   bool            `json:"is_api_error_message"`
	Error      string          `json:"error"` // with an API error: its kind
	ToolResult json.RawMessage `json:"tool_use_result"`
}

// resultLine is the end of a turn.
type resultLine struct {
	Subtype    string   `json:"subtype"`
	IsError    bool     `json:"is_error"`
	Result     string   `json:"result"`
	Errors     []string `json:"errors"`
	StopReason string   `json:"stop_reason"`
	Terminal   string   `json:"terminal_reason"`
	APIStatus  int      `json:"api_error_status"`
	CostUSD    *float64 `json:"total_cost_usd"`
	Models     map[string]struct {
		Input      int64 `json:"inputTokens"`
		Output     int64 `json:"outputTokens"`
		CacheRead  int64 `json:"cacheReadInputTokens"`
		CacheWrite int64 `json:"cacheCreationInputTokens"`
		Window     int64 `json:"contextWindow"`
	} `json:"modelUsage"`
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Deferred struct {
		ID string `json:"id"`
	} `json:"deferred_tool_use"`
}

// taskLine is system/task_started, task_progress and task_notification: a
// sub-agent, or a command in the background.
type taskLine struct {
	ID          string `json:"task_id"`
	ToolID      string `json:"tool_use_id"`
	Background  bool   `json:"is_backgrounded"`
	Description string `json:"description"`
	Status      string `json:"status"`
	Summary     string `json:"summary"`
}

// noticeLine is what the other system lines say that a person should know.
type noticeLine struct {
	// api_retry
	Attempt    int    `json:"attempt"`
	MaxRetries int    `json:"max_retries"`
	DelayMS    int64  `json:"retry_delay_ms"`
	Status     any    `json:"status"` // status: a word or null
	ErrStatus  int    `json:"error_status"`
	Error      string `json:"error"`
	// informational
	Content string `json:"content"`
	Level   string `json:"level"`
	// status
	Mode          string `json:"permissionMode"`
	CompactResult string `json:"compact_result"`
	CompactError  string `json:"compact_error"`
	// model_refusal_fallback, model_fallback
	Fallback string `json:"fallback_model"`
	Original string `json:"original_model"`
	// compact_boundary
	Compact struct {
		Trigger string `json:"trigger"`
		Before  int64  `json:"pre_tokens"`
		After   int64  `json:"post_tokens"`
	} `json:"compact_metadata"`
	// rate_limit_event
	RateLimit struct {
		Status  string `json:"status"`
		ResetAt int64  `json:"resetsAt"` // Unix seconds
		Type    string `json:"rateLimitType"`
	} `json:"rate_limit_info"`
}

// lifecycleLine tells the fate of a message that was sent with an id.
type lifecycleLine struct {
	ID    string `json:"command_uuid"`
	State string `json:"state"` // queued, started, completed, cancelled, discarded, refused
}

// controlLine is control_request (the CLI asks us), control_response (it
// answers us) and control_cancel_request (it takes a request back).
type controlLine struct {
	RequestID string          `json:"request_id"`
	Request   json.RawMessage `json:"request"`
	Response  struct {
		Subtype   string          `json:"subtype"` // success, error
		RequestID string          `json:"request_id"`
		Response  json.RawMessage `json:"response"`
		Error     string          `json:"error"`
	} `json:"response"`
}

// request is the body of a control_request.
type request struct {
	Subtype string `json:"subtype"`
	// can_use_tool
	ToolName    string          `json:"tool_name"`
	ToolUseID   string          `json:"tool_use_id"`
	Input       json.RawMessage `json:"input"`
	AgentID     string          `json:"agent_id"` // set when a sub-agent asks
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Reason      string          `json:"decision_reason"`
	BlockedPath string          `json:"blocked_path"`
	Suggestions []suggestion    `json:"permission_suggestions"`
	// elicitation
	Server  string          `json:"mcp_server_name"`
	Message string          `json:"message"`
	Mode    string          `json:"mode"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requested_schema"`
}

// What we write.

type userLine struct {
	Type    string      `json:"type"` // user
	ID      string      `json:"uuid"`
	Message userMessage `json:"message"`
}

type userMessage struct {
	Role    string `json:"role"`    // user
	Content any    `json:"content"` // a text or blocks
}

type requestLine struct {
	Type      string `json:"type"` // control_request
	RequestID string `json:"request_id"`
	Request   any    `json:"request"`
}

type responseLine struct {
	Type     string       `json:"type"` // control_response
	Response responseBody `json:"response"`
}

type responseBody struct {
	Subtype   string `json:"subtype"` // success, error
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitempty"`
	Error     string `json:"error,omitempty"`
}

type initializeRequest struct {
	Subtype string                   `json:"subtype"`
	Hooks   map[string][]hookMatcher `json:"hooks,omitempty"`
}

type hookMatcher struct {
	Matcher   string   `json:"matcher"`
	Callbacks []string `json:"hookCallbackIds"`
}

type interruptRequest struct {
	Subtype string `json:"subtype"`
	// CancelQueued drops messages that have not begun. Without it the CLI may
	// put the stopped message back into its queue and run it later.
	CancelQueued bool `json:"cancel_queued"`
}

type setModeRequest struct {
	Subtype string `json:"subtype"`
	Mode    string `json:"mode"`
}

// permissionAnswer answers can_use_tool.
type permissionAnswer struct {
	Behavior    string          `json:"behavior"` // allow, deny
	Input       json.RawMessage `json:"updatedInput,omitempty"`
	Permissions []suggestion    `json:"updatedPermissions,omitempty"`
	Message     string          `json:"message,omitempty"`
}

// elicitationAnswer answers elicitation.
type elicitationAnswer struct {
	Action  string         `json:"action"`           // accept, decline, cancel
	Content map[string]any `json:"content,omitzero"` // with accept of a form: an object, perhaps empty
}

type hookAnswer struct {
	Output *hookDecision `json:"hookSpecificOutput,omitempty"`
}

type hookDecision struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}
