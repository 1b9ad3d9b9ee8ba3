package core

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"

	"parley/app"
)

// lockFile takes the data folder for this process. The system lets go of it when
// the process ends, however it ends.
func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if err != nil {
		f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return nil, errInUse
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return f.Close, nil
}

var errInUse = app.Errorf(app.CodeDataFolderInUse, "Another Parley is using this data folder.")
