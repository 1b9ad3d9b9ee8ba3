package install

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"parley/agents"
)

// candidates are the programs that could be the family's, best first: by its
// names, on PATH, then in its folders. Each file comes once, by the path by
// which it was found, since some programs act on the name they are called by.
func candidates(info agents.Info, env []string) []string {
	var path, home string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
	}
	folders := filepath.SplitList(path)
	for _, pattern := range info.Folders {
		if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
			if home == "" {
				continue
			}
			pattern = filepath.Join(home, rest)
		}
		matches, err := filepath.Glob(pattern)
		if err != nil {
			matches = []string{pattern} // a home folder with brackets, taken as it is
		}
		slices.SortStableFunc(matches, func(a, b string) int { return semver.Compare(versionIn(b), versionIn(a)) })
		folders = append(folders, matches...)
	}

	var programs []string
	seen := map[string]bool{}
	add := func(program string) {
		real, err := filepath.EvalSymlinks(program)
		if err == nil && !seen[real] && isProgram(program) {
			seen[real] = true
			programs = append(programs, program)
		}
	}
	for _, name := range info.Binaries {
		if filepath.IsAbs(name) {
			add(name)
			continue
		}
		for _, folder := range folders {
			if !filepath.IsAbs(folder) {
				continue // an entry such as "." would find what a project brings
			}
			for _, ending := range endings {
				add(filepath.Join(folder, name+ending))
			}
		}
	}
	return programs
}

// versionIn returns the version that a version manager's path holds, in the form
// of semver, or "", which is older than all.
func versionIn(path string) string {
	for _, name := range strings.Split(path, string(filepath.Separator)) {
		if v := "v" + strings.TrimPrefix(name, "v"); semver.IsValid(v) {
			return v
		}
	}
	return ""
}

// endings are what a program's name may end with.
var endings = func() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat"}
	}
	return []string{""}
}()

// isProgram reports whether a path, links followed, is a file that may be run.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
