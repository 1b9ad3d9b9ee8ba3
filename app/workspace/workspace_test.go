package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/app/workspace"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// The branch is what git itself says, for a plain work tree, a folder inside
// it, a second work tree, a branch with a slash and other scripts in its name,
// and a checked-out commit.
func TestBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here to make repositories with")
	}
	root := t.TempDir()
	repo := filepath.Join(root, "repo")
	inner := filepath.Join(repo, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, repo, "init", "-q", "-b", "feature/登录-$(x)")
	if got := workspace.Branch(inner); got != "feature/登录-$(x)" {
		t.Errorf("new repository: %q", got)
	}
	git(t, repo, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, repo, "worktree", "add", "-q", "-b", "other", filepath.Join(root, "tree"))
	if got := workspace.Branch(filepath.Join(root, "tree")); got != "other" {
		t.Errorf("second work tree: %q", got)
	}
	git(t, repo, "checkout", "-q", "--detach")
	out, err := exec.Command("git", "-C", repo, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := workspace.Branch(repo + "/"); got != string(out[:7]) {
		t.Errorf("checked-out commit: %q", got)
	}
}

func TestNoBranch(t *testing.T) {
	dir := t.TempDir()
	if got := workspace.Branch(dir); got != "" {
		t.Errorf("plain folder: %q", got)
	}
	for _, text := range []string{"", "nonsense", "gitdir: /does/not/exist"} {
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := workspace.Branch(dir); got != "" {
			t.Errorf(".git with %q: %q", text, got)
		}
	}
}

func TestScratchFoldersAreNewAndPrivate(t *testing.T) {
	base := filepath.Join(t.TempDir(), "scratch")
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	seen := map[string]bool{}
	for range 3 {
		dir, err := workspace.Scratch(base, now)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
			t.Fatalf("%s: %v %v", dir, info, err)
		}
		if seen[dir] {
			t.Fatalf("%s was given twice", dir)
		}
		seen[dir] = true
	}
}
