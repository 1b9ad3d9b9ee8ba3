package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/mattn/go-sqlite3" // to leave a file as a killed writer does

	"parley/app"
	"parley/app/store"
)

const crashEnv = "PARLEY_TEST_CRASH_DB"

// crashChild writes events until it is killed and says which are committed. It
// reports whether this process is such a child.
func crashChild() bool {
	path := os.Getenv(crashEnv)
	if path == "" {
		return false
	}
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s, err := db.CreateSession(ctx, app.Session{ID: newID(), Kind: app.KindDirect})
	for err == nil {
		var seq int64
		seq, err = db.Append(ctx, s.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: "still here"}})
		fmt.Println(s.ID, seq)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
	return true
}

// TestKillLosesNothingCommitted kills a writing process at different moments:
// whatever it was told is committed must be there afterwards.
func TestKillLosesNothingCommitted(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	path := filepath.Join(t.TempDir(), "parley.db")
	for round, lines := range []int{1, 2, 10, 50, 200} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), crashEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		var session string
		var seq int64
		in := bufio.NewScanner(out)
		for n := 0; n < lines && in.Scan(); n++ {
			_, err := fmt.Sscan(in.Text(), &session, &seq)
			must(t, err)
		}
		must(t, cmd.Process.Kill())
		for in.Scan() { // committed between our last look and the kill
			_, err := fmt.Sscan(in.Text(), &session, &seq)
			must(t, err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		if seq < int64(lines) {
			t.Fatalf("round %d: the child wrote up to %d only", round, seq)
		}

		r := reopen(t, path, newClock())
		if aside := r.KeptAside(); aside != "" {
			t.Fatalf("round %d: a killed writer's record was taken for damaged: %s", round, aside)
		}
		s := r.view(t, session)
		if s.LastSeq < seq {
			t.Errorf("round %d: committed up to %d, found %d", round, seq, s.LastSeq)
		}
		events, through, _, err := r.Events(t.Context(), session, 0, 0, 1)
		must(t, err)
		if len(events) != 1 || events[0].Seq != through || through != s.LastSeq {
			t.Errorf("round %d: the newest event is %+v, the session says %d", round, events, s.LastSeq)
		}
		must(t, r.Close())
	}
}

// TestKilledWithAJournal opens what a kill leaves while SQLite still keeps old
// pages in a journal, as in the first moments of a new record: the cut-off
// transaction is undone, and nothing is taken for damaged or unwritable.
func TestKilledWithAJournal(t *testing.T) {
	r := open(t)
	s := r.session(t)
	must(t, r.Close())
	db, err := sql.Open("sqlite3", "file:"+r.path)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	// A cache of one page makes SQLite write pages of the open transaction into
	// the file, after it has put the old ones into the journal.
	for _, statement := range []string{
		"PRAGMA journal_mode=DELETE", "PRAGMA cache_size=1", "BEGIN IMMEDIATE",
		"UPDATE sessions SET title = hex(randomblob(2000))",
		"CREATE TABLE cut_off (x)", "INSERT INTO cut_off SELECT hex(randomblob(200000))",
	} {
		_, err := db.Exec(statement)
		must(t, err)
	}
	killed := filepath.Join(t.TempDir(), "parley.db")
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(r.path + suffix)
		must(t, err)
		must(t, os.WriteFile(killed+suffix, data, 0o600))
	}

	after := reopen(t, killed, newClock())
	if aside := after.KeptAside(); aside != "" {
		t.Errorf("it was taken for damaged: %s", aside)
	}
	if got := after.view(t, s.ID); got.Title != s.Title {
		t.Errorf("the title is %.20q, the one before was %q", got.Title, s.Title)
	}
	if _, err := os.Stat(killed + "-journal"); err == nil {
		t.Error("the journal is still there")
	}
}
