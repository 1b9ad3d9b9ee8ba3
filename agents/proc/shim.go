package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Shim returns the path of parley-run: beside the running program, else in the
// folder that PARLEY_BIN_DIR names.
func Shim() (string, error) {
	name := "parley-run"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var folders []string
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		folders = append(folders, filepath.Dir(self))
	}
	if dir := os.Getenv("PARLEY_BIN_DIR"); dir != "" {
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		path, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("find %s: it is missing beside this program, and no agent can be started without it; PARLEY_BIN_DIR can name its folder: %w", name, os.ErrNotExist)
}
