package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"parley/agents/proc/pids"
)

// lostLimit is how long the end of a tree without a shim may take.
const lostLimit = 2 * time.Second

// endLost ends what is left of a tree whose shim was killed, and returns how
// many could not be ended. It is called while the shim was not collected yet.
func (p *Proc) endLost() int {
	p.shim.Process.Kill() // in case it only closed its report
	known := map[pids.ID]bool{p.agent: true}
	p.mu.Lock()
	for _, q := range p.seen {
		known[q.ID] = true
	}
	p.mu.Unlock()
	told := map[pids.ID]bool{}
	left, err := pids.End(func() ([]pids.Process, error) {
		found, err := lost(p.shimID, known)
		for _, q := range found {
			if !told[q.ID] {
				told[q.ID] = true
				p.rest = append(p.rest, Rest{PID: q.PID, Name: q.Name})
			}
		}
		return found, err
	}, lostLimit)
	if err != nil {
		return 1
	}
	return len(left)
}

// lost returns what belongs to a tree, by three signs: it is known; or its
// parent belongs; or it is in a session that the tree began, which nothing else
// can enter. What it finds is added to known, so that a child is still found
// after its parent has ended. The shim itself is left out.
func lost(shim pids.ID, known map[pids.ID]bool) ([]pids.Process, error) {
	table, err := pids.All()
	if err != nil {
		return nil, err
	}
	self := os.Getpid()
	ourSession := 0
	sessions := map[int]bool{shim.PID: true}
	member := make(map[int]bool)
	for _, q := range table {
		if q.PID == self {
			ourSession = q.Session
		}
		if q.ID == shim {
			member[q.PID] = true
		}
	}
	var found []pids.Process
	for grown := true; grown; {
		grown = false
		for _, q := range table {
			if q.Zombie || q.PID == self || q.PID == shim.PID || member[q.PID] ||
				!known[q.ID] && !member[q.Parent] && !sessions[q.Session] {
				continue
			}
			member[q.PID], known[q.ID], grown = true, true, true
			if q.Session != ourSession && q.Session != 0 {
				sessions[q.Session] = true
			}
			found = append(found, q)
		}
	}
	return found, nil
}

// Record is what has to be written down about a start, so that its tree can be
// found again after a crash. It holds no secret.
type Record struct {
	Owner pids.ID `json:"owner"` // the program that started it
	Shim  pids.ID `json:"shim"`
	Agent pids.ID `json:"agent"`
	Boot  string  `json:"boot"`  // of the system, "" when that does not tell
	Space string  `json:"space"` // in which the numbers count; differs between containers
}

// Record returns what EndLeft needs.
func (p *Proc) Record() Record {
	r := Record{Owner: idOf(os.Getpid()), Shim: p.shimID, Agent: p.agent}
	if boot, space, err := pids.Boot(); err == nil {
		r.Boot, r.Space = boot, space
	}
	return r
}

// Left is what EndLeft found.
type Left string

// What EndLeft finds.
const (
	LeftNothing Left = "nothing" // all of it is gone
	LeftEnded   Left = "ended"   // something was left and has been ended
	LeftOwned   Left = "owned"   // its owner still runs; it was left alone
	LeftUnknown Left = "unknown" // it cannot be told what is left; it was left alone
)

// EndLeft ends what a crash has left of a tree. It touches only what is proven
// to be the tree's, by number, start and boot; everything else it leaves alone.
// An error comes with LeftUnknown and says what could not be read or ended.
func EndLeft(r Record) (Left, error) {
	boot, space, err := pids.Boot()
	switch {
	case err != nil:
		return LeftUnknown, err
	case r.Boot == "" || r.Agent.PID == 0 || r.Shim.PID == 0:
		return LeftUnknown, nil
	case boot != r.Boot:
		return LeftNothing, nil // nothing outlives the system
	case space != r.Space:
		return LeftUnknown, nil
	}
	alive := func(id pids.ID) bool {
		yes, aliveErr := id.Alive()
		err = errors.Join(err, aliveErr)
		return yes
	}
	owner, shim, agent := alive(r.Owner), alive(r.Shim), alive(r.Agent)
	switch {
	case err != nil:
		return LeftUnknown, err
	case owner:
		return LeftOwned, nil
	case !shim && !agent:
		return leftInSession(r.Shim.PID)
	}
	known := map[pids.ID]bool{r.Agent: true}
	left, err := pids.End(func() ([]pids.Process, error) { return lost(r.Shim, known) }, lostLimit)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("end what process %d left: %d processes remain", r.Agent.PID, len(left))
	}
	if err == nil && shim {
		if err = r.Shim.Kill(); errors.Is(err, os.ErrProcessDone) || errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return LeftUnknown, err
	}
	return LeftEnded, nil
}

// leftInSession looks for processes in the session of a shim that is gone. Its
// number may have been used again since, for another's session, so nothing
// that is found there is proven to be ours.
func leftInSession(session int) (Left, error) {
	table, err := pids.All()
	if err != nil {
		return LeftUnknown, err
	}
	for _, q := range table {
		if q.Session == session && !q.Zombie {
			return LeftUnknown, nil
		}
	}
	return LeftNothing, nil
}
