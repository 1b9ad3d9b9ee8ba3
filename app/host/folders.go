package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// fallback is an environment with the folders in which installers put agents.
func fallback(env []string, problem string) Login {
	folders := filepath.SplitList(lookup(env, "PATH"))
	for _, dir := range knownFolders(env) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return Login{
		Env:     set(env, "PATH", strings.Join(folders, string(filepath.ListSeparator))),
		Source:  "known folders",
		Problem: problem + " Agents are looked for in the usual folders instead.",
	}
}

// knownFolders are where shells of most people have their programs. Of a
// version manager's folders the newest version comes first.
func knownFolders(env []string) []string {
	var dirs []string
	for _, name := range []string{"npm_config_prefix", "NPM_CONFIG_PREFIX"} {
		if prefix := lookup(env, name); filepath.IsAbs(prefix) {
			dirs = append(dirs, filepath.Join(prefix, "bin"))
		}
	}
	if home := lookup(env, "HOME"); home != "" {
		if prefix := npmrcPrefix(home); prefix != "" {
			dirs = append(dirs, filepath.Join(prefix, "bin"))
		}
		for _, d := range []string{
			".local/bin", "bin", ".claude/local", ".opencode/bin", ".grok/bin", ".bun/bin", ".deno/bin", ".cargo/bin", "go/bin",
			".volta/bin", ".local/share/mise/shims", ".asdf/shims", ".local/share/fnm/aliases/default/bin", ".fnm/aliases/default/bin",
			".npm-global/bin", ".local/share/pnpm", "Library/pnpm", ".yarn/bin", ".nix-profile/bin",
		} {
			dirs = append(dirs, filepath.Join(home, d))
		}
		for _, versions := range []string{
			".nvm/versions/node/*/bin", ".local/share/fnm/node-versions/*/installation/bin", ".fnm/node-versions/*/installation/bin",
			".local/share/mise/installs/node/*/bin", ".asdf/installs/nodejs/*/bin",
		} {
			found, err := filepath.Glob(filepath.Join(home, versions))
			if err != nil {
				continue // only a malformed pattern: a home folder with brackets
			}
			slices.SortStableFunc(found, func(a, b string) int { return semver.Compare(versionIn(b), versionIn(a)) })
			dirs = append(dirs, found...)
		}
	}
	return append(dirs, "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/snap/bin")
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

// npmrcPrefix is where the person's npm puts its programs, "" when that is not
// said.
func npmrcPrefix(home string) string {
	data, err := os.ReadFile(filepath.Join(home, ".npmrc"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(name) != "prefix" {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		for _, mine := range []string{"~/", "${HOME}/"} {
			if rest, ok := strings.CutPrefix(value, mine); ok {
				value = filepath.Join(home, rest)
			}
		}
		if filepath.IsAbs(value) {
			return value
		}
	}
	return ""
}
