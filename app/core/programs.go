package core

import (
	"os"
	"path/filepath"
	"runtime"

	"parley/app"
)

// programs are the paths of Parley's own programs.
type programs struct{ parley, mcp, shim string }

// findPrograms finds them beside the running one, else in the folder that
// PARLEY_BIN_DIR names. They belong together: one folder must hold all three.
func findPrograms(getenv func(string) string) (programs, error) {
	var folders []string
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		folders = append(folders, filepath.Dir(self))
	}
	if dir := getenv("PARLEY_BIN_DIR"); dir != "" {
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		dir, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		p := programs{program(dir, "parley"), program(dir, "parley-mcp"), program(dir, "parley-run")}
		if isFile(p.parley) && isFile(p.mcp) && isFile(p.shim) {
			return p, nil
		}
	}
	return programs{}, app.Errorf(app.CodeUnavailable,
		"Parley's programs parley, parley-mcp and parley-run belong into one folder, and were not found in %q. PARLEY_BIN_DIR can name the folder.", folders)
}

func program(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
