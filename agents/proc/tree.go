package proc

import (
	"fmt"
	"os"
	"strings"

	"parley/agents/proc/pids"
)

// Process is one process of an agent's tree.
type Process struct {
	PID      int
	Parent   int
	Name     string
	Depth    int   // 0 for the agent and for what has lost its parent
	RSSBytes int64 // 0 where the system does not tell
	AgeMS    int64
	// Waits is what it waits for, one of pids.WaitFor, "" while it runs; On is who
	// or what that is, "" when it can't be told; Seen is what that was told from.
	Waits, On, Seen string
}

// Tree returns the agent and all that descends from it, parents first, as it is
// now. It is empty after the end.
func (p *Proc) Tree() ([]Process, error) {
	select {
	case <-p.gone:
		return nil, nil
	default:
	}
	table, err := pids.All()
	if err != nil {
		return nil, err
	}
	depth := map[int]int{p.shimID.PID: -1}
	var tree []Process
	for _, q := range p.look(table) {
		depth[q.PID] = depth[q.Parent] + 1
		if q.Zombie {
			continue
		}
		tree = append(tree, Process{
			PID: q.PID, Parent: q.Parent, Name: q.Name, Depth: depth[q.PID],
			RSSBytes: q.RSS, AgeMS: q.Age.Milliseconds(),
		})
	}
	for i, q := range tree {
		w := pids.Waiting(q.PID)
		tree[i].Waits, tree[i].Seen = string(w.For), w.Seen
		tree[i].On = strings.Join(partners(q, w, tree), ", ")
	}
	return tree, nil
}

// partners names those that a process waits for: its children, or whoever holds
// the other end of a pipe, else what stands behind the descriptor.
func partners(q Process, w pids.Wait, tree []Process) (names []string) {
	isPipe := strings.HasPrefix(w.File, "pipe:")
	for _, other := range tree {
		switch {
		case other.PID == q.PID:
		case w.For == pids.WaitChild && other.Parent == q.PID,
			isPipe && pids.Holds(other.PID, w.File, w.For == pids.WaitRead):
			names = append(names, fmt.Sprintf("%s (%d)", other.Name, other.PID))
		}
	}
	if isPipe && pids.Holds(os.Getpid(), w.File, w.For == pids.WaitRead) {
		names = append(names, "Parley")
	}
	if kind, _, _ := strings.Cut(w.File, ":"); len(names) == 0 && w.File != "" {
		names = append(names, kind) // a file, or "pipe", "socket"
	}
	return names
}
