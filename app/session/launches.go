package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"parley/agents/proc"
	"parley/app"
)

// remember notes a started process tree on disk, so that the next start finds
// it after a crash. The note holds process numbers and no secret.
func (m *Manager) remember(l *live, p *proc.Proc) {
	m.grants.started(l.id, p.ShimPID())
	if m.cfg.Launches == "" {
		return
	}
	data, err := json.Marshal(p.Record())
	if err == nil {
		err = os.MkdirAll(m.cfg.Launches, 0o700)
	}
	if err == nil {
		err = os.WriteFile(m.launchFile(l.id), data, 0o600)
	}
	if err != nil {
		// The shim ends the tree without it; the note is the second guard.
		m.cfg.Log.Warn("note a launch", "error", err)
	}
}

// revoke takes back all that an agent was given.
func (m *Manager) revoke(l *live) {
	m.grants.revoke(l.id)
	var errs []error
	if l.runDir != "" {
		errs = append(errs, os.RemoveAll(l.runDir))
	}
	if m.cfg.Launches != "" && l.proc != nil {
		errs = append(errs, os.Remove(m.launchFile(l.id)))
	}
	if err := errors.Join(errs...); err != nil && !errors.Is(err, os.ErrNotExist) {
		m.cfg.Log.Warn("clear away a launch", "error", err)
	}
}

func (m *Manager) launchFile(id string) string { return filepath.Join(m.cfg.Launches, id+".json") }

// EndLeft ends what a crash has left of the trees noted in a folder, and
// forgets the notes. It belongs at the very start, when the data folder is
// locked and nothing runs yet. What it cannot prove to be ours it leaves alone
// and logs.
func EndLeft(launches string, log *slog.Logger) error {
	notes, err := filepath.Glob(filepath.Join(launches, "*.json"))
	if err != nil {
		return fmt.Errorf("list launches: %w", err)
	}
	for _, note := range notes {
		data, err := os.ReadFile(note)
		if err != nil {
			return fmt.Errorf("read launch: %w", err)
		}
		var r proc.Record
		if err := json.Unmarshal(data, &r); err != nil {
			log.Warn("a launch record cannot be read", "file", note, "error", err)
		} else {
			left, err := proc.EndLeft(r)
			log.Info("looked for what a crash left", "agent", r.Agent.PID, "left", left)
			if err != nil {
				log.Warn("end what a crash left", "agent", r.Agent.PID, "error", err)
			}
			if err != nil || left == proc.LeftOwned {
				continue // the next start looks again
			}
		}
		if err := os.Remove(note); err != nil {
			return fmt.Errorf("forget launch: %w", err)
		}
	}
	return nil
}

// tree is an agent's processes as the page shows them.
func tree(p *proc.Proc) ([]app.Process, error) {
	found, err := p.Tree()
	if err != nil {
		return nil, fmt.Errorf("look at processes: %w", err)
	}
	out := make([]app.Process, 0, len(found))
	for _, q := range found {
		out = append(out, app.Process{
			PID: q.PID, Parent: q.Parent, Name: q.Name, Depth: q.Depth, RSSBytes: q.RSSBytes, AgeMS: q.AgeMS,
			Waits: app.ProcessWait(q.Waits), On: q.On, Because: q.Seen,
		})
	}
	return out, nil
}
