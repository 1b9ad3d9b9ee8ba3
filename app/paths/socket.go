package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocket is the longest path of a unix socket that every system takes:
// macOS has room for 104 bytes with the closing zero.
const maxSocket = 103

const socketName = "control.sock"

// socketPath is where the control socket of a data folder lies: in the runtime
// folder, or in a short one beside other people's files when that is too deep.
// Every program of Parley comes to the same answer by itself.
func socketPath(runtime, data string) (string, error) {
	path := filepath.Join(runtime, socketName)
	if len(path) <= maxSocket {
		return path, nil
	}
	dir, err := shortFolder(data)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, socketName)
	if len(path) > maxSocket {
		return "", fmt.Errorf("the socket's path is too long (%d bytes, at most %d): %s", len(path), maxSocket, path)
	}
	return path, nil
}

// shortFolder makes a private folder under the system's temporary one, named by
// user and data folder. Anybody may create names there, so what is found must
// be a real folder, ours and closed to others; a foreign one is refused.
func shortFolder(data string) (string, error) {
	sum := sha256.Sum256([]byte(data))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6])))
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("make runtime folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("look at runtime folder: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !owned(info) {
		return "", fmt.Errorf("%s belongs to somebody else or is open to others; remove it or set %s to a shorter path", dir, EnvHome)
	}
	return dir, nil
}
