package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// Environ returns env with the folder of the install's program on PATH: in
// front, unless PATH has it already. A CLI that a version manager keeps aside
// names its interpreter by PATH, and is to get the one it was installed with.
// It is for probes of the install and for its launch.
func (in Install) Environ(env []string) []string {
	if !filepath.IsAbs(in.Path) {
		return env
	}
	folder, path := filepath.Dir(in.Path), ""
	rest := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
			continue
		}
		rest = append(rest, kv)
	}
	folders := filepath.SplitList(path)
	if !slices.Contains(folders, folder) {
		folders = slices.Insert(folders, 0, folder)
	}
	return append(rest, "PATH="+strings.Join(folders, string(filepath.ListSeparator)))
}
