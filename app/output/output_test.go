package output_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/output"
)

const session = "0199f2c4-0000-7000-8000-000000000001"

func keep(t *testing.T, f *output.Files, session app.SessionID, pieces ...string) string {
	t.Helper()
	id, size, err := f.Keep(session, slices.Values(pieces))
	if err != nil || size != int64(len(strings.Join(pieces, ""))) {
		t.Fatalf("kept %d bytes, %v", size, err)
	}
	return id
}

func read(t *testing.T, f *output.Files, session app.SessionID, id string) string {
	t.Helper()
	file, err := f.Open(session, id)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func gone(t *testing.T, f *output.Files, session app.SessionID, id string) {
	t.Helper()
	if file, err := f.Open(session, id); app.ErrorCode(err) != app.CodeNotFound {
		file.Close()
		t.Errorf("output %s of %s: %v", id, session, err)
	}
}

func TestKeptWholeAndPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "outputs")
	f := output.New(dir)
	one, two := keep(t, f, session, "first ", "and second"), keep(t, f, session)
	if got := read(t, f, session, one); got != "first and second" {
		t.Errorf("got %q", got)
	}
	if got := read(t, f, session, two); got != "" {
		t.Errorf("got %q", got)
	}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Forget(session); err != nil {
		t.Fatal(err)
	}
	gone(t, f, session, one)
}

// Ids come from whoever calls the API.
func TestIDsAreNoPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := output.New(filepath.Join(dir, "outputs"))
	keep(t, f, session, "x")
	for _, id := range []string{"", ".", "..", "../secret", "../../secret", "a/b", "a\x00b", "..%2f", strings.Repeat("a", 65)} {
		gone(t, f, session, id)
		gone(t, f, id, "secret")
		if err := f.Forget(id); err == nil {
			t.Errorf("forgot %q", id)
		}
		if _, _, err := f.Keep(id, slices.Values([]string{"x"})); err == nil {
			t.Errorf("kept for %q", id)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "secret.txt")); err != nil {
		t.Error(err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	f := output.New(dir)
	if err := f.Prune(nil, time.Time{}); err != nil {
		t.Errorf("without any: %v", err)
	}
	const other = "0199f2c4-0000-7000-8000-000000000002"
	old, young, foreign := keep(t, f, session, "old"), keep(t, f, session, "young"), keep(t, f, other, "x")
	cut := filepath.Join(dir, session, "part-123")
	if err := os.WriteFile(cut, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-48 * time.Hour)
	writing := filepath.Join(dir, session, "part-456")
	if err := os.WriteFile(writing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, session, old+".txt"), cut} {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	known := func(id app.SessionID) bool { return id == session }
	if err := f.Prune(known, time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone(t, f, other, foreign)
	read(t, f, session, old)
	if _, err := os.Stat(cut); !os.IsNotExist(err) {
		t.Errorf("half a file is still there: %v", err)
	}
	if _, err := os.Stat(writing); err != nil {
		t.Errorf("a file that is being written: %v", err)
	}
	if err := f.Prune(known, time.Now().Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	gone(t, f, session, old)
	read(t, f, session, young)
}

// A disk that cannot take an output leaves nothing half.
func TestNothingHalfIsKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := output.New(filepath.Join(dir, "file")).Keep(session, slices.Values([]string{"x"})); err == nil {
		t.Error("kept below a file")
	}
}

// A fork reads what was kept of the session that it is a copy of, and keeps it
// when that one is forgotten; what is kept later is each one's own.
func TestShared(t *testing.T) {
	const fork = "0199f2c4-0000-7000-8000-000000000002"
	f := output.New(filepath.Join(t.TempDir(), "outputs"))
	if err := f.Share(session, fork); err != nil { // nothing is kept yet
		t.Fatal(err)
	}
	before := keep(t, f, session, "before")
	if err := f.Share(session, fork); err != nil {
		t.Fatal(err)
	}
	after := keep(t, f, session, "after")
	own := keep(t, f, fork, "own")
	gone(t, f, fork, after)
	gone(t, f, session, own)
	if err := f.Forget(session); err != nil {
		t.Fatal(err)
	}
	gone(t, f, session, before)
	if got := read(t, f, fork, before) + read(t, f, fork, own); got != "beforeown" {
		t.Errorf("the fork reads %q", got)
	}
}
