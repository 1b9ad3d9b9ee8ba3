package pids

// WaitFor is a kind of thing that a process waits for.
type WaitFor string

// What a process waits for.
const (
	WaitNothing WaitFor = ""        // it runs
	WaitRead    WaitFor = "read"    // for something to come in
	WaitWrite   WaitFor = "write"   // for somebody to take what goes out
	WaitChild   WaitFor = "child"   // for the end of a process that it started
	WaitEvent   WaitFor = "event"   // for any of several things, as servers do
	WaitTimer   WaitFor = "timer"   // for a time to pass
	WaitLock    WaitFor = "lock"    // for another of its threads, or a lock
	WaitDisk    WaitFor = "disk"    // for the system, which it can't be torn from
	WaitSignal  WaitFor = "signal"  // for a signal
	WaitStopped WaitFor = "stopped" // it was stopped and can go on
	WaitUnknown WaitFor = "unknown" // it can't be told
)

// Wait is what one process waits for, as far as the system tells.
type Wait struct {
	For  WaitFor
	FD   int    // the descriptor, -1 when there is none or it is not known
	File string // what stands behind it, such as "pipe:[4711]"; "" likewise
	Seen string // what this was told from, in the system's own words
}
