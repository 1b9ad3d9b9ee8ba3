package agents

import (
	"strings"
	"sync"
)

// Opening keeps what a CLI prints while it starts and that is not its protocol:
// that explains why it cannot be used. The zero value is ready, and its methods may
// be called from any goroutine.
type Opening struct {
	mu    sync.Mutex // guards the fields below
	up    bool
	heard []string
}

// mostHeard is how many lines an Opening keeps; the first say most.
const mostHeard = 50

// Hear takes a line, unless the CLI is up.
func (o *Opening) Hear(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.up && len(o.heard) < mostHeard {
		o.heard = append(o.heard, string(line))
	}
}

// Opened says that the CLI is up: what it prints from now on explains nothing.
func (o *Opening) Opened() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.up, o.heard = true, nil
}

// Up reports whether the CLI is up.
func (o *Opening) Up() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.up
}

// Heard is what was kept, redacted.
func (o *Opening) Heard() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Redact(strings.Join(o.heard, "\n"))
}

// Garbage is the problem of a program that printed something else than the
// protocol of the CLI that it was started as.
func Garbage(name, command, heard string) *PlanError {
	return &PlanError{Problem: Problem{Code: "garbage",
		Title:  "The program that was started as " + name + " does not speak its protocol.",
		Advice: "Start it once in a terminal and look whether it asks for something.", Command: command, Evidence: LastLines(heard)}}
}

// LineTooLong is the notice of a line that was too long to be taken.
func LineTooLong(err error) Notice {
	return Notice{Level: "error", Code: "line_too_long", Text: err.Error(), Advice: "If the turn does not end, stop it."}
}
