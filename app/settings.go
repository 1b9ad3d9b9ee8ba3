package app

// Settings are the person's preferences. A change is
// checked as a whole before any of it is taken.
type Settings struct {
	Language          string `json:"language"`     // "", en, zh-CN; "" follows the system
	Theme             string `json:"theme"`        // "", light, dark; "" follows the system
	DeadlineSeconds   int    `json:"deadline_s"`   // 60 to 86400, default 300
	MaxWaitSeconds    int    `json:"max_wait_s"`   // never under the deadline, default 3600
	SendKey           string `json:"send_key"`     // enter, ctrl_enter
	Notify            bool   `json:"notify"`       // system notification when not in front
	HideContent       bool   `json:"hide_content"` // notification without the question's text
	DefaultAgent      string `json:"default_agent"`
	DefaultMode       string `json:"default_mode"`
	KeepRunningOnQuit string `json:"on_quit"` // ask, stop
}
