package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What became of a patch. All but the first are failures.
const (
	noticed    = "noticed"
	unnoticed  = "NOT NOTICED"
	stale      = "DOES NOT APPLY"
	broken     = "DOES NOT BUILD"
	otherwise  = "RED FOR ANOTHER REASON"
	notUndone  = "CANNOT BE UNDONE"
	unsound    = "RED WITHOUT IT"
	testLimit  = 15 * time.Minute // of one test, its build included
	innerLimit = "240s"           // of the test itself: one that hangs has noticed
)

// scratch is a copy of the last commit.
type scratch struct {
	dir string
}

// newCopy copies the last commit. Packages of the page are the checkout's.
func newCopy(ctx context.Context) (*scratch, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "parley-sabotage-")
	if err != nil {
		return nil, err
	}
	c := &scratch{dir: dir}
	out, err := c.command(ctx, root, "sh", "-c", `git archive HEAD | tar -x -C "$1"`, "sh", dir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "frontend", "dist"), 0o700)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(root, "frontend", "node_modules"), filepath.Join(dir, "frontend", "node_modules"))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy the last commit: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return c, nil
}

func (c *scratch) remove() { _ = os.RemoveAll(c.dir) }

func (c *scratch) command(ctx context.Context, dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.Join(err, ctx.Err())
	}
	return string(out), err
}

// sound runs the named tests on the copy as it is and returns those that fail:
// nothing can be proved by them.
func (c *scratch) sound(ctx context.Context, patches []patch) map[test]string {
	bad := map[test]string{}
	together := map[string][]string{} // names by package
	reports := map[string][]result{}  // by file of the page
	for _, p := range patches {
		if !p.test.page {
			if !slices.Contains(together[p.test.in], p.test.name) {
				together[p.test.in] = append(together[p.test.in], p.test.name)
			}
			continue
		}
		if _, run := reports[p.test.in]; !run {
			fmt.Fprintf(os.Stderr, "without a patch: page %s\n", p.test.in)
			var err error
			if reports[p.test.in], err = c.pageTests(ctx, p.test.in); err != nil {
				bad[p.test] = err.Error()
			}
		}
		if red, why, err := find(reports[p.test.in], p.test); red || err != nil {
			bad[p.test] = fmt.Sprintf("%v\n%s", err, why)
		}
	}
	for in, names := range together {
		fmt.Fprintf(os.Stderr, "without a patch: go %s\n", in)
		out, _ := c.command(ctx, c.dir, "go", "test", "-count=1", "-timeout", innerLimit, "-v", "-run", "^("+strings.Join(names, "|")+")$", in)
		for _, name := range names {
			if !strings.Contains(out, "--- PASS: "+name) {
				bad[test{in: in, name: name}] = out
			}
		}
	}
	return bad
}

// try applies a patch, runs its test and takes the patch back.
func (c *scratch) try(ctx context.Context, p patch, bad map[test]string) (verdict, out string) {
	if out, ok := bad[p.test]; ok {
		return unsound, out
	}
	if out, err := c.command(ctx, c.dir, "git", "apply", p.path); err != nil {
		return stale, out
	}
	if p.test.page {
		verdict, out = c.tryPage(ctx, p.test)
	} else {
		verdict, out = c.tryGo(ctx, p.test)
	}
	if undo, err := c.command(ctx, c.dir, "git", "apply", "-R", p.path); err != nil {
		return notUndone, undo
	}
	return verdict, out
}

func (c *scratch) tryGo(ctx context.Context, t test) (verdict, out string) {
	// All of it must build: a test may start our programs.
	if out, err := c.command(ctx, c.dir, "go", "build", "./agents/...", "./app/...", "./mcp/..."); err != nil {
		return broken, out
	}
	if out, err := c.command(ctx, c.dir, "go", "test", "-run", "^$", t.in); err != nil {
		return broken, out
	}
	out, err := c.command(ctx, c.dir, "go", "test", "-count=1", "-timeout", innerLimit, "-run", "^"+t.name+"$", t.in)
	switch {
	case err == nil:
		return unnoticed, out
	case strings.Contains(out, "--- FAIL: "+t.name), strings.Contains(out, "panic: test timed out") && strings.Contains(out, t.name):
		return noticed, out
	default:
		return otherwise, out
	}
}

func (c *scratch) tryPage(ctx context.Context, t test) (verdict, out string) {
	if out, err := c.command(ctx, filepath.Join(c.dir, "frontend"), "node_modules/.bin/tsc", "--noEmit"); err != nil {
		return broken, out
	}
	all, err := c.pageTests(ctx, t.in)
	red, out := false, ""
	if err == nil {
		red, out, err = find(all, t)
	}
	switch {
	case err != nil:
		return otherwise, out + err.Error()
	case red:
		return noticed, out
	default:
		return unnoticed, out
	}
}

// result is how one test of the page ended.
type result struct {
	Name   string   `json:"fullName"`
	Status string   `json:"status"`
	Why    []string `json:"failureMessages"`
}

// pageTests runs a file of the page's tests.
func (c *scratch) pageTests(ctx context.Context, file string) ([]result, error) {
	report := filepath.Join(c.dir, "report.json")
	if err := os.RemoveAll(report); err != nil {
		return nil, err
	}
	// The tests' own limits are for a machine with nothing else to do.
	out, _ := c.command(ctx, filepath.Join(c.dir, "frontend"), "node_modules/.bin/vitest", "run", file, "--testTimeout=200000",
		"--reporter=json", "--outputFile="+report)
	data, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("the page's tests did not run: %w\n%s", err, out)
	}
	var r struct {
		Files []struct {
			Tests []result `json:"assertionResults"`
		} `json:"testResults"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	var all []result
	for _, f := range r.Files {
		all = append(all, f.Tests...)
	}
	return all, nil
}

// find reports whether a test failed. That it did not run is an error.
func find(all []result, t test) (red bool, why string, err error) {
	ran := false
	for _, x := range all {
		if strings.Contains(x.Name, t.name) {
			ran = true
			if x.Status == "failed" {
				return true, strings.Join(x.Why, "\n"), nil
			}
		}
	}
	if !ran {
		return false, "", fmt.Errorf("no test of %s is called like %q", t.in, t.name)
	}
	return false, "", nil
}
