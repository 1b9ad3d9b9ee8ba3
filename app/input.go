package app

// NewSession is what a new session starts with.
type NewSession struct {
	Kind    SessionKind // "" is direct
	Agent   string      // family
	Cwd     string      // absolute; "" makes a scratch folder, for the demo agent only
	Model   string      // "" is the CLI's own default
	Effort  string
	Mode    string // "" is ask
	Profile string // "" is default
	Title   string // "" is made from the first message
	// Env are variables laid over the agent's environment. They live in memory
	// until the session is closed or Parley ends; they are never stored or
	// logged.
	Env map[string]string
	// Fast shortens the demo agent's pace; other families ignore it.
	Fast bool
}

// SessionChange changes what is set; nil leaves a field as it is. Model and
// mode hold from the next request on.
type SessionChange struct {
	Title *string
	Mode  *string
	Model *string
}

// Input is one message of a person to a session.
type Input struct {
	Text        string // as typed
	Attachments []Attachment
	Steer       bool   // into the running turn instead of behind it
	Late        string // id of the interaction that this message answers late
}
