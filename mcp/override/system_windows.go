package override

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// keepOwner does nothing: a new file inherits what its folder says.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// lockPause is how long a taken lock is left before it is tried again.
const lockPause = 5 * time.Millisecond

// lock keeps our writers of other processes out. The system lets go of it when
// the process ends, however it ends.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the override file: %w", err)
	}
	for {
		err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			f.Close()
			return nil, fmt.Errorf("lock the override file: %w", err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("lock the override file: %w", ctx.Err())
		case <-time.After(lockPause):
		}
	}
}
