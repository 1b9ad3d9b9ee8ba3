package override_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"parley/mcp/override"
)

func TestNoFileThenAFirstServer(t *testing.T) {
	_, cfg := home(t)
	f := open(t, cfg)
	if st := f.State(); st.Force != override.ForceNothing || st.Broken() || st.Revision != "" {
		t.Fatalf("without a file: %+v", st)
	}
	if _, err := os.Stat(cfg.Path); !os.IsNotExist(err) {
		t.Fatalf("opening made a file: %v", err)
	}
	st, err := f.Edit(context.Background(), "", override.Set(`{"command":"uvx","args":["docs-mcp"]}`, "servers", "docs"))
	if err != nil || st.Force != override.ForceFile || len(st.Config.Servers) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	const want = `{
  "$schema": "./mcp-overrides.schema.json",
  "version": 1,
  "servers": {
    "docs": {
      "command": "uvx",
      "args": ["docs-mcp"]
    }
  }
}
`
	if got := get(t, cfg.Path); got != want {
		t.Errorf("the file holds\n%s", got)
	}
	if info, _ := os.Stat(cfg.Path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if get(t, filepath.Join(filepath.Dir(cfg.Path), override.SchemaName)) != string(override.Schema) {
		t.Error("the schema that it names is not there")
	}
	if _, err := f.Undo(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cfg.Path); !os.IsNotExist(err) {
		t.Errorf("after undo: %v", err)
	}
}

// C07, C08: a broken file is never replaced and never read as empty.
func TestBrokenFile(t *testing.T) {
	for name, broken := range map[string]string{"cut off": sample[:200], "empty": "", "a bad value": `{"servers": {"docs": {"timeout": 10}}}`} {
		t.Run(name, func(t *testing.T) {
			_, cfg := home(t)
			put(t, cfg.Path, broken)
			// Without a good state nothing is in force, and that is said.
			if st := open(t, cfg).State(); st.Force != override.ForceNothing || !st.Broken() || st.Problems[0].Line == 0 || len(st.Config.Servers) > 0 {
				t.Fatalf("%+v", st)
			}
			put(t, cfg.Path, sample)
			open(t, cfg)
			put(t, cfg.Path, broken)
			f := open(t, cfg) // a restart
			st := f.State()
			if st.Force != override.ForceLastGood || !st.Broken() || len(st.Config.Servers) != 2 || st.GoodAt.IsZero() || string(st.Text) != broken {
				t.Fatalf("%+v", st)
			}
			_, err := f.Edit(context.Background(), "", override.Set("true", "x"))
			if _, ok := errors.AsType[*override.Invalid](err); !ok {
				t.Errorf("editing a broken file: %v", err)
			}
			if got := get(t, cfg.Path); got != broken {
				t.Fatalf("the file became %q", got)
			}
			// The last good text comes back only by an act, and what it replaces is kept.
			if _, _, err := f.Restore(context.Background(), "another revision"); !errors.Is(err, override.ErrChanged) {
				t.Errorf("restored over an unseen text: %v", err)
			}
			st, aside, err := f.Restore(context.Background(), st.Revision)
			if err != nil || st.Force != override.ForceFile || get(t, cfg.Path) != sample || get(t, aside) != broken {
				t.Errorf("restored: %v, %+v", err, st)
			}
		})
	}
}

// C04, C05: comments, order, unknown keys, line ends, byte order mark, mode,
// owner and links of two hops are the person's.
func TestEditIsAGuest(t *testing.T) {
	dir, cfg := home(t)
	dotfiles := filepath.Join(dir, "dotfiles")
	if err := os.Mkdir(dotfiles, 0o755); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dotfiles, "mcp.jsonc")
	text := "\ufeff" + strings.ReplaceAll(sample, "\n", "\r\n")
	put(t, target, text)
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	root := os.Geteuid() == 0
	if root {
		if err := os.Chown(target, 12345, 12346); err != nil {
			t.Fatal(err)
		}
	}
	middle := filepath.Join(dir, "middle.jsonc")
	for from, to := range map[string]string{middle: "dotfiles/mcp.jsonc", cfg.Path: "../middle.jsonc"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, cfg)
	if _, err := f.Edit(context.Background(), "", override.Set(`"5m"`, "servers", "tracker", "timeout")); err != nil {
		t.Fatal(err)
	}
	if got, want := get(t, target), strings.Replace(text, `"90s"`, `"5m"`, 1); got != want {
		t.Errorf("the file became\n%q\nwant\n%q", got, want)
	}
	for _, link := range []string{middle, cfg.Path} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s became %v, %v", link, info.Mode(), err)
		}
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if uid, gid := owner(info); root && (uid != 12345 || gid != 12346) {
		t.Errorf("owner %d:%d", uid, gid)
	}
	if left, _ := os.ReadDir(dotfiles); len(left) != 1 {
		t.Errorf("left beside the file: %v", left)
	}
	// A link that leads to nothing yet is followed too.
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Edit(context.Background(), "", override.Set(`{"command":"x"}`, "servers", "x")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(get(t, target), `"x"`) {
		t.Errorf("the target holds %q", get(t, target))
	}
}

func TestReadOnlyFileIsLeftAlone(t *testing.T) {
	_, cfg := home(t)
	put(t, cfg.Path, sample)
	if err := os.Chmod(cfg.Path, 0o444); err != nil {
		t.Fatal(err)
	}
	f := open(t, cfg)
	_, err := f.Edit(context.Background(), "", override.Set(`"5m"`, "servers", "tracker", "timeout"))
	if !errors.Is(err, override.ErrReadOnly) || get(t, cfg.Path) != sample {
		t.Errorf("%v", err)
	}
}

// C03, C10: what changed underneath is not overwritten.
func TestChangeUnderneath(t *testing.T) {
	_, cfg := home(t)
	put(t, cfg.Path, sample)
	f := open(t, cfg)
	seen := f.State().Revision
	outside := strings.Replace(sample, `"90s"`, `"95s"`, 1)
	put(t, cfg.Path, outside)
	for name, do := range map[string]func() error{
		"edit": func() error {
			_, err := f.Edit(context.Background(), seen, override.Remove("servers", "docs"))
			return err
		},
		"replace": func() error { _, err := f.Replace(context.Background(), seen, []byte("{}")); return err },
		"new":     func() error { _, err := f.Replace(context.Background(), "", []byte("{}")); return err },
	} {
		if err := do(); !errors.Is(err, override.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if get(t, cfg.Path) != outside {
		t.Fatal("the outside change is lost")
	}
	// An edit that fits any text is made in the one that is there.
	st, err := f.Edit(context.Background(), "", override.Set(`"5m"`, "servers", "docs", "timeout"))
	if err != nil || !strings.Contains(string(st.Text), `"95s"`) || !strings.Contains(string(st.Text), `"5m"`) {
		t.Errorf("%v: %s", err, st.Text)
	}
	// And what was changed since is not undone.
	put(t, cfg.Path, outside+" ")
	if _, err := f.Undo(context.Background()); !errors.Is(err, override.ErrChanged) || get(t, cfg.Path) != outside+" " {
		t.Errorf("undo: %v", err)
	}
	if st := open(t, cfg).State(); st.CanUndo {
		t.Error("what was changed outside is offered to be undone")
	}
}

func TestABadChangeIsRefused(t *testing.T) {
	_, cfg := home(t)
	put(t, cfg.Path, sample)
	f := open(t, cfg)
	for _, do := range []func() error{
		func() error {
			_, err := f.Edit(context.Background(), "", override.Set("600", "servers", "docs", "timeout"))
			return err
		},
		func() error { _, err := f.Replace(context.Background(), f.State().Revision, []byte("{")); return err },
	} {
		err := do()
		if bad, ok := errors.AsType[*override.Invalid](err); !ok || bad.Problems[0].Line == 0 {
			t.Errorf("%v", err)
		}
	}
	if get(t, cfg.Path) != sample {
		t.Error("the file was changed")
	}
}

// What one process changed, another takes back, also after a restart: each text
// of before byte for byte, and the file itself where there was none.
func TestUndoAfterARestart(t *testing.T) {
	_, cfg := home(t)
	if _, err := open(t, cfg).Undo(context.Background()); !errors.Is(err, override.ErrNothingToUndo) {
		t.Errorf("undo of nothing: %v", err)
	}
	texts := []string{}
	for _, text := range []string{"{} // one\n", sample, "\ufeff{\r\n}"} {
		st, err := open(t, cfg).Replace(context.Background(), open(t, cfg).State().Revision, []byte(text))
		if err != nil || !st.CanUndo {
			t.Fatalf("%v, can undo: %v", err, st.CanUndo)
		}
		texts = append(texts, text)
	}
	for i := len(texts) - 1; i >= 0; i-- {
		if got := get(t, cfg.Path); got != texts[i] {
			t.Fatalf("%d: %q", i, got)
		}
		f := open(t, cfg)
		if !f.State().CanUndo {
			t.Fatalf("%d: nothing is offered", i)
		}
		if _, err := f.Undo(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(cfg.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that was made is still there: %v", err)
	}
	if open(t, cfg).State().CanUndo {
		t.Error("there is still something to undo")
	}
	list, err := os.Stat(filepath.Join(cfg.State, "mcp-overrides.undo.json"))
	if err != nil || list.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", list.Mode(), err)
	}
}

// Texts of before are kept up to 50 and up to 4 MiB, the newest in any case, and
// a list that cannot be read keeps nobody from a change.
func TestUndoIsBounded(t *testing.T) {
	_, cfg := home(t)
	f := open(t, cfg)
	write := func(text string) {
		t.Helper()
		if _, err := f.Replace(context.Background(), f.State().Revision, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		write(fmt.Sprintf("{} // %d\n", i))
	}
	undone := 0
	for f.State().CanUndo {
		if _, err := f.Undo(context.Background()); err != nil {
			t.Fatal(err)
		}
		undone++
	}
	if undone != 50 {
		t.Errorf("%d changes could be taken back", undone)
	}
	long := "{} //" + strings.Repeat("x", 3<<20)
	write(long + "1\n")
	write(long + "2\n")
	write("{}\n")
	if _, err := f.Undo(context.Background()); err != nil || f.State().CanUndo {
		t.Errorf("%v, can undo: %v", err, f.State().CanUndo)
	}
	put(t, filepath.Join(cfg.State, "mcp-overrides.undo.json"), "no list")
	write("{} // after\n")
	if !f.State().CanUndo {
		t.Error("the change after a damaged list cannot be undone")
	}
}

// Edit then undo is byte-identical, whatever the edits.
func TestUndo(t *testing.T) {
	_, cfg := home(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{
			sample, "{}", "\ufeff{\r\n\t\"version\": 1, // x\r\n}", strings.ReplaceAll(sample, "\n", "\r\n"), `{"servers":{"a":{"command":"x"}},}`,
		}).Draw(t, "text")
		if err := os.WriteFile(cfg.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := override.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"docs", "tracker", "new"})
		made := 0
		for range rapid.IntRange(1, 2).Draw(t, "edits") {
			n := name.Draw(t, "name")
			before := f.State().Revision
			_, err := f.Edit(context.Background(), "", []override.Change{
				override.Set(`"7m"`, "overrides", "pi", "*", n, "timeout"), override.Remove("servers", n),
				override.Include(n, "disabled", "pi", "*"), override.Exclude(n, "disabled", "pi", "*"),
			}[rapid.IntRange(0, 3).Draw(t, "kind")])
			if err != nil {
				t.Fatal(err)
			}
			if f.State().Revision != before {
				made++
			}
		}
		for range made {
			if _, err := f.Undo(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(cfg.Path)
		if err != nil || string(got) != text {
			t.Fatalf("after %d undos: %q, %v", made, got, err)
		}
	})
}

// C05: twelve processes and twelve goroutines write at once. Every edit is there
// in the end, and the file could be read at every moment.
func TestTwelveWriters(t *testing.T) {
	dir, cfg := home(t)
	put(t, cfg.Path, sample)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, cfg)
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() {
			cmd := exec.Command(self, dir)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=process-%d", envWriter, i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v: %s", i, err, out)
			}
		})
		writers.Go(func() {
			for n := range edits {
				if _, err := f.Edit(context.Background(), "", override.Set(`{"command":"x"}`, "servers", fmt.Sprintf("routine-%d-%d", i, n))); err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
		}
		if _, err := override.Parse([]byte(get(t, cfg.Path))); err != nil {
			t.Fatalf("seen in between: %v", err)
		}
	}
	st := open(t, cfg).State()
	if n := len(st.Config.Servers); st.Broken() || n != 2+2*12*edits {
		t.Errorf("%d servers, problems %v", n, st.Problems)
	}
	if !strings.Contains(string(st.Text), "/* the ones I use") || !strings.Contains(string(st.Text), "12345678901234567890") {
		t.Error("the person's own words are lost")
	}
}

// What was called off before it began is not made.
func TestEditGivesUp(t *testing.T) {
	_, cfg := home(t)
	put(t, cfg.Path, sample)
	f := open(t, cfg)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Edit(ctx, "", override.Remove("servers", "docs")); !errors.Is(err, context.Canceled) || get(t, cfg.Path) != sample {
		t.Errorf("%v", err)
	}
}
