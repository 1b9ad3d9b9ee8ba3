package app

// Grant says what an allowance beyond "once" would let through, where Parley
// itself keeps it. An allow action of an approval without a grant is kept by
// the agent's CLI, in its own terms.
type Grant struct {
	Action  Action `json:"action"`  // allow_session or allow_always
	Tool    string `json:"tool"`    // the CLI's name of the tool
	Command string `json:"command"` // exactly this command line; "" is every use of the tool
	Folder  string `json:"folder"`  // in sessions that work in this folder
}

// Rule is a permission that the person gave for good: this tool, or exactly this
// command, of one family in one folder. It never answers a request that deserves
// a second look, and none in a session that may only plan.
type Rule struct {
	ID        string `json:"id"`    // that of the interaction in which it was given
	Agent     string `json:"agent"` // family
	Folder    string `json:"folder"`
	Tool      string `json:"tool"`
	Command   string `json:"command"` // "" is every use of the tool
	Title     string `json:"title"`   // of the request that it was given for
	CreatedAt int64  `json:"created_at"`
	UsedAt    int64  `json:"used_at,omitempty"` // when it last answered, 0 never
	Uses      int64  `json:"uses"`
}
