package pi

import "encoding/json"

// The shapes here hold what Parley reads of the CLI's records, and nothing more;
// fields that are not named are passed over.

// head is what every record has.
type head struct {
	Type string `json:"type"`
	ID   string `json:"id"` // of an answer that of its command, of a dialog its own
}

// answer answers a command.
type answer struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Error   string          `json:"error"`
}

// commandError is an answer that is an error.
type commandError struct{ text string }

// Error implements error.
func (e *commandError) Error() string { return e.text }

// command is what we send: one type with the fields that any of them needs.
type command struct {
	ID       string    `json:"id,omitempty"`
	Type     string    `json:"type"`
	Message  string    `json:"message,omitempty"`
	Images   []picture `json:"images,omitempty"`
	Behavior string    `json:"streamingBehavior,omitempty"` // of a prompt: what to do with it during a run
	Words    string    `json:"customInstructions,omitempty"`
}

// picture goes along with a message.
type picture struct {
	Type string `json:"type"` // image
	Data string `json:"data"` // base64
	Mime string `json:"mimeType"`
}

// state answers get_state.
type state struct {
	Model *struct {
		ID       string `json:"id"`
		Provider string `json:"provider"`
		Window   int64  `json:"contextWindow"`
	} `json:"model"` // nil when there is none that it has a key for
	Session    string `json:"sessionId"`
	Streaming  bool   `json:"isStreaming"`
	Compacting bool   `json:"isCompacting"`
	Pending    int    `json:"pendingMessageCount"`
}

// stats answers get_session_stats: what the whole session has used, also before
// this process.
type stats struct {
	Tokens struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
	} `json:"tokens"`
	Cost    float64 `json:"cost"`
	Context *struct {
		Tokens *int64 `json:"tokens"`
		Window int64  `json:"contextWindow"`
	} `json:"contextUsage"`
}

// message is one message of the conversation, as far as it is the agent's.
type message struct {
	Role       string  `json:"role"` // user, assistant, toolResult, system, custom
	Content    content `json:"content"`
	StopReason string  `json:"stopReason"` // stop, length, toolUse, error, aborted
	Error      string  `json:"errorMessage"`
	Timestamp  int64   `json:"timestamp"` // Unix milliseconds
	Display    bool    `json:"display"`   // of a custom one: it is for the person too
}

// content is a text, or blocks.
type content []block

type block struct {
	Type     string `json:"type"` // text, thinking, toolCall, image
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []block
	_ = json.Unmarshal(raw, &blocks) // what has another shape says nothing
	*c = blocks
	return nil
}

// texts are all texts of it, for a person.
func (c content) texts() string {
	text := ""
	for _, b := range c {
		if b.Text == "" && b.Type == "image" {
			b.Text = "(a picture)"
		}
		if text != "" && b.Text != "" {
			text += "\n"
		}
		text += b.Text
	}
	return text
}

type messageNote struct {
	Message message `json:"message"`
}

// update is a piece of a message.
type update struct {
	Event struct {
		Type    string `json:"type"`
		Index   int    `json:"contentIndex"`
		Delta   string `json:"delta"`
		Content string `json:"content"` // of text_end and thinking_end: the whole
	} `json:"assistantMessageEvent"`
}

// toolNote tells of a call at its beginning, on its way, and at its end.
type toolNote struct {
	ID      string          `json:"toolCallId"`
	Name    string          `json:"toolName"`
	Args    json.RawMessage `json:"args"`
	Partial struct {
		Content content `json:"content"`
	} `json:"partialResult"`
	Result struct {
		Content content `json:"content"`
	} `json:"result"`
	IsError bool `json:"isError"`
}

// settledNote says that a run is truly over.
type settledNote struct {
	Aborted bool `json:"aborted"`
}

type retryNote struct {
	Attempt int    `json:"attempt"`
	Max     int    `json:"maxAttempts"`
	DelayMS int64  `json:"delayMs"`
	Error   string `json:"errorMessage"`
}

type compactionNote struct {
	Reason  string `json:"reason"` // manual, threshold, overflow
	Aborted bool   `json:"aborted"`
	Error   string `json:"errorMessage"`
}

type extensionFault struct {
	Path  string `json:"extensionPath"`
	Event string `json:"event"`
	Error string `json:"error"`
}

// dialog is what an extension shows or asks.
type dialog struct {
	ID          string   `json:"id"`
	Method      string   `json:"method"`
	Title       string   `json:"title"`
	Message     string   `json:"message"` // confirm, notify
	Options     []string `json:"options"` // select
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	NotifyType  string   `json:"notifyType"` // info, warning, error
	TimeoutMS   int64    `json:"timeout"`    // after which Pi goes on by itself and says nothing
}

// dialogAnswer answers one. Exactly one of the last three is set.
type dialogAnswer struct {
	Type      string  `json:"type"` // extension_ui_response
	ID        string  `json:"id"`
	Value     *string `json:"value,omitempty"`
	Confirmed *bool   `json:"confirmed,omitempty"`
	Cancelled bool    `json:"cancelled,omitempty"`
}

// gateCall is what our extension asks in the title of a dialog; gateAnswer is the
// value that it gets.
type gateCall struct {
	Parley string          `json:"parley"` // permission
	ID     string          `json:"id"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
}

type gateAnswer struct {
	Allow  bool   `json:"allow"`
	Reason string `json:"reason,omitempty"`
}
