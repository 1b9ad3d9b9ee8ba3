package main

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/agents/proc/pids"
)

// adopt has nothing to do: macOS has no subreaper, so what loses its parent
// becomes a child of launchd. watch remembers such processes instead.
func adopt() error { return nil }

// agentAttr gives the agent a group of its own. macOS has no signal for the
// death of a parent: when we are killed by force, Parley must end the agent.
func agentAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dup(from, to int) error { return unix.Dup2(from, to) }

// watch remembers what was seen below us, four times a second, so that it is
// still known when it has lost its parent. What moves to a session of its own
// and loses its parent between two looks escapes.
type watch struct {
	ticker *time.Ticker
	seen   map[pids.ID]bool
}

func newWatch() watch {
	return watch{ticker: time.NewTicker(250 * time.Millisecond), seen: make(map[pids.ID]bool)}
}

func (w watch) tick() <-chan time.Time { return w.ticker.C }

// look brings what is remembered up to date. A table that cannot be read is
// read again at the next tick.
func (w watch) look() { w.rest() }

// empty reports whether nothing is left, once we have no children.
func (w watch) empty() bool {
	rest, err := w.rest()
	return err == nil && len(rest) == 0
}

// rest returns what is left of the tree: our descendants, what was seen to be
// one, and the descendants of those.
func (w watch) rest() ([]pids.Process, error) {
	table, err := pids.All()
	if err != nil {
		return nil, err
	}
	roots := []int{os.Getpid()}
	alive := make(map[pids.ID]bool)
	var rest []pids.Process
	for _, p := range table {
		if w.seen[p.ID] && !p.Zombie {
			alive[p.ID] = true
			roots = append(roots, p.PID)
			rest = append(rest, p)
		}
	}
	for _, p := range pids.Descendants(table, roots...) {
		if !alive[p.ID] {
			alive[p.ID] = !p.Zombie
			rest = append(rest, p)
		}
	}
	clear(w.seen)
	for id, runs := range alive {
		if runs {
			w.seen[id] = true
		}
	}
	return rest, nil
}
