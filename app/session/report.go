package session

import (
	"fmt"
	"strings"
	"sync"

	"parley/agents/proc"
	"parley/app"
)

// report is what the ends of agents came to, for the log: what had not ended by
// itself, and what could not be ended.
type report struct {
	mu    sync.Mutex // guards the fields below
	trees int
	rest  []string
	left  int
	lost  int // events that the record would not take
}

// unrecorded counts events that did not get into the record.
func (r *report) unrecorded(events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost += events
}

// loss is the error that says what is not in the record, nil when all of it is.
func (r *report) loss() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == 0 {
		return nil
	}
	return app.Errorf(app.CodeStorageFailed, "The record could not be written until the end, so %d events of this run are not in it. The agents' own files are as they left them.", r.lost)
}

// treeEnded logs the end of one agent's tree and adds it to the report.
func (m *Manager) treeEnded(id app.SessionID, p *proc.Proc) {
	var rest []string
	for _, q := range p.Rest() {
		rest = append(rest, fmt.Sprintf("%s (%d)", q.Name, q.PID))
	}
	exit := p.Exit()
	m.cfg.Log.Info("an agent has ended", "session", id, "pid", p.PID(), "code", exit.Code, "signal", exit.Signal,
		"ended_with_it", strings.Join(rest, ", "), "left", p.Left())
	m.report.mu.Lock()
	defer m.report.mu.Unlock()
	m.report.trees++
	m.report.rest = append(m.report.rest, rest...)
	m.report.left += p.Left()
}

// tellReport logs what became of all processes, at the end. running is how many
// sessions' agents have not ended in time.
func (m *Manager) tellReport(running int) {
	m.report.mu.Lock()
	defer m.report.mu.Unlock()
	r := &m.report
	switch ended := strings.Join(r.rest, ", "); {
	case running > 0:
		m.cfg.Log.Warn("agents are still there; their supervisors end them now", "sessions", running, "left", r.left)
	case r.left > 0:
		m.cfg.Log.Warn("processes of agents are left that this user may not end", "left", r.left, "ended", ended)
	case ended != "":
		m.cfg.Log.Info("nothing is left of the agents", "agents", r.trees, "ended_what_had_not_by_itself", ended)
	default:
		m.cfg.Log.Info("nothing is left of the agents", "agents", r.trees)
	}
}
