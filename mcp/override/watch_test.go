package override_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/mcp/override"
)

// reloads counts what the watch took.
type reloads struct{ n atomic.Int32 }

func (r *reloads) Enabled(context.Context, slog.Level) bool { return true }
func (r *reloads) Handle(_ context.Context, rec slog.Record) error {
	if rec.Message == "MCP overrides" {
		r.n.Add(1)
	}
	return nil
}
func (r *reloads) WithAttrs([]slog.Attr) slog.Handler { return r }
func (r *reloads) WithGroup(string) slog.Handler      { return r }

// is waits until as many were taken, the one that shows that the watch is there
// among them, and sees that they were no more. A save that is not made in one
// step may be seen half done too, when the machine is so busy that its steps lie
// further apart than the watch waits for quiet.
func (r *reloads) is(t *testing.T, want int32, oneStep bool) {
	t.Helper()
	for limit := time.Now().Add(patience); r.n.Load() < want && time.Now().Before(limit); {
		time.Sleep(time.Millisecond) // the log is written after the news goes out
	}
	if n := r.n.Load(); n < want || oneStep && n > want {
		t.Errorf("%d reloads, want %d", n, want)
	}
}

// patience bounds waiting; a change is seen in a fraction of it.
const patience = 20 * time.Second

// watched is a file that is watched until the test ends.
func watched(t *testing.T, cfg override.Config) (f *override.File, changes <-chan override.State, count *reloads) {
	t.Helper()
	count = &reloads{}
	cfg.Log = slog.New(count)
	f = open(t, cfg)
	_, changes, stop := f.Subscribe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the watch ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the watch does not end")
		}
	})
	// The watch is there once it reports a first change from outside.
	mark := get(t, cfg.Path) + "// watched\n"
	inOneStep(t, cfg.Path, mark)
	await(t, changes, func(s override.State) bool { return string(s.Text) == mark })
	return f, changes, count
}

func await(t *testing.T, changes <-chan override.State, ok func(override.State) bool) override.State {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case s := <-changes:
			if ok(s) {
				return s
			}
		case <-limit:
			t.Fatal("the change was not seen")
		}
	}
}

// inOneStep replaces the file that path leads to.
func inOneStep(t testing.TB, path, text string) {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path+".tmp", text)
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

const renamed = "renamed over, as most tools"

// saves are the ways in which editors save.
var saves = map[string]func(t testing.TB, path, text string){
	"in place, as VS Code": put,
	renamed:                inOneStep,
	"old one moved aside, as vim": func(t testing.TB, path, text string) {
		put(t, filepath.Join(filepath.Dir(path), "4913"), "") // vim tries the folder with it
		if err := errors.Join(os.Remove(filepath.Join(filepath.Dir(path), "4913")), os.Rename(path, path+"~")); err != nil {
			t.Fatal(err)
		}
		put(t, path, text)
		if err := os.Remove(path + "~"); err != nil {
			t.Fatal(err)
		}
	},
	"deleted and made anew": func(t testing.TB, path, text string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		put(t, path, text)
	},
	"in several writes": func(t testing.TB, path, text string) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{text[:20], text[20:100], text[100:]} {
			if _, err := file.WriteString(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	},
}

// C09: a change is seen however it is saved, again after it, and each once.
func TestEveryWayOfSaving(t *testing.T) {
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, cfg := home(t)
			put(t, cfg.Path, sample)
			_, changes, count := watched(t, cfg)
			for i := range 3 {
				text := strings.Replace(sample, `"90s"`, fmt.Sprintf(`"%ds"`, 100+i), 1)
				save(t, cfg.Path, text)
				st := await(t, changes, func(s override.State) bool { return string(s.Text) == text })
				if st.Force != override.ForceFile || st.Config.Servers[1].Fields["timeout"].Value.Text != fmt.Sprintf("%ds", 100+i) {
					t.Errorf("round %d: %s in force, %+v", i, st.Force, st.Config.Servers)
				}
			}
			count.is(t, 1+3, name == renamed)
		})
	}
}

func TestRealEditors(t *testing.T) {
	for name, args := range map[string][]string{
		"sed": {"sed", "-i", "s/90s/%ds/; s/10[0-9]s/%[1]ds/"},
		"vim": {"vim", "-u", "NONE", "-es", "-c", "%%s/90s\\|10[0-9]s/%ds/", "-c", "wq"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed here", name)
			}
			t.Parallel()
			_, cfg := home(t)
			put(t, cfg.Path, sample)
			_, changes, count := watched(t, cfg)
			for i := range 2 {
				var argv []string
				for _, a := range args {
					if strings.Contains(a, "%") {
						a = fmt.Sprintf(a, 100+i)
					}
					argv = append(argv, a)
				}
				if out, err := exec.Command(argv[0], append(argv[1:], cfg.Path)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				want := fmt.Sprintf(`"%ds"`, 100+i)
				await(t, changes, func(s override.State) bool { return strings.Contains(string(s.Text), want) })
			}
			count.is(t, 1+2, name == "sed")
		})
	}
}

// A change behind links is seen, and so is a link that leads elsewhere.
func TestWatchThroughLinks(t *testing.T) {
	dir, cfg := home(t)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(d, "file"), sample)
	}
	middle := filepath.Join(dir, "middle")
	if err := errors.Join(os.Symlink("one/file", middle), os.Symlink("../middle", cfg.Path)); err != nil {
		t.Fatal(err)
	}
	f, changes, _ := watched(t, cfg)
	for i, save := range []func(string){
		func(text string) { saves["renamed over, as most tools"](t, filepath.Join(one, "file"), text) },
		func(text string) { put(t, filepath.Join(one, "file"), text) },
		func(text string) {
			put(t, filepath.Join(two, "file"), text)
			if err := errors.Join(os.Symlink("two/file", middle+".new"), os.Rename(middle+".new", middle)); err != nil {
				t.Fatal(err)
			}
		},
		func(text string) { put(t, filepath.Join(two, "file"), text) },
		func(text string) { saves["renamed over, as most tools"](t, cfg.Path, text) },
	} {
		text := strings.Replace(sample, `"90s"`, fmt.Sprintf(`"%ds"`, 100+i), 1)
		save(text)
		await(t, changes, func(s override.State) bool { return string(s.Text) == text })
	}
	if f.State().Broken() {
		t.Error("broken in the end")
	}
}

// C08: deleted and made anew a thousand times, the person's file is never
// written by us, and what they wrote last is in force in the end.
func TestThousandRounds(t *testing.T) {
	_, cfg := home(t)
	put(t, cfg.Path, sample)
	f, changes, _ := watched(t, cfg)
	var text string
	var longest time.Duration
	nothing := false
	for i := range 1000 {
		text = strings.Replace(sample, `"90s"`, fmt.Sprintf(`"%ds"`, 100+i), 1)
		start := time.Now()
		if err := os.Remove(cfg.Path); err != nil {
			t.Fatal(err)
		}
		put(t, cfg.Path, text)
		longest = max(longest, time.Since(start))
		if got := get(t, cfg.Path); got != text {
			t.Fatalf("round %d: somebody else wrote %q", i, got)
		}
		nothing = nothing || f.State().Force == override.ForceNothing
	}
	if string(f.State().Text) != text {
		await(t, changes, func(s override.State) bool { return string(s.Text) == text })
	}
	if st := f.State(); st.Force != override.ForceFile || get(t, cfg.Path) != text {
		t.Errorf("in the end %s is in force", st.Force)
	}
	if nothing && longest < 100*time.Millisecond {
		t.Error("a gap between deleting and making anew was taken for a deleted file")
	}
}

// A file that is deleted for good ends what it said; one that comes back breaks
// in nothing, and a broken one leaves the last good state in force.
func TestGoneBrokenAndBack(t *testing.T) {
	dir, cfg := home(t)
	put(t, cfg.Path, sample)
	f, changes, _ := watched(t, cfg)
	put(t, cfg.Path, sample[:100])
	st := await(t, changes, override.State.Broken)
	if st.Force != override.ForceLastGood || len(st.Config.Servers) != 2 {
		t.Errorf("broken: %+v", st)
	}
	if err := os.Remove(cfg.Path); err != nil {
		t.Fatal(err)
	}
	await(t, changes, func(s override.State) bool { return s.Force == override.ForceNothing && !s.Broken() })
	put(t, cfg.Path, sample)
	await(t, changes, func(s override.State) bool { return s.Force == override.ForceFile })
	// The whole folder goes and comes.
	if err := os.Rename(filepath.Dir(cfg.Path), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	await(t, changes, func(s override.State) bool { return s.Force == override.ForceNothing })
	if err := os.Mkdir(filepath.Dir(cfg.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, cfg.Path, sample)
	await(t, changes, func(s override.State) bool { return s.Force == override.ForceFile })
	put(t, cfg.Path, "{}")
	await(t, changes, func(s override.State) bool { return string(s.Text) == "{}" })
	// An edit of ours is no news from outside.
	if st, err := f.Edit(context.Background(), "", override.Set(`{"command":"x"}`, "servers", "x")); err != nil || len(st.Config.Servers) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}
