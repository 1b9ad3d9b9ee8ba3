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
}
