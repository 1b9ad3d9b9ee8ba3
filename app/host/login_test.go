//go:build linux

package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/agents/agenttest/programs"
	"parley/agents/proc"
	"parley/app/host"
)

var run host.Run

func TestMain(m *testing.M) {
	shim, err := programs.Path("parley-run")
	if err != nil {
		panic(err)
	}
	run = proc.Runner{Shim: shim}.Run
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// home makes a home folder with the given files.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// gui is the environment of a program that a desktop has started.
func gui(home string, more ...string) []string {
	return append([]string{"PATH=/usr/bin:/bin", "HOME=" + home, "DISPLAY=:0"}, more...)
}

func login(t *testing.T, run host.Run, env []string) host.Login {
	return host.NewShell(run, env).Login(t.Context(), false)
}

func value(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// atHome returns the processes that have the home folder.
func atHome(t *testing.T, home string) (found []string) {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range environs {
		// One that has ended has no environment any more.
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), "HOME="+home+"\x00") {
			found = append(found, file)
		}
	}
	return found
}

// What rc files set is found, whatever else they do.
func TestLoginShells(t *testing.T) {
	const posix = `export PATH="$HOME/tools:$PATH" FROM_RC='問 two
lines'
`
	for name, test := range map[string]struct {
		shell string
		files map[string]string
	}{
		"bash":              {"/bin/bash", map[string]string{".profile": posix}},
		"bash with banners": {"/bin/bash", map[string]string{".bash_profile": "echo hello; printf '\\033]0;title\\007'; " + posix + "trap 'echo bye' EXIT\n"}},
		"bash that traces":  {"/bin/bash", map[string]string{".profile": "exec 2>&1; set -x\n" + posix}},
		"bash that titles":  {"/bin/bash", map[string]string{".profile": posix + `trap 'printf "\033]0;%s\007" "$BASH_COMMAND"' DEBUG` + "\n"}},
		"bash that reads":   {"/bin/bash", map[string]string{".profile": "read answer; " + posix}},
		"bash that fails":   {"/bin/bash", map[string]string{".profile": posix + "trap 'exit 1' EXIT\nfalse\n"}},
		"sh":                {"/bin/sh", map[string]string{".profile": posix}},
		"zsh":               {"/bin/zsh", map[string]string{".zshrc": posix}},
		"fish":              {"/usr/bin/fish", map[string]string{".config/fish/config.fish": "fish_add_path -g $HOME/tools\nset -gx FROM_RC '問 two\nlines'\n"}},
		"tcsh":              {"/bin/tcsh", map[string]string{".tcshrc": "setenv PATH ${HOME}/tools:${PATH}\nsetenv FROM_RC '問 two\\\nlines'\n"}},
		"ksh":               {"/bin/ksh93", map[string]string{".profile": posix}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(test.shell); err != nil {
				t.Skipf("this shell is not on this machine: %v", err)
			}
			dir := home(t, test.files)
			if err := os.Mkdir(filepath.Join(dir, "tools"), 0o700); err != nil { // fish leaves out what is not there
				t.Fatal(err)
			}
			got := login(t, run, gui(dir, "SHELL="+test.shell, "CLAUDECODE=1", "TERM=xterm"))
			if got.Source != "login shell "+test.shell || got.Problem != "" {
				t.Fatalf("source %q, problem %q", got.Source, got.Problem)
			}
			if path := value(got.Env, "PATH"); !strings.HasPrefix(path, dir+"/tools:") {
				t.Errorf("PATH %q", path)
			}
			for name, want := range map[string]string{
				"FROM_RC": "問 two\nlines", "HOME": dir, "DISPLAY": ":0",
				"CLAUDECODE": "", "PARLEY_RESOLVING_ENVIRONMENT": "", "DISABLE_AUTO_UPDATE": "", "SHLVL": "", "PWD": "",
			} {
				if got := value(got.Env, name); got != want {
					t.Errorf("%s=%q, want %q", name, got, want)
				}
			}
		})
	}
}

// An rc file can tell that nobody is there.
func TestGuard(t *testing.T) {
	dir := home(t, map[string]string{".profile": `[ -n "$PARLEY_RESOLVING_ENVIRONMENT" ] || exit 1; export SEEN=$TERM`})
	got := login(t, run, gui(dir, "SHELL=/bin/bash"))
	if value(got.Env, "SEEN") != "dumb" || got.Problem != "" {
		t.Errorf("env %q, problem %q", got.Env, got.Problem)
	}
}

// A shell that cannot be asked costs a bounded time, leaves nothing behind, and
// is named with what was wrong; the known folders stand in.
func TestUnusableShells(t *testing.T) {
	files := map[string]string{
		".local/bin/x": "", ".nvm/versions/node/v9.1.0/bin/x": "", ".nvm/versions/node/v22.2.0/bin/x": "", ".nvm/versions/node/v22.10.1/bin/x": "",
		"npm/bin/x": "", ".npmrc": "registry=r\nprefix = ${HOME}/npm\n", ".volta": "a file, no folder",
		"slow":  "#!/bin/sh\n(trap '' TERM; exec sleep 9999) & sleep 20\n",
		"tmux":  "#!/bin/sh\necho 'open terminal failed: not a terminal' >&2\nexit 1\n",
		"quiet": "#!/bin/sh\nexit 3\n", "plain": "",
	}
	for name, want := range map[string]string{
		"slow":    "took longer than 3s to start",
		"tmux":    `ended with code 1 and said "open terminal failed: not a terminal"`,
		"quiet":   "ended with code 3 and said nothing",
		"plain":   "", // may not run: says so by itself
		"nowhere": "is no program",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := home(t, files)
			shell := filepath.Join(dir, name)
			if name == "plain" {
				if err := os.Chmod(shell, 0o600); err != nil {
					t.Fatal(err)
				}
				want = "is no program"
			}
			got := login(t, run, gui(dir, "SHELL="+shell, "CLAUDECODE=1", "KEPT=yes"))
			if got.Source != "known folders" || !strings.Contains(got.Problem, want) || !strings.Contains(got.Problem, shell) {
				t.Errorf("source %q, problem %q", got.Source, got.Problem)
			}
			wantPath := []string{
				"/usr/bin", "/bin", dir + "/npm/bin", dir + "/.local/bin",
				dir + "/.nvm/versions/node/v22.10.1/bin", dir + "/.nvm/versions/node/v22.2.0/bin", dir + "/.nvm/versions/node/v9.1.0/bin",
			}
			path := filepath.SplitList(value(got.Env, "PATH"))
			if diff := cmp.Diff(wantPath, path[:min(len(path), len(wantPath))]); diff != "" {
				t.Error(diff)
			}
			if value(got.Env, "KEPT") != "yes" || value(got.Env, "CLAUDECODE") != "" {
				t.Errorf("env %q", got.Env)
			}
			if left := atHome(t, dir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
	for _, shell := range []string{"/usr/sbin/nologin", "/bin/false"} {
		if _, err := os.Stat(shell); err != nil {
			t.Logf("%s is not on this machine", shell)
			continue
		}
		if got := login(t, run, gui(t.TempDir(), "SHELL="+shell)); !strings.Contains(got.Problem, "lets nobody in") {
			t.Errorf("problem %q", got.Problem)
		}
	}
}

// Started with no environment at all, the list of users tells shell and home.
func TestEmptyEnvironment(t *testing.T) {
	list, err := exec.Command("getent", "passwd", fmt.Sprint(os.Getuid())).Output()
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(strings.TrimSpace(string(list)), ":")
	name, dir, shell := fields[0], fields[5], fields[6]
	// Only what would be run is looked at: this person's rc files are not ours.
	var argv, env []string
	login(t, func(_ context.Context, a, e []string) (stdout, stderr []byte, code int, err error) {
		argv, env = a, e
		return nil, nil, 1, nil
	}, nil)
	if len(argv) == 0 || argv[0] != shell || value(env, "HOME") != dir || value(env, "USER") != name || value(env, "SHELL") != shell {
		t.Errorf("argv %q, env %q", argv, env)
	}
}

func TestShellIsAskedOnce(t *testing.T) {
	dir := home(t, map[string]string{".profile": "export N=$(cat $HOME/n)\n", "n": "1"})
	var asked atomic.Int32
	counting := func(ctx context.Context, argv, env []string) (stdout, stderr []byte, code int, err error) {
		asked.Add(1)
		return run(ctx, argv, env)
	}
	shell := host.NewShell(counting, gui(dir, "SHELL=/bin/bash"))
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if got := shell.Login(t.Context(), false); value(got.Env, "N") != "1" {
				t.Errorf("env %q, problem %q", got.Env, got.Problem)
			}
		})
	}
	wg.Wait()
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	if err := os.WriteFile(filepath.Join(dir, "n"), []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true, false} {
		want := "2"
		if asked.Load() == 1 && !again {
			want = "1"
		}
		if got := shell.Login(t.Context(), again); value(got.Env, "N") != want {
			t.Errorf("again %v: N=%q, want %s", again, value(got.Env, "N"), want)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestCallerWhoGivesUp(t *testing.T) {
	t.Parallel()
	dir := home(t, map[string]string{"slow": "#!/bin/sh\nsleep 20\n"})
	shell := host.NewShell(run, gui(dir, "SHELL="+dir+"/slow"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	got := shell.Login(ctx, false)
	if !strings.Contains(got.Problem, "not waited for") || value(got.Env, "PATH") == "" {
		t.Errorf("env %q, problem %q", got.Env, got.Problem)
	}
	if got = shell.Login(t.Context(), false); !strings.Contains(got.Problem, "took longer") {
		t.Errorf("the answer of one who gave up was remembered: %q", got.Problem)
	}
}
