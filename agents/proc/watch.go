package proc

import (
	"sync"
	"time"

	"parley/agents/proc/pids"
)

// roundTime is how often the trees are looked at.
const roundTime = time.Second

// rounds looks at the process table for all trees together, so that many agents
// cost no more than one. What it sees is needed when a shim is killed by force:
// then nothing else says which processes were its.
var rounds struct {
	mu    sync.Mutex // guards the fields below
	procs map[*Proc]bool
	stop  chan struct{} // closed when the last tree has gone
}

// join adds a tree to the rounds, which begin with the first.
func join(p *Proc) {
	rounds.mu.Lock()
	defer rounds.mu.Unlock()
	if len(rounds.procs) == 0 {
		rounds.procs, rounds.stop = make(map[*Proc]bool), make(chan struct{})
		go walk(rounds.stop)
	}
	rounds.procs[p] = true
}

// leave takes a tree out again, if it was in.
func leave(p *Proc) {
	rounds.mu.Lock()
	defer rounds.mu.Unlock()
	if !rounds.procs[p] {
		return
	}
	delete(rounds.procs, p)
	if len(rounds.procs) == 0 {
		close(rounds.stop)
	}
}

func walk(stop <-chan struct{}) {
	tick := time.NewTicker(roundTime)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		table, err := pids.All()
		if err != nil {
			continue // what was seen before is still the best that is known
		}
		for _, p := range watched() {
			p.look(table)
		}
	}
}

func watched() []*Proc {
	rounds.mu.Lock()
	defer rounds.mu.Unlock()
	procs := make([]*Proc, 0, len(rounds.procs))
	for p := range rounds.procs {
		procs = append(procs, p)
	}
	return procs
}

// look remembers the tree as it is in table. A shim that is gone has no tree
// to be seen, and what was remembered of it is needed.
func (p *Proc) look(table []pids.Process) []pids.Process {
	alive := false
	for _, q := range table {
		alive = alive || q.ID == p.shimID && !q.Zombie
	}
	if !alive {
		return nil
	}
	tree := pids.Descendants(table, p.shimID.PID)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = tree
	return tree
}

// Ancestors returns the numbers of the processes above pid, nearest first. Its
// error is fs.ErrNotExist when pid is gone.
func Ancestors(pid int) ([]int, error) { return pids.Ancestors(pid) }
