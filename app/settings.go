package app

// Settings are the person's preferences. A change is
// checked as a whole before any of it is taken.
type Settings struct {
	Language        string `json:"language"`        // "", en, zh-CN; "" follows the system
	Theme           string `json:"theme"`           // "", light, dark; "" follows the system
	DeadlineSeconds int    `json:"deadline_s"`      // 60 to 86400, default 300
	MaxWaitSeconds  int    `json:"max_wait_s"`      // never under the deadline, default 3600
	SendKey         string `json:"send_key"`        // enter, ctrl_enter
	Notify          bool   `json:"notify"`          // system notification when not in front
	NotifyFinished  bool   `json:"notify_finished"` // also when agents have finished, merged
	NotifySound     bool   `json:"notify_sound"`    // let the system play its sound with a notification
	HideContent     bool   `json:"hide_content"`    // notification without the question's text
	// QuietFrom and QuietUntil are local times of day, "22:30". Between them no
	// notification is shown; questions are still counted. Both "" is never. They
	// may reach over midnight.
	QuietFrom  string `json:"quiet_from"`
	QuietUntil string `json:"quiet_until"`
	// QuestionCommand is run, as program and arguments without a shell, when a
	// question comes and when it ends, with the record on its standard input.
	// Empty is none. Only the window and the command line may change it.
	QuestionCommand []string `json:"question_command"`
	// ACPAgents are the agents that the person named beside those that Parley
	// knows, or in place of one. Only the window and the command line may change
	// them.
	ACPAgents []ACPAgent `json:"acp_agents"`
	// LeaveOutOwn names the agents that are started without the MCP servers of
	// their own configuration; Parley's and those of the override file stay.
	LeaveOutOwn       []string `json:"leave_out_own"`
	DefaultAgent      string   `json:"default_agent"`
	DefaultMode       string   `json:"default_mode"`
	KeepRunningOnQuit string   `json:"on_quit"` // ask, stop, keep
	// What is kept. A session that is kept for a number of days is deleted, with
	// all that Parley holds of it, that long after its last turn, unless
	// something of it waits or has moved on. 0 days is for ever.
	KeepSessionDays int `json:"keep_session_days"` // 0 to 36500, default 0
	KeepOutputDays  int `json:"keep_output_days"`  // long outputs of tools; 0 is as long as their session, the default
	KeepLogFiles    int `json:"keep_log_files"`    // of 5 MiB each, 1 to 50, default 3
	KeepBackups     int `json:"keep_backups"`      // copies of the record from before an update, 1 to 50, default 3
}

// ACPAgent is an agent that speaks the Agent Client Protocol on its stdin and
// stdout.
type ACPAgent struct {
	ID      string            `json:"id"`      // of a-z, 0-9 and dashes, 32 at most; sessions call the agent "acp:ID"
	Name    string            `json:"name"`    // 1 to 60 characters
	Command string            `json:"command"` // a program on PATH, or by its whole path
	Args    []string          `json:"args"`    // what makes it speak the protocol
	Env     map[string]string `json:"env"`     // added to its environment; keys belong into the keyring instead
	// Modes maps Parley's permission modes (plan, ask, edits, full) to the agent's
	// own; "" is the one that it starts in. Empty offers ask alone, as it starts.
	Modes map[string]string `json:"modes"`
}
