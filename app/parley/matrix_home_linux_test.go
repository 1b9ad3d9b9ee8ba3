package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"parley/agents/fakemodel"
	"parley/app"
	"parley/build/clis"
)

// Somebody has all of the CLIs, each with files and a server of its own, and runs
// a session of each: every file that lay in the home and in the project is what it
// was, byte for byte, with its mode and its time; and each session had its own
// server beside ours.
func TestLongAWholeHomeIsUnchanged(t *testing.T) {
	long(t)
	everything := family{
		cli: clis.Claude,
		install: func(h *claudeHome, _ string) {
			for _, f := range families {
				// Two of them bring a Node.js along; the last one's serves both.
				if err := os.Remove(filepath.Join(h.user, ".local", "bin", "node")); err != nil && !os.IsNotExist(err) {
					h.t.Fatal(err)
				}
				f.install(h, f.cli.Path(h.t))
			}
		},
	}
	var script []fakemodel.Step
	for _, f := range families {
		everything.asides = append(everything.asides, f.asides...)
		call := "q-" + f.name
		told, asked := onResult(call, fakemodel.Text("Then I take that.")), f.onAsking("build with "+f.name, call, "Which database?", "Postgres", "SQLite")
		told.Times, asked.Times = fakemodel.Always, fakemodel.Always // a CLI that waits long asks its model once more
		script = append(script, told, asked)
	}
	h := newAgent(t, everything, script...)
	for _, f := range families {
		f.own(h)
	}
	// Some CLIs note in their own files which repositories they trust.
	if out, err := exec.Command("git", "init", "-q", h.work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	before := h.everyFile()
	state := h.state()
	if len(before) < 25 {
		t.Fatalf("only %d files are looked at", len(before))
	}
	for _, f := range families {
		r := f.begin(h, "person's files unchanged", "build with "+f.name)
		asked := r.asks(app.KindClarify)
		if tree := h.tree(); !slices.Contains(tree, filepath.Base(os.Args[0])) { // this test binary is their server
			t.Errorf("%s: the person's own server does not run: %v", f.name, tree)
		}
		h.run(exitDone, "answer", asked.ID, "--choose", "SQLite")
		r.done()
		h.nothingLeft()
		after := h.everyFile()
		for name, was := range before {
			if now := after[name]; now != was {
				t.Errorf("after %s: %s is %q, was %q", f.name, name, now, was)
				before[name] = now // once
			}
		}
	}
	// Claude Code keeps account of itself in the file that holds the person's
	// servers; those are as they were.
	if now := h.state(); !reflect.DeepEqual(now["mcpServers"], state["mcpServers"]) {
		t.Errorf("the servers in ~/.claude.json are %v, were %v", now["mcpServers"], state["mcpServers"])
	}
	t.Logf("%d files and links are as they were", len(before))
}

// everyFile describes each file and link of the home and the project, but for the
// one that Claude Code keeps account of itself in, whoever starts it.
func (h *claudeHome) everyFile() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	for _, top := range []string{h.user, h.work} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() || path == filepath.Join(h.user, ".claude.json"):
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil // of a CLI's own, and gone by now
			}
			what := fmt.Sprint(info.Mode(), " ", info.Size(), " ", info.ModTime().UnixNano())
			switch {
			case info.Mode().IsRegular():
				data, err := os.ReadFile(path)
				if err != nil {
					return nil
				}
				what += fmt.Sprintf(" %x", sha256.Sum256(data))
			case info.Mode()&fs.ModeSymlink != 0:
				to, err := os.Readlink(path)
				if err != nil {
					return nil
				}
				what += " to " + to
			}
			out[path] = what
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return out
}
