package opencode

import "encoding/json"

// The shapes here hold what Parley reads of the server's messages, and nothing
// more; fields that are not named are passed over.

// frame is one event of the server.
type frame struct {
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
}

// of is what an event of a session says of its origin.
type of struct {
	Session string `json:"sessionID"`
}

// session is a conversation of the CLI.
type session struct {
	ID      string  `json:"id"`
	Parent  string  `json:"parentID"` // of a sub-agent's
	Title   string  `json:"title"`
	Agent   string  `json:"agent"`
	Version string  `json:"version"`
	Cost    float64 `json:"cost"`   // dollars, all of it so far
	Tokens  tokens  `json:"tokens"` // all of them so far
}

// tokens counts tokens; the cached ones are not within the input, nor those of
// the reasoning within the output.
type tokens struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Cache     struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

type sessionEvent struct {
	of
	Info session `json:"info"`
}

type statusEvent struct {
	of
	Status struct {
		Type    string `json:"type"` // busy, idle, retry
		Attempt int    `json:"attempt"`
		Message string `json:"message"`
		Next    int64  `json:"next"` // Unix milliseconds of the next attempt
	} `json:"status"`
}

type errorEvent struct {
	of
	Error fault `json:"error"`
}

// fault is an error of the provider or of the CLI.
type fault struct {
	Name string `json:"name"` // APIError, MessageAbortedError, ContextOverflowError …
	Data struct {
		Message    string            `json:"message"`
		StatusCode int               `json:"statusCode"`
		Provider   string            `json:"providerID"`
		Headers    map[string]string `json:"responseHeaders"`
		Body       string            `json:"responseBody"`
	} `json:"data"`
}

const aborted = "MessageAbortedError"

type messageEvent struct {
	of
	Info message `json:"info"`
}

type message struct {
	ID       string  `json:"id"`
	Session  string  `json:"sessionID"`
	Role     string  `json:"role"`  // user, assistant
	Agent    string  `json:"agent"` // "compaction" sums up the conversation
	Provider string  `json:"providerID"`
	Model    string  `json:"modelID"`
	Tokens   tokens  `json:"tokens"`
	Cost     float64 `json:"cost"` // dollars
	Error    *fault  `json:"error"`
	Time     struct {
		Completed int64 `json:"completed"` // Unix milliseconds, 0 while it is written
	} `json:"time"`
}

type partEvent struct {
	of
	Part part `json:"part"`
}

// part is one thing in a message, of any type.
type part struct {
	ID        string `json:"id"`
	Session   string `json:"sessionID"`
	Message   string `json:"messageID"`
	Type      string `json:"type"` // text, reasoning, tool, compaction, step-start, step-finish, patch …
	Text      string `json:"text"` // text, reasoning
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Time      struct {
		End int64 `json:"end"` // Unix milliseconds, 0 while it is written
	} `json:"time"`

	Tool   string    `json:"tool"` // tool
	CallID string    `json:"callID"`
	State  toolState `json:"state"`

	Auto bool `json:"auto"` // compaction: the CLI's own doing
}

// toolState is how far a call is.
type toolState struct {
	Status   string          `json:"status"` // pending, running, completed, error
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Title    string          `json:"title"`
	Metadata json.RawMessage `json:"metadata"`
}

// toolMetadata is what some tools tell beside their output.
type toolMetadata struct {
	Session     string    `json:"sessionId"` // task: the sub-agent's
	Output      string    `json:"output"`    // bash: all of it so far
	Exit        *int      `json:"exit"`
	Diff        string    `json:"diff"` // edit, write: a unified diff
	FilePath    string    `json:"filepath"`
	FileDiff    *fileDiff `json:"filediff"`
	Exists      *bool     `json:"exists"` // write: whether the file was there before
	Files       []patched `json:"files"`  // apply_patch
	Interrupted bool      `json:"interrupted"`
}

type fileDiff struct {
	File      string `json:"file"`
	Patch     string `json:"patch"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
}

// patched is one file of a patch.
type patched struct {
	Path      string `json:"filePath"`
	Type      string `json:"type"` // add, update, delete, move
	Patch     string `json:"patch"`
	Diff      string `json:"diff"`
	Move      string `json:"movePath"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
}

type deltaEvent struct {
	of
	Message string `json:"messageID"`
	Part    string `json:"partID"`
	Field   string `json:"field"`
	Delta   string `json:"delta"`
}

type todoEvent struct {
	of
	Todos []struct {
		Content string `json:"content"`
		Status  string `json:"status"` // pending, in_progress, completed, cancelled
	} `json:"todos"`
}

// calledFrom says which call a request belongs to.
type calledFrom struct {
	Message string `json:"messageID"`
	CallID  string `json:"callID"`
}

// permissionEvent asks whether a call may go on.
type permissionEvent struct {
	of
	ID         string          `json:"id"`
	Permission string          `json:"permission"` // edit, bash, external_directory, or the name of an MCP server's tool
	Patterns   []string        `json:"patterns"`   // what it would touch, as the person's rules name it
	Metadata   json.RawMessage `json:"metadata"`
	Tool       calledFrom      `json:"tool"`
}

type questionEvent struct {
	of
	ID        string     `json:"id"`
	Questions []question `json:"questions"`
	Tool      calledFrom `json:"tool"`
}

type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Multiple bool   `json:"multiple"`
	Custom   *bool  `json:"custom"` // something else than the options may be said; by default it may
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

// settled says that a request has its answer, whoever gave it.
type settled struct {
	of
	Request string `json:"requestID"`
}

// mcpState is an MCP server as the CLI sees it.
type mcpState struct {
	Status string `json:"status"` // connected, disabled, failed, needs_auth …
	Error  string `json:"error"`
}
