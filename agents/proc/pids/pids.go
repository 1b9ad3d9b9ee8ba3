// Package pids reads the system's process table and signals processes without
// ever mistaking one for another: a process is its number together with the
// time it started, since numbers are used again. It owns that identity, the
// walk over descendants, and the ending of a set of processes that may fork
// while they are being ended. It starts nothing, and knows neither agents nor
// sessions.
//
// All functions may be called from any goroutine and keep no state.
package pids

import (
	"errors"
	"io/fs"
	"time"
)

// ID is one process for ever, within one boot of one system.
type ID struct {
	PID int `json:"pid"`
	// Start is when it started, in the system's own unit and only for comparing:
	// ticks after boot on Linux, microseconds of Unix time on macOS, 100 ns since
	// 1601 on Windows.
	Start uint64 `json:"start"`
}

// Process is one row of the table, as it was when it was read.
type Process struct {
	ID
	Parent  int
	Session int    // number of its session, 0 where the system has none
	Name    string // of the program, cut by the system to 15 bytes or so; never its arguments
	RSS     int64  // bytes in memory, 0 where it is not known
	Age     time.Duration
	Zombie  bool // ended, and not yet collected by its parent
}

// Alive reports whether this very process still runs. A zombie does not. An
// error says that it cannot be told.
func (id ID) Alive() (bool, error) {
	now, err := Lookup(id.PID)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return now.ID == id && !now.Zombie, nil
}

// Descendants returns the processes of table below any of roots, parents
// before their children, without the roots.
func Descendants(table []Process, roots ...int) []Process {
	children := make(map[int][]Process)
	starts := make(map[int]uint64)
	for _, p := range table {
		children[p.Parent] = append(children[p.Parent], p)
		starts[p.PID] = p.Start
	}
	seen := make(map[int]bool)
	for _, root := range roots {
		seen[root] = true
	}
	var found []Process
	next := roots
	for len(next) > 0 {
		parent := next[0]
		next = next[1:]
		for _, child := range children[parent] {
			// A parent that is younger than its child is another process under a
			// number that was used again; Windows keeps such stale numbers.
			if seen[child.PID] || child.Start < starts[parent] {
				continue
			}
			seen[child.PID] = true
			found = append(found, child)
			next = append(next, child.PID)
		}
	}
	return found
}

// Ancestors returns the processes above pid, nearest first. It is safe against
// numbers that are used again while it reads. It ends early at one that this
// user may not see, whose number is still listed.
func Ancestors(pid int) ([]int, error) {
	var chain []int
	p, err := Lookup(pid)
	for err == nil && p.Parent > 0 && len(chain) < 1000 {
		var parent Process
		parent, err = Lookup(p.Parent)
		again, gone := Lookup(p.PID)
		switch {
		case gone != nil:
			return nil, gone
		case again.ID != p.ID:
			return nil, fs.ErrNotExist
		case again.Parent != p.Parent:
			p, err = again, nil // its parent ended meanwhile, so it has another
			continue
		}
		// While p names it as its parent, a number is not used again; Windows
		// alone keeps the number of one that has ended.
		if err == nil && parent.Start > p.Start {
			return chain, nil
		}
		chain = append(chain, p.Parent)
		if err != nil {
			return chain, nil
		}
		p = parent
	}
	return chain, err
}
