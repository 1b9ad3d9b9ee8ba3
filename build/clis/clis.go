// Package clis gives tests the real agent CLIs at pinned versions. Each one is
// a folder with an npm lock file (without registry addresses); it is installed
// once per version into a cache outside the checkout, by whichever test needs
// it first. Only tests use it: the product runs the CLI that a person has.
//
// It is safe for parallel tests and for test programs that run side by side:
// one of them installs, under a file lock, and the others wait. A half
// installed CLI is never seen, since the folder appears by a rename after the
// program in it has told its version.
//
// The cache is the folder in PARLEY_CLI_CACHE, else parley/clis in the user's
// cache folder.
package clis

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// EnvCache names the cache folder.
const EnvCache = "PARLEY_CLI_CACHE"

// limit bounds one installation, the wait for another program's included.
const limit = 10 * time.Minute

//go:embed claude/package.json claude/package-lock.json claude/.npmrc
//go:embed claude-2.1.197/package.json claude-2.1.197/package-lock.json claude-2.1.197/.npmrc
//go:embed codex/package.json codex/package-lock.json codex/.npmrc
//go:embed codex-0.99.0/package.json codex-0.99.0/package-lock.json codex-0.99.0/.npmrc
//go:embed opencode/package.json opencode/package-lock.json opencode/.npmrc
//go:embed pi/package.json pi/package-lock.json pi/.npmrc
//go:embed pi-0.74.2/package.json pi-0.74.2/package-lock.json pi-0.74.2/.npmrc
//go:embed grok/package.json grok/package-lock.json grok/.npmrc
//go:embed dsh/package.json dsh/package-lock.json dsh/.npmrc
//go:embed acp-example/package.json acp-example/package-lock.json acp-example/.npmrc
//go:embed gemini/package.json gemini/package-lock.json gemini/.npmrc
//go:embed qwen/package.json qwen/package-lock.json qwen/.npmrc
var locks embed.FS

// CLI is one pinned program. It is installed at most once in a test program,
// and a failure is kept, so that ten tests do not wait for the network ten
// times.
type CLI struct {
	Version string // what it prints first for --version
	folder  string // of its lock file, here
	program string // path of the program below the installed folder
	unpack  string // script of the package that puts the program there, or ""

	once sync.Once
	path string
	err  error
}

const (
	claudeProgram = "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
	codexProgram  = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
	// What opencode-ai installs on this system: the package itself brings two
	// builds of the same program, of 180 MB each.
	openCodeProgram = "node_modules/opencode-linux-x64/bin/opencode"
	// A script, with the Node.js that the newer one asks for beside it.
	piProgram = "node_modules/.bin/pi"
)

// The pinned programs.
var (
	Claude    = &CLI{Version: "2.1.332", folder: "claude", program: claudeProgram}
	ClaudeOld = &CLI{Version: "2.1.197", folder: "claude-2.1.197", program: claudeProgram}
	Codex     = &CLI{Version: "codex-cli 0.171.0", folder: "codex", program: codexProgram}
	// CodexOld is from before the app server that Parley speaks.
	CodexOld = &CLI{Version: "codex-cli 0.99.0", folder: "codex-0.99.0", program: "node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/codex/codex"}
	OpenCode = &CLI{Version: "1.18.33", folder: "opencode", program: openCodeProgram}
	Pi       = &CLI{Version: "1.6.0", folder: "pi", program: piProgram}
	Grok     = &CLI{Version: "grok 1.0.41", folder: "grok", program: "home/bin/grok-1.0.41", unpack: "node_modules/@xai-official/grok/bin/postinstall.js"}
	// DSH is the newest release whose packages can all be had, with the bridge to
	// ACP that was published beside it: newer ones have a bridge of their own, and
	// ask for packages that are nowhere. Its lock file names, for other systems,
	// packages that were never published.
	DSH = &CLI{Version: "0.1.0-rc.8", folder: "dsh", program: "node_modules/.bin/dsh"}
	// ACPExample is the agent that the protocol's TypeScript SDK brings as an
	// example; it has no version to print.
	ACPExample = &CLI{folder: "acp-example", program: "node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"}
	Gemini     = &CLI{Version: "0.61.0", folder: "gemini", program: "node_modules/.bin/gemini"}
	// Qwen asks for a newer Node.js, which lies beside it.
	Qwen = &CLI{Version: "0.24.4", folder: "qwen", program: "node_modules/.bin/qwen"}
	// PiOld has no MCP of its own; the adapter that brings it lies beside it.
	PiOld = &CLI{Version: "0.74.2", folder: "pi-0.74.2", program: piProgram}
)

// Path returns the program's absolute path, and installs it first when it is
// not there. Where that cannot be done the test is skipped with the reason: it
// was not run, which is not the same as passed.
func (c *CLI) Path(t testing.TB) string {
	t.Helper()
	path, err := c.Install()
	if err != nil {
		t.Skipf("not run: %s %s is not here: %v", c.folder, c.Version, err)
	}
	return path
}

// Install is Path for callers without a test: it returns the program's path or
// why there is none.
func (c *CLI) Install() (string, error) {
	c.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		c.path, c.err = c.install(ctx)
	})
	return c.path, c.err
}

func (c *CLI) install(ctx context.Context) (string, error) {
	root, err := cacheFolder()
	if err != nil {
		return "", err
	}
	lock, err := locks.ReadFile(c.folder + "/package-lock.json")
	if err != nil {
		return "", fmt.Errorf("read lock file: %w", err)
	}
	sum := sha256.Sum256(lock)
	home := filepath.Join(root, c.folder+"-"+hex.EncodeToString(sum[:6]))
	program := filepath.Join(home, filepath.FromSlash(c.program))
	if present(program) {
		return program, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("make cache folder: %w", err)
	}
	unlock, err := lockFile(ctx, home+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if present(program) { // another program installed it meanwhile
		return program, nil
	}
	return program, c.fetch(ctx, home)
}

// fetch installs into a folder beside home and renames it. The caller holds
// the lock, so whatever lies in that folder was left by a program that died.
func (c *CLI) fetch(ctx context.Context, home string) error {
	dir := home + ".new"
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear old folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		data, err := locks.ReadFile(c.folder + "/" + name)
		if err != nil {
			return fmt.Errorf("read lock file: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write lock file: %w", err)
		}
	}
	if err := npmCI(ctx, dir); err != nil {
		return err
	}
	if c.unpack != "" {
		if err := unpack(ctx, dir, c.unpack); err != nil {
			return err
		}
	}
	if err := c.check(ctx, filepath.Join(dir, filepath.FromSlash(c.program))); err != nil {
		return err
	}
	if err := os.RemoveAll(home); err != nil { // remains of a folder without the program
		return fmt.Errorf("clear old folder: %w", err)
	}
	if err := os.Rename(dir, home); err != nil {
		return fmt.Errorf("put in place: %w", err)
	}
	return nil
}

func present(program string) bool {
	info, err := os.Stat(program)
	return err == nil && info.Mode().IsRegular()
}

func cacheFolder() (string, error) {
	if dir := os.Getenv(EnvCache); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", errors.New(EnvCache + " must be an absolute path")
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	return filepath.Join(dir, "parley", "clis"), nil
}
