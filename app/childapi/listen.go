package childapi

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"parley/app"
)

// dialLimit is how long a socket that is already there may take to prove that
// somebody listens.
const dialLimit = time.Second

// Listen opens the control socket in a folder that only the person may enter.
// The caller holds the lock of the data folder: then a socket that is left
// there belongs to a back end that died, and is replaced. One that answers, and
// anything that is no socket, is left alone and refused.
func Listen(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the socket's folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the socket's folder: %w", err)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && privateByMode {
		return nil, app.Errorf(app.CodeFolderUnusable,
			"The folder %s is open to other users. Close it (chmod 700) and start Parley again.", dir)
	}
	if err := clear(path); err != nil {
		return nil, err
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open the control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close the control socket to others: %w", err), ln.Close())
	}
	return ln, nil
}

// clear removes a socket that nobody listens at.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look at the control socket: %w", err)
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return app.Errorf(app.CodeFolderUnusable, "Where Parley's socket belongs there is something else: %s. Move it away and start Parley again.", path)
	}
	if c, err := net.DialTimeout("unix", path, dialLimit); err == nil {
		_ = c.Close()
		return app.Errorf(app.CodeDataFolderInUse, "Another Parley answers at %s.", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the old control socket: %w", err)
	}
	return nil
}
