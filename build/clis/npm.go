package clis

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// npmCI runs npm in a folder that holds a lock file.
func npmCI(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000")
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, lastLines(string(out), 3))
	}
	return nil
}

// unpack runs the script that a package has for after its installation. What it
// installs for a person goes into a folder beside the packages.
func unpack(ctx context.Context, dir, script string) error {
	cmd := exec.CommandContext(ctx, "node", filepath.FromSlash(script))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GROK_HOME="+filepath.Join(dir, "home"))
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, lastLines(string(out), 3))
	}
	return nil
}

// check runs the program once, so that a wrong C library or architecture is
// found here and not in the first test.
func (c *CLI) check(ctx context.Context, program string) error {
	if c.Version == "" {
		return nil // it prints none
	}
	cmd := exec.CommandContext(ctx, program, "--version")
	// A script names its interpreter by PATH, and brings it along where it needs a
	// newer one.
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s --version: %w: %s", c.folder, err, lastLines(string(out), 3))
	}
	if !strings.HasPrefix(strings.TrimSpace(string(out)), c.Version) {
		return fmt.Errorf("%s --version printed %q, want %s", c.folder, lastLines(string(out), 1), c.Version)
	}
	return nil
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
