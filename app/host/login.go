package host

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Run runs a short program to its end; agents/proc.Run is one.
type Run func(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error)

// shellLimit is what a login shell may take. Rc files that need longer, or that
// wait for a person, are done without.
const shellLimit = 3 * time.Second

// Login is the environment of the person's login shell.
type Login struct {
	Env    []string
	Source string // "login shell /bin/zsh", or "known folders"
	// Problem says why the shell was not used, "" when it was.
	Problem string
}

// LoginEnv asks the person's login shell for its environment. A program that is
// started by a desktop gets a short PATH without the folders that rc files add,
// and would not find most agents. env is this program's own environment; it is
// the answer, with known folders added to PATH, when the shell can't be asked.
func LoginEnv(ctx context.Context, run Run, env []string) Login {
	shell := lookup(env, "SHELL")
	if shell == "" {
		return fallback(env, "SHELL is not set")
	}
	if !filepath.IsAbs(shell) || !executable(shell) {
		return fallback(env, fmt.Sprintf("the login shell %q is no program", shell))
	}
	ctx, cancel := context.WithTimeout(ctx, shellLimit)
	defer cancel()
	// The markers find the answer between the banners of rc files. The
	// variable tells rc files that ask for it that nobody is there.
	const mark = "parley-environment-6f1f4f5e"
	script := "printf '%s' " + mark + "; env -0; printf '%s' " + mark
	args := []string{shell, "-l", "-i", "-c", script}
	if base := filepath.Base(shell); base == "dash" || base == "sh" {
		args = []string{shell, "-l", "-c", script}
	}
	stdout, stderr, _, err := run(ctx, args, append(slices.Clip(env), "TERM=dumb", "PARLEY_RESOLVING_ENVIRONMENT=1"))
	_, rest, begun := bytes.Cut(stdout, []byte(mark))
	body, _, ended := bytes.Cut(rest, []byte(mark))
	switch {
	case begun && ended:
		// Whatever the shell did afterwards, the answer is whole.
	case ctx.Err() != nil:
		return fallback(env, fmt.Sprintf("%s took longer than %v to start", shell, shellLimit))
	case err != nil:
		return fallback(env, fmt.Sprintf("%s could not be asked: %v", shell, err))
	default:
		return fallback(env, fmt.Sprintf("%s gave no environment: %s", shell, lastLine(stderr)))
	}
	var found []string
	for kv := range bytes.SplitSeq(body, []byte{0}) {
		name, _, ok := strings.Cut(string(kv), "=")
		if ok && name != "" && name != "PARLEY_RESOLVING_ENVIRONMENT" && name != "TERM" && name != "SHLVL" && name != "_" {
			found = append(found, string(kv))
		}
	}
	if lookup(found, "PATH") == "" {
		return fallback(env, shell+" has no PATH")
	}
	return Login{Env: found, Source: "login shell " + shell}
}

// fallback is this program's environment with the folders in which installers
// put agents.
func fallback(env []string, problem string) Login {
	home := lookup(env, "HOME")
	folders := filepath.SplitList(lookup(env, "PATH"))
	for _, dir := range knownFolders(home) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return Login{Env: set(env, "PATH", strings.Join(folders, string(filepath.ListSeparator))), Source: "known folders", Problem: problem}
}

// knownFolders are where shells of most people have their programs. Versioned
// folders come newest first.
func knownFolders(home string) []string {
	var dirs []string
	if home != "" {
		for _, d := range []string{
			".local/bin", "bin", ".bun/bin", ".deno/bin", ".cargo/bin", "go/bin", ".volta/bin", ".asdf/shims",
			".local/share/mise/shims", ".npm-global/bin", ".local/share/pnpm", "Library/pnpm", ".claude/local", ".opencode/bin",
		} {
			dirs = append(dirs, filepath.Join(home, d))
		}
		for _, pattern := range []string{
			".nvm/versions/node/*/bin", ".local/share/fnm/node-versions/*/installation/bin", ".fnm/node-versions/*/installation/bin",
		} {
			found, _ := filepath.Glob(filepath.Join(home, pattern))
			slices.Reverse(found)
			dirs = append(dirs, found...)
		}
	}
	return append(dirs, "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/snap/bin")
}

func lastLine(b []byte) string {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	last := lines[len(lines)-1]
	if last == "" {
		return "it said nothing"
	}
	return last[:min(len(last), 200)]
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func set(env []string, name, value string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(out, name+"="+value)
}
