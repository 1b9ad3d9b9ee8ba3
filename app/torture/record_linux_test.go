package torture_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/app/api"
)

// written is a home whose record holds one session that a real back end wrote.
func written(t *testing.T) (*home, app.SessionID) {
	t.Helper()
	h := newHome(t)
	p, err := h.serve("written")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	row, err := s.CreateSession(t.Context(), api.NewSession{Agent: "demo", Title: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	quit(t, p)
	return h, row.ID
}

func quit(t *testing.T, p *program) {
	t.Helper()
	if code, err := p.quit(); err != nil || code != 0 {
		t.Fatalf("quit: exit code %d, %v: %s", code, err, p.out)
	}
}

// sessions starts the back end and returns the titles of the sessions it has,
// and what it says was wrong.
func (h *home) sessions(t *testing.T) (titles []string, problems string) {
	t.Helper()
	p, err := h.serve("look")
	if err != nil {
		t.Fatal(err)
	}
	defer quit(t, p)
	s := h.client()
	defer s.close()
	list, err := s.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range list {
		titles = append(titles, row.Title)
	}
	about, err := s.About(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range about.Problems { // the terminal says what the page says
		if !strings.Contains(p.out.String(), problem) {
			t.Errorf("parley serve does not say: %s", problem)
		}
	}
	return titles, strings.Join(about.Problems, "\n")
}

// refused starts parley and returns the sentence with which it ends.
func (h *home) refused(t *testing.T, args ...string) string {
	t.Helper()
	p := h.start("refused", args...)
	code, err := p.code()
	if err != nil {
		t.Fatal(err)
	}
	if code != 1 {
		t.Errorf("exit code %d: %s", code, p.out)
	}
	return p.out.String()
}

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in what it says: %s", w, text)
		}
	}
	for _, w := range []string{"sqlite", "SQLITE", "goose", "Something went wrong", "errno"} {
		if strings.Contains(text, w) {
			t.Errorf("%q is no word for people: %s", w, text)
		}
	}
}

// A record that is damaged is kept aside as it was, and a new one begun; both
// are told in the page and in the terminal.
func TestDamagedRecord(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"its beginning is garbage": func(b []byte) []byte { copy(b, strings.Repeat("garbage ", 100)); return b },
		"cut to half":              func(b []byte) []byte { return b[:len(b)/2/4096*4096] },
		"cut in its first page":    func(b []byte) []byte { return b[:1000] },
		"another kind of file":     func([]byte) []byte { return bytes.Repeat([]byte("once upon a time\n"), 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := written(t)
			path := h.dirs.Database()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := spoil(data)
			if err := os.WriteFile(path, spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			titles, problems := h.sessions(t)
			wantWords(t, problems, "was damaged", "kept at", "a new one was begun")
			if len(titles) != 0 {
				t.Errorf("sessions: %v", titles)
			}
			aside := asides(h)
			if len(aside) != 1 || !strings.Contains(problems, aside[0]) {
				t.Fatalf("kept aside: %v", aside)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, spoiled) {
				t.Errorf("what was kept is not what there was: %v", err)
			}
			if _, problems := h.sessions(t); problems != "" {
				t.Errorf("the next start still says: %s", problems)
			}
		})
	}
}

// A log of writes that is missing or garbled costs what only it held, and no
// start; a garbled one is kept and told of.
func TestLogOfWrites(t *testing.T) {
	t.Parallel()
	h, id := written(t)
	p, err := h.serve("killed")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	for n := range 30 {
		title := fmt.Sprintf("title %d", n)
		if err := s.call(t.Context(), "PATCH", "/api/sessions/"+id, api.SessionChange{Title: &title}, nil); err != nil {
			t.Fatal(err)
		}
	}
	p.kill()
	path := h.dirs.Database()
	file, err1 := os.ReadFile(path)
	wal, err2 := os.ReadFile(path + "-wal")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	again := func(wal []byte) (titles []string, problems string) {
		t.Helper()
		err := errors.Join(os.WriteFile(path, file, 0o600), os.RemoveAll(path+"-wal"), os.RemoveAll(path+"-shm"))
		if wal != nil {
			err = errors.Join(err, os.WriteFile(path+"-wal", wal, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		return h.sessions(t)
	}
	if titles, problems := again(wal); problems != "" || len(titles) != 1 || titles[0] != "title 29" {
		t.Errorf("sound: %v, %s", titles, problems)
	}
	if titles, problems := again(nil); problems != "" || len(titles) != 1 || titles[0] != "kept" {
		t.Errorf("missing: %v, %s", titles, problems)
	}
	garbled := bytes.Clone(wal)
	garbled[len(garbled)/2] ^= 0xff
	titles, problems := again(garbled)
	wantWords(t, problems, "log of writes", "may be missing", "kept at")
	if len(titles) != 1 || !strings.HasPrefix(titles[0], "title ") {
		t.Errorf("garbled: %v", titles)
	}
	kept, _ := filepath.Glob(path + "-wal.damaged-*") // the pattern is good
	if len(kept) != 1 {
		t.Fatalf("kept: %v", kept)
	}
	if got, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(got, garbled) {
		t.Errorf("what was kept is not what there was: %v", err)
	}
}

// An older program refuses what a newer one wrote and leaves it as it is; the
// newer one copies the older record before it brings it up to date.
func TestTwoVersionsOfTheProgram(t *testing.T) {
	t.Parallel()
	h, _ := written(t)
	this := h.exe
	before, err := version(h.dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	h.exe = next(t)
	if titles, problems := h.sessions(t); len(titles) != 1 || problems != "" {
		t.Errorf("the newer one finds %v, and says %s", titles, problems)
	}
	for _, f := range copies(h) {
		t.Errorf("%s: %s", f.kind, f.text)
	}
	if found, _ := filepath.Glob(h.dirs.Database() + ".backup-*"); len(found) != 1 || !strings.HasSuffix(found[0], fmt.Sprintf("-v%d", before)) {
		t.Errorf("copies: %v", found)
	}
	file, err := os.ReadFile(h.dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	h.exe = this
	for _, args := range [][]string{{"serve"}, {"sessions", "list"}} {
		wantWords(t, h.refused(t, args...), "newer Parley", fmt.Sprint(nextVersion), "Start the newer Parley, or use another data folder")
	}
	if now, err := os.ReadFile(h.dirs.Database()); err != nil || !bytes.Equal(now, file) {
		t.Errorf("the older program has changed the newer record: %v", err)
	}
	h.exe = next(t)
	if titles, _ := h.sessions(t); len(titles) != 1 {
		t.Errorf("the newer one then finds %v", titles)
	}
}

// A record in which half of a migration was applied, by whatever hand, is left
// as it is, with a sentence that says what to do; mended, it goes on.
func TestHalfAppliedMigration(t *testing.T) {
	t.Parallel()
	h, _ := written(t)
	execute(t, h.dirs.Database(), "ALTER TABLE events ADD COLUMN tag TEXT NOT NULL DEFAULT ''")
	h.exe = next(t)
	for range 5 {
		wantWords(t, h.refused(t, "serve"), "could not be brought up to date", fmt.Sprint(nextVersion), "left as it is", "Start the Parley that you used before")
	}
	if found, _ := filepath.Glob(h.dirs.Database() + ".backup-*"); len(found) != 0 {
		t.Errorf("copies of a record that was not changed: %v", found)
	}
	execute(t, h.dirs.Database(), "ALTER TABLE events DROP COLUMN tag")
	if titles, problems := h.sessions(t); len(titles) != 1 || problems != "" {
		t.Errorf("mended: %v, %s", titles, problems)
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(context.Background(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
