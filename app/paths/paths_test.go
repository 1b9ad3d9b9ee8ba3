package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"parley/app/paths"
)

func env(home string) func(string) string {
	return func(k string) string {
		if k == paths.EnvHome {
			return home
		}
		return ""
	}
}

func TestHomePutsEverythingInOneFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "h")
	d, err := paths.Resolve(env(home))
	if err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"config": d.Config, "data": d.Data, "state": d.State, "run": d.Runtime} {
		if dir != filepath.Join(home, name) {
			t.Errorf("%s lies in %s", name, dir)
		}
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v", dir, info.Mode(), err)
		}
	}
}

// A relative home is that of the folder that one is in, and stays it: a program
// that a back end starts elsewhere must not take it for another.
func TestRelativeHomeBecomesAbsolute(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	d, err := paths.Resolve(env("h"))
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "h", "data"); d.Data != want || !filepath.IsAbs(d.Socket()) {
		t.Errorf("data in %s, want %s; socket %s", d.Data, want, d.Socket())
	}
}

func TestFolderOpenToOthersIsNarrowed(t *testing.T) {
	home := t.TempDir()
	run := filepath.Join(home, "run")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := paths.Resolve(env(home)); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(run); info.Mode().Perm() != 0o700 {
		t.Fatalf("mode is %v", info.Mode())
	}
}

func TestWithoutHomeTheSystemsFoldersAreUsed(t *testing.T) {
	root := t.TempDir()
	t.Setenv("HOME", root)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(root, "c"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "d"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "s"))
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(root, "r"))
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	d, err := paths.Resolve(env(""))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, "c", "parley"), filepath.Join(root, "d", "parley"), filepath.Join(root, "s", "parley"), filepath.Join(root, "r", "parley")}
	got := []string{d.Config, d.Data, d.State, d.Runtime}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
}

func TestNoRuntimeFolderFallsBackToAPrivateOne(t *testing.T) {
	root, tmp := t.TempDir(), shortTemp(t)
	t.Setenv("HOME", root)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	file := filepath.Join(root, "not-a-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", file)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	d, err := paths.Resolve(env(""))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.Runtime, tmp) || filepath.Dir(d.Socket()) != d.Runtime {
		t.Fatalf("runtime %s, socket %s", d.Runtime, d.Socket())
	}
}

// shortTemp makes the system's temporary folder a scratch one whose path is
// short enough for a socket.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestLongSocketPath(t *testing.T) {
	tmp := shortTemp(t)
	home := filepath.Join(t.TempDir(), strings.Repeat("深", 60))
	d, err := paths.Resolve(env(home))
	if err != nil {
		t.Fatal(err)
	}
	again, err := paths.Resolve(env(home))
	if err != nil {
		t.Fatal(err)
	}
	if d.Socket() != again.Socket() {
		t.Fatalf("two programs disagree: %s and %s", d.Socket(), again.Socket())
	}
	if !strings.HasPrefix(d.Socket(), tmp) || len(d.Socket()) >= 104 {
		t.Fatalf("socket at %s (%d bytes)", d.Socket(), len(d.Socket()))
	}
	if d.Runtime != filepath.Join(home, "run") {
		t.Fatalf("runtime folder moved to %s", d.Runtime)
	}

	// A folder of that name which is open to others, or only a link, may be a
	// trap and is refused.
	dir := filepath.Dir(d.Socket())
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := paths.Resolve(env(home)); err == nil {
		t.Fatal("an open folder was taken")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := paths.Resolve(env(home)); err == nil {
		t.Fatal("a link was taken")
	}
}
