//go:build !linux

package pids

// Waiting tells what a process waits for: nobody tells us on this system.
func Waiting(int) Wait { return Wait{For: WaitUnknown, FD: -1, Seen: "this system does not tell"} }

// Holds reports whether a process holds an end of a pipe; it is not known here.
func Holds(int, string, bool) bool { return false }
