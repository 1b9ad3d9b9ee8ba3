// Package programs builds Parley's own programs for tests, each once. All test
// processes of a checkout share one folder, in which `go build` replaces what is
// out of date.
package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// EnvBuilt names a folder with programs that have just been built from this
// checkout; those are taken as they are. `make test` sets it.
const EnvBuilt = "PARLEY_TEST_PROGRAMS"

// packages says where the programs come from.
var packages = map[string]string{
	"parley":     "./app/parley",
	"parley-mcp": "./mcp/parley-mcp",
	"parley-run": "./agents/parley-run",
	"ahead":      "./app/parley/testdata/ahead", // a back end whose clock is ahead
}

var built sync.Map // program or package → func() (string, error), each called once

// Path returns the path of one of Parley's programs.
func Path(name string) (string, error) {
	return once(name, func() (string, error) {
		if dir := os.Getenv(EnvBuilt); dir != "" && name != "ahead" {
			path := filepath.Join(dir, name)
			_, err := os.Stat(path)
			return path, err
		}
		pkg, ok := packages[name]
		if !ok {
			return "", fmt.Errorf("there is no program %q", name)
		}
		return build(pkg, name == "parley" || name == "ahead")
	})
}

// Build builds a program of a test's own from a package of this module, such as
// "./app/session/testdata/agent", without cgo, and returns its path.
func Build(pkg string) (string, error) {
	return once(pkg, func() (string, error) { return build(pkg, false) })
}

func once(name string, make func() (string, error)) (string, error) {
	found, _ := built.LoadOrStore(name, sync.OnceValues(make))
	return found.(func() (string, error))()
}

func build(pkg string, cgo bool) (string, error) {
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
