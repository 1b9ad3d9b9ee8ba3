package clis_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/build/clis"
)

func TestLockFilesNameNoRegistry(t *testing.T) {
	files, err := filepath.Glob("*/package-lock.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lock files: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "://") {
			t.Errorf("%s holds an address", f)
		}
		if !strings.Contains(string(data), `"integrity": "sha512-`) {
			t.Errorf("%s holds no checksum", f)
		}
	}
}

// Whoever asks at the same time gets the same, working program.
func TestInstalledOnceAndRuns(t *testing.T) {
	var wg sync.WaitGroup
	paths := make([]string, 4)
	for i := range paths {
		wg.Go(func() { paths[i], _ = clis.Claude.Install() })
	}
	wg.Wait()
	path := clis.Claude.Path(t)
	for _, p := range paths {
		if p != path {
			t.Errorf("got %q and %q", p, path)
		}
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), clis.Claude.Version+" ") {
		t.Errorf("--version: %q, %v", out, err)
	}
}

// The usual run makes this first, so that a cold cache costs no test the time
// that it has for an agent.
func TestInstallWhatTheUsualRunNeeds(t *testing.T) {
	usual := map[string]*clis.CLI{
		"claude": clis.Claude, "older claude": clis.ClaudeOld, "codex": clis.Codex, "older codex": clis.CodexOld, "opencode": clis.OpenCode,
		"dsh": clis.DSH, "grok": clis.Grok, "pi": clis.Pi, "older pi": clis.PiOld, "example of ACP": clis.ACPExample,
	}
	for name, c := range usual {
		t.Run(name, func(t *testing.T) {
			if info, err := os.Stat(c.Path(t)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("there is no program: %v", err)
			}
		})
	}
}

// A relative cache would land in whatever folder a test runs in.
func TestRelativeCacheIsRefused(t *testing.T) {
	t.Setenv(clis.EnvCache, "some/folder")
	c := clis.CLI{Version: "0"}
	if path, err := c.Install(); err == nil {
		t.Errorf("installed to %s", path)
	}
}
