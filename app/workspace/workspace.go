// Package workspace knows the folders that agents work in: which branch a
// folder is on, and scratch folders for sessions that were given none. It
// starts no program and changes nothing that it did not make. Its functions
// may be called from any goroutine.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Branch is the git branch of the folder dir, or of the nearest folder above it
// that is a work tree: the name, seven digits of the commit when none is
// checked out, "" when there is no repository or it cannot be read. It reads
// two small files, so that a list of sessions costs no process each.
func Branch(dir string) string {
	gitDir := findGit(filepath.Clean(dir))
	if gitDir == "" {
		return ""
	}
	head, err := readSmall(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		return strings.TrimPrefix(ref, "refs/heads/")
	}
	if len(head) >= 40 {
		return head[:7]
	}
	return ""
}

// findGit returns the folder with HEAD. A work tree made by `git worktree` and
// a submodule have a file in its place that names it.
func findGit(dir string) string {
	for {
		dot := filepath.Join(dir, ".git")
		info, err := os.Stat(dot)
		switch {
		case err == nil && info.IsDir():
			return dot
		case err == nil:
			text, err := readSmall(dot)
			if err != nil {
				return ""
			}
			target, ok := strings.CutPrefix(text, "gitdir: ")
			if !ok {
				return ""
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return target
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// readSmall reads the first line of a file that has no business being long.
func readSmall(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, err := f.Read(buf)
	if n == 0 && err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	return strings.TrimSpace(line), nil
}

// Scratch makes a new empty folder for a session that was given none, under
// base, named by day and time.
func Scratch(base string, now time.Time) (string, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", fmt.Errorf("make scratch folder: %w", err)
	}
	stem := filepath.Join(base, now.Format("2006-01-02-150405"))
	dir := stem
	for i := 2; ; i++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) || i > 1000 {
			return "", fmt.Errorf("make scratch folder: %w", err)
		}
		dir = fmt.Sprintf("%s-%d", stem, i)
	}
}
