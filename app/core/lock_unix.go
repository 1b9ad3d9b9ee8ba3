//go:build unix

package core

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"parley/app"
)

// lockFile takes the data folder for this process. The system lets go of it when
// the process ends, however it ends, so a stale lock heals by itself; children
// do not inherit it.
func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errInUse
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return f.Close, nil
}

var errInUse = app.Errorf(app.CodeDataFolderInUse, "Another Parley is using this data folder.")
