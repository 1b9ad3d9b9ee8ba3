package pids

import "time"

// End ends what find returns, again and again until find returns nothing or
// limit has passed, and returns what was left then. Everything is stopped
// before anything is killed, so that nothing can fork its way out. find leaves
// out what has ended and will not be collected.
func End(find func() ([]Process, error), limit time.Duration) (left []Process, err error) {
	deadline := time.Now().Add(limit)
	pause := time.Millisecond
	for {
		found, err := freeze(find, deadline)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		for _, p := range found {
			p.Kill()
		}
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
		if time.Now().After(deadline) {
			return find()
		}
	}
}

// freeze stops what find returns until a look finds nothing new, and returns
// the last look. An error of a signal means that the process is gone or may not
// be touched; both show in the next look.
func freeze(find func() ([]Process, error), deadline time.Time) ([]Process, error) {
	stopped := make(map[ID]bool)
	for {
		found, err := find()
		if err != nil {
			return nil, err
		}
		fresh := false
		for _, p := range found {
			if !stopped[p.ID] {
				stopped[p.ID], fresh = true, true
				p.Freeze()
			}
		}
		if !fresh || time.Now().After(deadline) {
			return found, nil
		}
	}
}
