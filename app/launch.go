package app

// Launch is one started agent as the child endpoints know it: what a launch
// token stands for. It is bound in memory to session and profile and ends with
// the agent.
type Launch struct {
	ID          string
	SessionID   SessionID
	Profile     string
	Family      string
	ToolPrefix  string // what the family puts before a tool's name
	MayAsk      bool   // the asking tools are offered
	MayPlan     bool
	CallLimitMS int64 // how long a waiting call may stay open
}

// Process is one process of an agent's tree.
type Process struct {
	PID      int    `json:"pid"`
	Parent   int    `json:"parent"`
	Name     string `json:"name"`
	Depth    int    `json:"depth"`
	RSSBytes int64  `json:"rss_bytes"`
	AgeMS    int64  `json:"age_ms"`
	// Waits is what it waits for, and On who or what that is: the question, other
	// processes as "sh (4711)", a file; "" when that can't be told.
	Waits ProcessWait `json:"waits"`
	On    string      `json:"waits_on"`
	// Because says why we think so, in technical words.
	Because string `json:"waits_because"`
}

// ProcessWait is what a process waits for.
type ProcessWait string

// What processes wait for. The first two Parley knows by itself, the others the
// system tells.
const (
	WaitAnswer  ProcessWait = "answer"  // for a person's answer
	WaitMessage ProcessWait = "message" // for the next message
	WaitNothing ProcessWait = ""        // it runs
	WaitRead    ProcessWait = "read"    // for something to come in
	WaitWrite   ProcessWait = "write"   // for somebody to take what goes out
	WaitChild   ProcessWait = "child"   // for the end of a process that it started
	WaitEvent   ProcessWait = "event"   // for any of several things, as servers do
	WaitTimer   ProcessWait = "timer"   // for a time to pass
	WaitLock    ProcessWait = "lock"    // for another of its threads
	WaitDisk    ProcessWait = "disk"    // for the system
	WaitSignal  ProcessWait = "signal"
	WaitStopped ProcessWait = "stopped" // it was stopped and can go on
	WaitUnknown ProcessWait = "unknown"
)

// ProcessTree is all that runs for one session, parents before children.
type ProcessTree struct {
	SessionID SessionID `json:"session_id"`
	Title     string    `json:"title"`
	Agent     string    `json:"agent"`
	Processes []Process `json:"processes"`
}
