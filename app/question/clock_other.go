//go:build !linux

package question

import "time"

// sinceNow counts from now on, by the clock that timers use. Whether that clock
// counts while the computer sleeps is the system's matter: where it doesn't, a
// question's time stands still with the computer.
func sinceNow() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
