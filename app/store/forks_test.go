package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/store"
)

// long gives a session more events.
func long(ctx context.Context, db *store.DB, id app.SessionID, thousands int) error {
	facts := make([]app.Fact, 1000)
	for i := range facts {
		facts[i] = app.Fact{Type: app.EventMessageCompleted, Data: app.MessageText{MessageID: "m", Text: strings.Repeat("word ", 100)}}
	}
	for range thousands {
		if _, err := db.Append(ctx, id, facts...); err != nil {
			return err
		}
	}
	return nil
}

func fork(ctx context.Context, db *store.DB, from app.SessionID) (app.Session, error) {
	return db.CreateSession(ctx, app.Session{ID: newID(), Kind: app.KindDirect, ForkedFrom: from})
}

// While a long record is copied others write, and nobody sees a part of the copy.
func TestForkOfALongRecordIsSeenWhole(t *testing.T) {
	r, ctx := open(t), t.Context()
	origin, other := r.session(t), r.session(t)
	must(t, long(ctx, r.DB, origin.ID, 20))

	over := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			list, err := r.Sessions(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			for _, s := range list {
				if s.ForkedFrom != "" && (s.LastSeq != 20_001 || s.State != app.StateIdle) {
					t.Errorf("a fork shows up %s with %d events", s.State, s.LastSeq)
				}
			}
			if _, err := r.Append(ctx, other.ID, app.Fact{Type: app.EventNotice, Data: app.Notice{Text: "beside"}}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer beside.Wait()
	defer close(over)
	var copied app.Session
	between := 0
	for n := 0; n < 10 && between == 0; n++ { // the writer may sleep through one
		r.heard.take()
		var err error
		copied, err = fork(ctx, r.DB, origin.ID)
		must(t, err)
		// A row's number tells when it was written.
		between = rows(t, r.path, `SELECT count(*) FROM events WHERE session_id = '`+other.ID+`'
			AND rowid > (SELECT min(rowid) FROM events WHERE session_id = '`+copied.ID+`')
			AND rowid < (SELECT max(rowid) FROM events WHERE session_id = '`+copied.ID+`' AND seq <= 20000)`)
	}
	if between == 0 {
		t.Error("nobody else wrote while a long record was copied")
	}
	equal(t, copied.State, app.StateIdle)
	events, _, _, err := r.Events(ctx, copied.ID, 0, 19_990, 100)
	must(t, err)
	equal(t, len(events), 11)
	for i, e := range events {
		equal(t, e.Seq, int64(19_991+i))
	}
	equal(t, events[10].Type, app.EventSessionCreated)
	var told []app.EventType
	for _, e := range r.heard.take() {
		if e.SessionID == copied.ID {
			told = append(told, e.Type)
		}
	}
	equal(t, told, []app.EventType{app.EventSessionCreated})
}

// Nothing is left of a fork that fails: neither when the disk is full nor when
// what it copies is deleted meanwhile.
func TestForkThatFailsLeavesNothing(t *testing.T) {
	r, ctx := open(t), t.Context()
	origin := r.session(t)
	must(t, long(ctx, r.DB, origin.ID, 20))
	must(t, r.Checkpoint())
	pages, err := r.Pages()
	must(t, err)
	must(t, r.LimitPages(pages+pages/2))
	_, err = fork(ctx, r.DB, origin.ID)
	wantCode(t, err, app.CodeStorageFailed)
	must(t, r.LimitPages(0))
	equal(t, rows(t, r.path, "SELECT count(*) FROM sessions"), 1)
	equal(t, rows(t, r.path, "SELECT count(*) FROM events"), 20_001)

	for err == nil || app.ErrorCode(err) == app.CodeStorageFailed { // until the fork was not done before
		origin = r.session(t)
		must(t, long(ctx, r.DB, origin.ID, 20))
		before := rows(t, r.path, "SELECT count(*) FROM sessions")
		done := make(chan error, 1)
		go func() {
			_, err := fork(ctx, r.DB, origin.ID)
			done <- err
		}()
		for rows(t, r.path, "SELECT count(*) FROM sessions") == before { // until it has begun
		}
		must(t, r.DeleteSession(ctx, origin.ID))
		err = <-done
	}
	wantCode(t, err, app.CodeNotFound)
	equal(t, rows(t, r.path, "SELECT count(*) FROM sessions WHERE forked_from = '"+origin.ID+"'"), 0)
}

// rows is a count in the file, read past the store.
func rows(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	must(t, err)
	defer db.Close()
	must(t, db.QueryRow(query).Scan(&n))
	return n
}

const forkEnv = "PARLEY_TEST_FORK_DB"

// forkChild forks a session until it is killed. It reports whether this process
// is such a child.
func forkChild() bool {
	path := os.Getenv(forkEnv)
	if path == "" {
		return false
	}
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{Path: path})
	var origin app.Session
	if err == nil {
		origin, err = db.CreateSession(ctx, app.Session{ID: newID(), Kind: app.KindDirect})
	}
	if err == nil {
		err = long(ctx, db, origin.ID, 20)
	}
	fmt.Println(origin.ID)
	for err == nil {
		_, err = fork(ctx, db, origin.ID)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
	return true
}

// A kill in the middle of a fork leaves nothing of it once Parley starts again.
func TestKilledForkIsGone(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	const half = "SELECT count(*) FROM events WHERE session_id IN (SELECT id FROM sessions WHERE state = 'copying')"
	for killed := false; !killed; {
		path := filepath.Join(t.TempDir(), "parley.db")
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), forkEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if !bufio.NewScanner(out).Scan() {
			t.Fatal("the child does not fork")
		}
		for deadline := time.Now().Add(time.Minute); rows(t, path, half) == 0; {
			if time.Now().After(deadline) {
				t.Error("no fork was seen under way")
				break
			}
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // its end is the kill
		killed = t.Failed() || rows(t, path, half) > 0

		r, ctx := reopen(t, path, newClock()), t.Context()
		must(t, r.Recover(ctx))
		list, err := r.Sessions(ctx)
		must(t, err)
		equal(t, rows(t, path, "SELECT count(*) FROM sessions"), len(list))
		for _, s := range list {
			if s.ForkedFrom != "" {
				equal(t, s.LastSeq, int64(20_001))
			}
		}
		if n := rows(t, path, half); n != 0 {
			t.Errorf("%d events of half a fork are left", n)
		}
		equal(t, len(r.heard.types()), 0)
		must(t, r.Close())
	}
}
