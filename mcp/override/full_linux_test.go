package override_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/mcp/override"
)

// C07: on a full disk the old file stays whole and in force, and nothing is left
// beside it.
func TestFullDisk(t *testing.T) {
	dir, cfg := home(t)
	if err := syscall.Mount("none", filepath.Join(dir, "config"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("only root may mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(filepath.Join(dir, "config"), 0); err != nil {
			t.Error(err)
		}
	})
	text := strings.Replace(sample, "every day", strings.Repeat("every day ", 3000), 1) // 30 of 64 kB
	put(t, cfg.Path, text)
	f := open(t, cfg)
	put(t, filepath.Join(dir, "config", "ballast"), strings.Repeat("x", 28<<10))
	_, err := f.Edit(context.Background(), "", override.Set(`"5m"`, "servers", "tracker", "timeout"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("on a full disk: %v", err)
	}
	if got := get(t, cfg.Path); got != text {
		t.Fatalf("the file has %d bytes, had %d", len(got), len(text))
	}
	if st := f.State(); st.Force != override.ForceFile || len(st.Config.Servers) != 2 {
		t.Errorf("in force: %+v", st.Force)
	}
	left, err := os.ReadDir(filepath.Join(dir, "config"))
	if err != nil || len(left) != 2 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Remove(filepath.Join(dir, "config", "ballast")); err != nil {
		t.Fatal(err)
	}
	st, err := f.Edit(context.Background(), "", override.Set(`"5m"`, "servers", "tracker", "timeout"))
	if err != nil || !bytes.Contains(st.Text, []byte(`"5m"`)) {
		t.Errorf("with room again: %v", err)
	}
}
