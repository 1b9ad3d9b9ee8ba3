package apptest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// packages says where the programs come from.
var packages = map[string]string{
	"parley":     "./app/parley",
	"parley-mcp": "./mcp/parley-mcp",
	"parley-run": "./agents/parley-run",
	"ahead":      "./app/parley/testdata/ahead", // a back end whose clock is ahead
}

var built sync.Map // program → func() (string, error), each called once

// Program builds one of Parley's programs and returns its path. All test
// processes share one folder per checkout, in which `go build` replaces what is
// out of date; a lock keeps them from doing so at once.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	build, _ := built.LoadOrStore(name, sync.OnceValues(func() (string, error) { return buildProgram(name) }))
	path, err := build.(func() (string, error))()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Build builds a program of a test's own from a package of this module, such as
// "./app/session/testdata/agent", without cgo, and returns its path.
func Build(tb testing.TB, pkg string) string {
	tb.Helper()
	build, _ := built.LoadOrStore(pkg, sync.OnceValues(func() (string, error) { return buildPackage(pkg, false) }))
	path, err := build.(func() (string, error))()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Programs builds several and returns the folder that they lie in.
func Programs(tb testing.TB, names ...string) string {
	tb.Helper()
	var dir string
	for _, name := range names {
		dir = filepath.Dir(Program(tb, name))
	}
	return dir
}

func buildProgram(name string) (string, error) {
	pkg, ok := packages[name]
	if !ok {
		return "", fmt.Errorf("there is no program %q", name)
	}
	return buildPackage(pkg, name == "parley" || name == "ahead")
}

func buildPackage(pkg string, cgo bool) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("parley-test-bin-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6])))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Dir = root
	cmd.Env = os.Environ()
	if !cgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("find the module: not inside one")
	}
	return filepath.Dir(mod), nil
}
