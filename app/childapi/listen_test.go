//go:build unix

package childapi_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/childapi"
)

func TestListenIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "s")
	ln, err := childapi.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for what, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600} {
		if info, err := os.Stat(what); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", what, info.Mode().Perm(), err, want)
		}
	}
}

func TestListenRefusesAnOpenFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := childapi.Listen(filepath.Join(dir, "s")); app.ErrorCode(err) != app.CodeFolderUnusable {
		t.Errorf("got %v", err)
	}
}

func TestListenReplacesADeadSocketAndNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, "s")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = dead.Close() // as after a kill: the file stays

	live, err := childapi.Listen(path)
	if err != nil {
		t.Fatalf("over a dead socket: %v", err)
	}
	if _, err := childapi.Listen(path); app.ErrorCode(err) != app.CodeDataFolderInUse {
		t.Errorf("over a living socket: %v", err)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the living socket was taken away: %v", err)
	} else {
		_ = c.Close()
	}
	_ = live.Close()

	if err := os.WriteFile(path, []byte("a person's file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := childapi.Listen(path); app.ErrorCode(err) != app.CodeFolderUnusable {
		t.Errorf("over a file: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "a person's file" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func TestListenOnALongPathSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 120), "s")
	if ln, err := childapi.Listen(path); err == nil {
		_ = ln.Close()
		t.Error("a path of over 108 bytes was accepted")
	}
}
