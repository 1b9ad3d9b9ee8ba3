package codex

import "encoding/json"

// The shapes here hold what Parley reads of the CLI's messages, and nothing
// more; fields that are not named are passed over.

// head is what most notifications have.
type head struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Item   string `json:"itemId"`
}

// threadAnswer answers thread/start and thread/resume.
type threadAnswer struct {
	Thread struct {
		ID      string `json:"id"`
		Version string `json:"cliVersion"`
	} `json:"thread"`
	Model  string  `json:"model"`
	Effort *string `json:"reasoningEffort"`
}

type turnNote struct {
	Thread string `json:"threadId"`
	Turn   struct {
		ID     string     `json:"id"`
		Status string     `json:"status"` // inProgress, completed, interrupted, failed
		Error  *turnError `json:"error"`
	} `json:"turn"`
}

// turnError is a fault of the provider or of the CLI.
type turnError struct {
	Message string    `json:"message"`
	Info    errorInfo `json:"codexErrorInfo"`
	Details string    `json:"additionalDetails"`
}

// errorInfo is a word, or a word with details.
type errorInfo struct {
	Kind   string
	Status int // of HTTP, 0 when unknown
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *errorInfo) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &e.Kind) == nil {
		return nil
	}
	var kinds map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(raw, &kinds) == nil {
		for kind, details := range kinds {
			e.Kind, e.Status = kind, details.Status
		}
	}
	return nil // one of another shape explains nothing
}

type errorNote struct {
	head
	Error     turnError `json:"error"`
	WillRetry bool      `json:"willRetry"`
}

type itemNote struct {
	head
	Body item `json:"item"`
}

// item is one thing in a turn, of any type.
type item struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Status string `json:"status"` // inProgress, completed, failed, declined

	Text    string   `json:"text"`    // agentMessage, plan
	Summary []string `json:"summary"` // reasoning

	Command  string          `json:"command"` // commandExecution
	Cwd      string          `json:"cwd"`
	Actions  []commandAction `json:"commandActions"`
	Output   string          `json:"aggregatedOutput"`
	ExitCode *int            `json:"exitCode"`

	Changes []fileChange `json:"changes"` // fileChange
	noDiffs bool         // those tell no diffs

	Server    string          `json:"server"` // mcpToolCall
	Namespace string          `json:"namespace"`
	Tool      string          `json:"tool"` // and dynamicToolCall, collabAgentToolCall
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"` // mcpToolCall: an object
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`

	Prompt    string   `json:"prompt"` // collabAgentToolCall
	Receivers []string `json:"receiverThreadIds"`
	Kind      string   `json:"kind"` // subAgentActivity: started, completed …
	Agent     string   `json:"agentThreadId"`
	AgentPath string   `json:"agentPath"`

	Query  string `json:"query"` // webSearch
	Path   string `json:"path"`  // imageView
	Review string `json:"review"`
}

// commandAction is what a part of a command does, as the CLI reads it.
type commandAction struct {
	Type    string `json:"type"` // read, listFiles, search, unknown
	Command string `json:"command"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	Query   string `json:"query"`
}

// fileChange is the change of one file.
type fileChange struct {
	Path string `json:"path"`
	Kind struct {
		Type string `json:"type"` // add, delete, update
		Move string `json:"move_path"`
	} `json:"kind"`
	// Diff is a unified diff of an update, and the whole text of a file that is
	// added or deleted.
	Diff string `json:"diff"`
}

type deltaNote struct {
	head
	Delta        string `json:"delta"`
	SummaryIndex int    `json:"summaryIndex"`
	ContentIndex int    `json:"contentIndex"`
}

type usageNote struct {
	head
	Usage struct {
		Total tokens `json:"total"`
		Last  tokens `json:"last"`
		// Window of the model, in tokens.
		Window *int64 `json:"modelContextWindow"`
	} `json:"tokenUsage"`
}

// tokens counts tokens; the cached ones are within the input, and those of the
// reasoning within the output.
type tokens struct {
	Total  int64 `json:"totalTokens"`
	Input  int64 `json:"inputTokens"`
	Cached int64 `json:"cachedInputTokens"`
	Output int64 `json:"outputTokens"`
}

type planNote struct {
	head
	Plan []struct {
		Step   string `json:"step"`
		Status string `json:"status"` // pending, inProgress, completed
	} `json:"plan"`
}

type limitsNote struct {
	Limits struct {
		Primary   *limitWindow `json:"primary"`
		Secondary *limitWindow `json:"secondary"`
	} `json:"rateLimits"`
}

// limitWindow is one window of the account's limit.
type limitWindow struct {
	Used    float64 `json:"usedPercent"`
	ResetAt int64   `json:"resetsAt"` // Unix seconds, 0 when unknown
}

type serverNote struct {
	head
	Name   string `json:"name"`
	Status string `json:"status"` // starting, ready, failed, cancelled
	Error  string `json:"error"`
}

// wordsNote is a remark for the person: warning, configWarning.
type wordsNote struct {
	head
	Message string `json:"message"`
	Summary string `json:"summary"`
	Details string `json:"details"`
}

type reroutedNote struct {
	head
	From string `json:"fromModel"`
	To   string `json:"toModel"`
}
