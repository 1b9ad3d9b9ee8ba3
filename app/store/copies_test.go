package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/app"
)

// copies are the names of the copies from before migrations.
func (r *record) copies(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(r.path + ".backup-*")
	must(t, err)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], r.path+".backup-")
	}
	return found
}

// A clock that was set back makes a copy look old: it is the newest all the
// same, and the one just made is never removed.
func TestNewestCopyIsKeptWhateverTheClockSays(t *testing.T) {
	r, ctx := open(t), t.Context()
	for v := next; v <= next+4; v++ {
		must(t, r.MigrateTo(ctx, later(t, v), r.clock.now()))
		r.clock.add(-72 * time.Hour)
	}
	for i, name := range r.copies(t) { // sorted by time, so the newest comes first
		if want := suffix(next + 3 - i); !strings.HasSuffix(name, want) {
			t.Errorf("copy %d is %s, want one of version %s", i, name, want)
		}
	}
	equal(t, len(r.copies(t)), 3)
	must(t, r.Prune(1))
	equal(t, len(r.copies(t)), 1)
	if name := r.copies(t)[0]; !strings.HasSuffix(name, suffix(next+3)) {
		t.Errorf("of all copies %s was kept", name)
	}
}

func TestCutOffCopiesAreRemoved(t *testing.T) {
	r := open(t)
	foreign := r.path + ".backup-of-mine"
	for _, path := range []string{r.path + ".backup-20260101T000000-v1.part", r.path + ".backup-20260101T000000-v1.part-journal", foreign} {
		must(t, os.WriteFile(path, nil, 0o600))
	}
	must(t, r.MigrateTo(t.Context(), later(t, next), r.clock.now()))
	equal(t, len(r.copies(t)), 2)
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file that is none of ours: %v", err)
	}
}

// A start that fails again and again must not push the good copies out.
func TestFailedMigrationLeavesNoCopy(t *testing.T) {
	r, ctx := open(t), t.Context()
	must(t, r.MigrateTo(ctx, later(t, next), r.clock.now()))
	before := r.copies(t)
	bad := later(t, next+1)
	bad[file(next+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABEL nonsense;\n")}
	for range 4 {
		r.clock.add(time.Minute)
		err := r.MigrateTo(ctx, bad, r.clock.now())
		wantCode(t, err, app.CodeStorageFailed)
		if m := app.ErrorMessage(err); !strings.Contains(m, "left as it is") || !strings.Contains(m, "used before") {
			t.Errorf("the message says %q", m)
		}
	}
	equal(t, r.copies(t), before)

	// When the first of two steps worked, the copy from before is what is left to
	// go back to.
	half := later(t, next+2)
	half[file(next+2)] = bad[file(next+1)]
	err := r.MigrateTo(ctx, half, r.clock.now())
	after := r.copies(t)
	equal(t, len(after), len(before)+1)
	if m := app.ErrorMessage(err); !strings.Contains(m, after[len(after)-1]) {
		t.Errorf("the message says %q", m)
	}
}

// TestGarbledLog breaks the log of writes that a crash left: SQLite goes on with
// what comes before the break and says nothing, so Parley has to.
func TestGarbledLog(t *testing.T) {
	for name, spoil := range map[string]func(wal []byte) []byte{
		"sound":           func(wal []byte) []byte { return wal },
		"torn at its end": func(wal []byte) []byte { return wal[:len(wal)-1000] },
		"no header":       func(wal []byte) []byte { copy(wal, strings.Repeat("?", 32)); return wal },
		"in its midst":    func(wal []byte) []byte { wal[len(wal)/2] ^= 0xff; return wal },
	} {
		t.Run(name, func(t *testing.T) {
			r, ctx := open(t), t.Context()
			s := r.session(t)
			for range 50 {
				_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: strings.Repeat("n", 500)}})
				must(t, err)
			}
			path := filepath.Join(t.TempDir(), "parley.db") // as a crash leaves it
			file, err := os.ReadFile(r.path)
			must(t, err)
			wal, err := os.ReadFile(r.path + "-wal")
			must(t, err)
			wal = spoil(wal)
			must(t, os.WriteFile(path, file, 0o600))
			must(t, os.WriteFile(path+"-wal", wal, 0o600))

			again := reopen(t, path, r.clock)
			equal(t, again.KeptAside(), "")
			want := name == "no header" || name == "in its midst"
			if kept := again.KeptLog(); (kept != "") != want {
				t.Fatalf("kept %q", kept)
			} else if want {
				got, err := os.ReadFile(kept)
				must(t, err)
				equal(t, bytes.Equal(got, wal), true)
			}
			got, err := again.Sessions(ctx)
			must(t, err)
			if name == "sound" {
				equal(t, got[0].LastSeq, int64(51))
			}
			if len(got) == 0 {
				return // all of it lay in the log
			}
			events, through, _, err := again.Events(ctx, s.ID, 0, 0, 1000)
			must(t, err)
			equal(t, int64(len(events)), through) // a whole beginning, without a gap
		})
	}
}
