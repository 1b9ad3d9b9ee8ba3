package store_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/app"
	"parley/app/store"
)

func tryOpen(t *testing.T, path string) (*store.DB, error) {
	t.Helper()
	return store.Open(t.Context(), store.Config{Path: path, Now: newClock().now, Log: slog.New(slog.DiscardHandler)})
}

func TestFullDisk(t *testing.T) {
	r, ctx := open(t), t.Context()
	s, turn := r.running(t)
	in := r.ask(t, s.ID, turn, app.KindClarify)
	pages, err := r.Pages()
	must(t, err)
	must(t, r.LimitPages(pages))
	before := r.view(t, s.ID)
	r.heard.take()

	long := app.Fact{Type: app.EventMessageCompleted, Data: app.MessageText{Text: strings.Repeat("x", 1<<20)}}
	_, err = r.Append(ctx, s.ID, long)
	wantCode(t, err, app.CodeStorageFailed)
	if m := app.ErrorMessage(err); !strings.Contains(m, "disk is full") {
		t.Errorf("the message says %q", m)
	}
	equal(t, len(r.heard.take()), 0) // what isn't stored isn't told
	equal(t, r.view(t, s.ID), before)
	got, err := r.Interaction(ctx, in.ID)
	must(t, err)
	equal(t, got.Waiting(), true)

	must(t, r.LimitPages(0))
	seq, err := r.Append(ctx, s.ID, long)
	must(t, err)
	equal(t, seq, before.LastSeq+1) // no number was used up
}

// lock takes the file as another program would and returns how to let go.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate")
	must(t, err)
	tx, err := other.Begin()
	must(t, err)
	return func() {
		must(t, tx.Rollback())
		must(t, other.Close())
	}
}

func TestLockedByAnotherProgram(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	notice := app.Fact{Type: app.EventNotice, Data: app.Notice{}}

	// One that lets go after a while is waited for.
	release := lock(t, r.path)
	done := make(chan error)
	go func() {
		_, err := r.Append(ctx, s.ID, notice)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("a write went through a lock: %v", err)
	case <-time.After(1500 * time.Millisecond): // longer than SQLite itself waits
	}
	equal(t, r.view(t, s.ID).LastSeq, int64(1)) // readers are not held up
	release()
	must(t, <-done)
	equal(t, r.view(t, s.ID).LastSeq, int64(2))

	// One that doesn't is named.
	r.SetPatience(0)
	release = lock(t, r.path)
	_, err := r.Append(ctx, s.ID, notice)
	wantCode(t, err, app.CodeStorageFailed)
	if m := app.ErrorMessage(err); !strings.Contains(m, "locked") || !strings.Contains(m, "Close that program") {
		t.Errorf("the message says %q", m)
	}
	release()
	_, err = r.Append(ctx, s.ID, notice)
	must(t, err)
}

func TestClosingDoesNotWaitForALock(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	release := lock(t, r.path)
	defer release()
	r.SetPatience(time.Hour)
	done := make(chan error, 1)
	go func() {
		_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{}})
		done <- err
	}()
	must(t, r.Close())
	if code := app.ErrorCode(<-done); code != app.CodeStorageFailed && code != app.CodeUnavailable {
		t.Errorf("a write that could not be done ended with %q", code)
	}
}

func TestDamagedFileIsKeptAside(t *testing.T) {
	junk := []byte(strings.Repeat("this is no database. ", 500))
	for name, prepare := range map[string]func(t *testing.T, path string){
		"garbage": func(t *testing.T, path string) { must(t, os.WriteFile(path, junk, 0o600)) },
		"short":   func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("SQLite for"), 0o600)) },
		"cut to nothing beside its log": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, nil, 0o600))
			must(t, os.WriteFile(path+"-wal", junk, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "parley.db")
			prepare(t, path)
			before := contents(t, path)
			r := reopen(t, path, newClock())
			aside := r.KeptAside()
			if aside == "" || filepath.Dir(aside) != filepath.Dir(path) {
				t.Fatalf("kept aside: %q", aside)
			}
			equal(t, contents(t, aside), before)
			r.session(t) // the new record works

			// A second damage in the same second doesn't overwrite the first.
			must(t, r.Close())
			for _, suffix := range []string{"", "-wal", "-shm"} {
				must(t, os.RemoveAll(path+suffix))
			}
			prepare(t, path)
			again := reopen(t, path, newClock())
			if second := again.KeptAside(); second == "" || second == aside {
				t.Errorf("kept aside again: %q, before %q", second, aside)
			}
			equal(t, contents(t, aside), before)
		})
	}
}

// contents reads a file with its log of writes.
func contents(t *testing.T, path string) [2]string {
	t.Helper()
	file, err := os.ReadFile(path)
	must(t, err)
	wal, err := os.ReadFile(path + "-wal")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return [2]string{string(file), string(wal)}
}

// TestDamageInUse breaks pages in the middle of the file, which opening it
// doesn't notice: using it must, and the next start must then look closely.
func TestDamageInUse(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	for range 200 {
		_, err := r.Append(ctx, s.ID, app.Fact{Type: app.EventMessageCompleted, Data: app.MessageText{Text: strings.Repeat("y", 3000)}})
		must(t, err)
	}
	must(t, r.Close())
	data, err := os.ReadFile(r.path)
	must(t, err)
	const page = 4096
	for i := 40 * page; i < len(data); i++ {
		data[i] = 0xA5
	}
	must(t, os.WriteFile(r.path, data, 0o600))

	r = reopen(t, r.path, r.clock)
	equal(t, r.KeptAside(), "")
	_, _, _, err = r.Events(ctx, s.ID, 0, 0, 0)
	wantCode(t, err, app.CodeStorageFailed)
	if m := app.ErrorMessage(err); !strings.Contains(m, "damaged") {
		t.Errorf("the message says %q", m)
	}
	must(t, r.Close())
	broken, err := os.ReadFile(r.path)
	must(t, err)

	r = reopen(t, r.path, r.clock)
	kept, err := os.ReadFile(r.KeptAside())
	must(t, err)
	equal(t, bytes.Equal(kept, broken), true)
	r.session(t)
	must(t, r.Close())
	r = reopen(t, r.path, r.clock)
	equal(t, r.KeptAside(), "") // the new one is not suspected
}

func TestUnusablePaths(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	for name, path := range map[string]string{
		"no folder":       filepath.Join(dir, "nowhere", "parley.db"),
		"below a file":    filepath.Join(dir, "file", "parley.db"),
		"folder for file": filepath.Join(dir, "folder"),
	} {
		_, err := tryOpen(t, path)
		if app.ErrorCode(err) != app.CodeStorageFailed || !strings.Contains(app.ErrorMessage(err), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere, so no folder is read-only for it")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	_, err := tryOpen(t, filepath.Join(dir, "parley.db"))
	wantCode(t, err, app.CodeStorageFailed)
	if m := app.ErrorMessage(err); !strings.Contains(m, "writable") {
		t.Errorf("the message says %q", m)
	}
}

func TestStrangeFolderNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?mode=ro#x%41;问")
	must(t, os.Mkdir(dir, 0o700))
	r := reopen(t, filepath.Join(dir, "parley.db"), newClock())
	s := r.session(t)
	must(t, r.Close())
	entries, err := os.ReadDir(dir)
	must(t, err)
	equal(t, len(entries), 1)
	r = reopen(t, r.path, r.clock)
	equal(t, r.view(t, s.ID).ID, s.ID)
}

func TestFileIsPrivate(t *testing.T) {
	r := open(t)
	r.session(t)
	entries, err := os.ReadDir(filepath.Dir(r.path))
	must(t, err)
	if len(entries) < 2 {
		t.Fatalf("expected the file and its log, found %v", entries)
	}
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
}

func TestNewerRecordIsLeftAlone(t *testing.T) {
	r := open(t)
	r.session(t)
	must(t, r.MigrateTo(t.Context(), later(t, next+4), r.clock.now()))
	must(t, r.Close())
	before := contents(t, r.path)
	_, err := tryOpen(t, r.path)
	wantCode(t, err, app.CodeStorageNewer)
	if m := app.ErrorMessage(err); !strings.Contains(m, "newer Parley") || !strings.Contains(m, strconv.Itoa(next+4)) {
		t.Errorf("the message says %q", m)
	}
	equal(t, contents(t, r.path), before)
}

// next is the first version that doesn't exist yet.
var next = func() int {
	_, newest, err := store.Migrations()
	if err != nil {
		panic(err)
	}
	return newest + 1
}()

// later is the migrations up to a version that doesn't exist yet.
func later(t *testing.T, version int) fstest.MapFS {
	t.Helper()
	files, _, err := store.Migrations()
	must(t, err)
	fs := fstest.MapFS{}
	for name, data := range files {
		fs[name] = &fstest.MapFile{Data: data}
	}
	for v := next; v <= version; v++ {
		fs[file(v)] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- +goose Up\nCREATE TABLE later%d (id TEXT) STRICT;\n", v)}
	}
	return fs
}

// file is the name of a later migration, suffix the end of a copy's name.
func file(version int) string   { return fmt.Sprintf("%05d_x.sql", version) }
func suffix(version int) string { return fmt.Sprintf("-v%d", version) }

func TestMigrationKeepsCopies(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	for v := next; v <= next+4; v++ {
		r.clock.add(time.Minute)
		must(t, r.MigrateTo(ctx, later(t, v), r.clock.now()))
	}
	must(t, r.MigrateTo(ctx, later(t, next+4), r.clock.now())) // nothing to do, no copy
	copies, err := filepath.Glob(r.path + ".backup-*")
	must(t, err)
	if len(copies) != 3 || !strings.HasSuffix(copies[0], suffix(next+1)) || !strings.HasSuffix(copies[2], suffix(next+3)) {
		t.Fatalf("copies: %v", copies)
	}
	// A copy is a whole record of its version.
	db, err := sql.Open("sqlite3", "file:"+copies[0]+"?mode=ro")
	must(t, err)
	defer db.Close()
	var id string
	must(t, db.QueryRow("SELECT id FROM sessions").Scan(&id))
	equal(t, id, s.ID)
	var version int
	must(t, db.QueryRow("SELECT max(version_id) FROM goose_db_version").Scan(&version))
	equal(t, version, next+1)
	info, err := os.Stat(copies[0])
	must(t, err)
	equal(t, info.Mode().Perm(), 0o600)
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	r, ctx := open(t), t.Context()
	s := r.session(t)
	bad := later(t, next+1)
	bad[file(next+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (id TEXT) STRICT;\nCREATE TABEL nonsense;\n")}
	err := r.MigrateTo(ctx, bad, r.clock.now())
	wantCode(t, err, app.CodeStorageFailed)
	must(t, r.MigrateTo(ctx, later(t, next+1), r.clock.now())) // mended, it goes on where it stood
	equal(t, r.view(t, s.ID).ID, s.ID)
}

func TestTestsMayNotOpenARealRecord(t *testing.T) {
	home := t.TempDir()
	temp := filepath.Join(home, "tmp")
	must(t, os.Mkdir(temp, 0o700))
	t.Setenv("TMPDIR", temp)
	for _, path := range []string{filepath.Join(home, "parley.db"), filepath.Join(temp, "..", "parley.db"), "parley.db"} {
		db, err := store.Open(t.Context(), store.Config{Path: path})
		if err == nil {
			db.Close()
			t.Errorf("a test opened %s", path)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("a test made %s", path)
		}
	}
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(temp, "parley.db")})
	must(t, err)
	must(t, db.Close())
}

func TestSoundFileLosesItsMark(t *testing.T) {
	r := open(t)
	s := r.session(t)
	must(t, r.Close())
	must(t, os.WriteFile(r.path+".check", nil, 0o600))
	r = reopen(t, r.path, r.clock)
	equal(t, r.view(t, s.ID).ID, s.ID)
	if _, err := os.Stat(r.path + ".check"); !os.IsNotExist(err) {
		t.Errorf("the mark is still there: %v", err)
	}
}
