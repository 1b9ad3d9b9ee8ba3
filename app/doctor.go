package app

// Check is one thing that the doctor tries of an agent.
type Check string

// Checks, in the order in which they are tried.
const (
	CheckStarts   Check = "starts"   // MS until its first word
	CheckTools    Check = "tools"    // Count of Of tools of ours reach its model
	CheckApproval Check = "approval" // MS from a call that needs permission to the card
	CheckQuestion Check = "question" // MS from a call to the card; the answer reaches the model
	CheckCancel   Check = "cancel"   // MS from a stop in mid-question to the turn's end
	CheckResume   Check = "resume"   // MS until the first word of a new process that knows what was said
	CheckWaits    Check = "waits"    // MS that a question may really wait
	CheckLeft     Check = "left"     // Count of processes and files that were left
)

// Checks lists them in that order.
func Checks() []Check {
	return []Check{CheckStarts, CheckTools, CheckApproval, CheckQuestion, CheckCancel, CheckResume, CheckWaits, CheckLeft}
}

// CheckState is what became of a check.
type CheckState string

// States of a check.
const (
	CheckPassed   CheckState = "passed"
	CheckWarning  CheckState = "warning"   // it works, and a person should know something
	CheckFailed   CheckState = "failed"    // it does not work
	CheckNotTried CheckState = "not_tried" // it could not be tried; Finding says why
)

// CheckResult is what a check showed. Which of the figures it has, the check
// says; the others are zero.
type CheckResult struct {
	Check Check      `json:"check"`
	State CheckState `json:"state"`
	MS    int64      `json:"ms"`
	Count int        `json:"count"`
	Of    int        `json:"of"`
	// TriedMS is how long a call of the trial blocked that was given TriedLimitMS;
	// MS of "waits" is what the usual limits give a CLI that keeps to its own.
	TriedMS      int64 `json:"tried_ms"`
	TriedLimitMS int64 `json:"tried_limit_ms"`
	// Finding says what there is to say, nil when the figures say it all.
	Finding *Finding `json:"finding,omitempty"`
}

// Finding is a sentence on a check, by a code that never changes its meaning, and
// what to do.
type Finding struct {
	Code    string `json:"code"`
	Text    string `json:"text"`
	Advice  string `json:"advice"`   // "" when there is nothing to do
	Command string `json:"command"`  // a command that mends it, or ""
	Detail  string `json:"detail"`   // what was seen, in the agent's or the system's words
	MS      int64  `json:"ms"`       // a time that Text names
	LimitMS int64  `json:"limit_ms"` // a limit that Text names
	Line    int    `json:"line"`     // in the override file that Text names
}

// DoctorState is how far the trial of an agent has come.
type DoctorState string

// States of a trial.
const (
	DoctorQueued DoctorState = "queued"
	DoctorTrying DoctorState = "trying"
	DoctorDone   DoctorState = "done"
)

// DoctorAgent is what was found of one agent.
type DoctorAgent struct {
	Family     string        `json:"family"`
	Name       string        `json:"name"`
	Path       string        `json:"path"`
	Version    string        `json:"version"`
	Login      string        `json:"login"` // yes, no, unknown, none: of the person's own install
	State      DoctorState   `json:"state"`
	Trying     Check         `json:"trying"`     // the check under way, "" when none is
	StartedAt  int64         `json:"started_at"` // 0 while it is queued
	DurationMS int64         `json:"duration_ms"`
	Checks     []CheckResult `json:"checks"` // so far, in their order
}

// Failed reports whether a check of it failed.
func (a DoctorAgent) Failed() bool {
	for _, c := range a.Checks {
		if c.State == CheckFailed {
			return true
		}
	}
	return false
}

// DoctorReport is what the doctor found, and what it does now.
type DoctorReport struct {
	Running bool `json:"running"`
	// StartedAt and DurationMS are of the newest run, 0 before the first.
	StartedAt  int64 `json:"started_at"`
	DurationMS int64 `json:"duration_ms"`
	// Agents are the newest findings of each agent that was ever tried.
	Agents []DoctorAgent `json:"agents"`
	// Changed are families of which another version is installed than was tried.
	Changed []string `json:"changed"`
}
