package question

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceNow counts from now on, by the clock that timers use and with the time
// in which the computer sleeps, which that clock leaves out.
func sinceNow() func() time.Duration {
	start, slept := time.Now(), asleep()
	return func() time.Duration { return time.Since(start) + asleep() - slept }
}

// asleep is how long the computer has slept since it was started.
func asleep() time.Duration {
	var all, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &all) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	// The two were read one after the other; a pause between them is no sleep.
	return time.Duration(all.Nano() - awake.Nano()).Round(time.Second)
}
