package torture_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/app/api"
)

// nextVersion is the schema of a Parley that does not exist yet.
const nextVersion = 90001

// nextMigration is what brings a record up to it. It rewrites every event, so
// that a kill finds it at work.
const nextMigration = `-- +goose Up
ALTER TABLE events ADD COLUMN tag TEXT NOT NULL DEFAULT '';
UPDATE events SET tag = type || length(data);
CREATE INDEX events_by_tag ON events (tag);
CREATE TABLE later (id TEXT NOT NULL PRIMARY KEY) STRICT;
`

// nextDir holds that Parley; TestMain removes it.
var nextDir = filepath.Join(os.TempDir(), fmt.Sprintf("parley-next-%d", os.Getpid()))

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(nextDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// buildNext builds that Parley: this one with one more migration laid over its
// sources.
var buildNext = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	if err := os.Mkdir(nextDir, 0o700); err != nil {
		return "", err
	}
	migration := filepath.Join(nextDir, "migration.sql")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "app", "store", "migrations", fmt.Sprintf("%d_next.sql", nextVersion)): migration,
	}})
	if err != nil {
		return "", err
	}
	files := map[string]string{migration: nextMigration, filepath.Join(nextDir, "overlay.json"): string(overlay)}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	exe := filepath.Join(nextDir, "parley")
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(nextDir, "overlay.json"), "-o", exe, "./app/parley")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the next parley: %w\n%s", err, out)
	}
	return exe, nil
})

// next is the path of the next parley.
func next(t testing.TB) string {
	t.Helper()
	exe, err := buildNext()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// older is a record that this Parley wrote, with what its client saw of it.
type older struct {
	file []byte
	seen map[app.SessionID]map[int64]string
}

// oldEvents is how many events the older record holds, of about 1 KiB each.
const oldEvents = 6000

// writeOlder has the real program write a record and fills it up.
func writeOlder(t *testing.T) older {
	t.Helper()
	h := newHome(t)
	p, err := h.serve("older")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	row, err := s.CreateSession(t.Context(), api.NewSession{Agent: "demo", Fast: true, Title: "older"})
	if err != nil {
		t.Fatal(err)
	}
	if code, err := p.quit(); err != nil || code != 0 {
		t.Fatalf("quit: %d, %v", code, err)
	}
	fill(t, h.dirs.Database(), row.ID, oldEvents)
	if p, err = h.serve("older"); err != nil {
		t.Fatal(err)
	}
	l := newLedger()
	l.talkLocked(row.ID)
	if faults := check(t.Context(), s, l); len(faults) > 0 {
		t.Fatalf("the record to start from: %v", faults)
	}
	if code, err := p.quit(); err != nil || code != 0 {
		t.Fatalf("quit: %d, %v", code, err)
	}
	o := older{seen: map[app.SessionID]map[int64]string{row.ID: l.sessions[row.ID].seen}}
	if o.file, err = os.ReadFile(h.dirs.Database()); err != nil {
		t.Fatal(err)
	}
	return o
}

// fill adds messages to a session of a record that nobody uses.
func fill(t testing.TB, path string, id app.SessionID, n int) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO events (session_id, seq, at_ms, turn_id, type, data)
		SELECT id, last_seq + i, created_ms + i, '', 'message.completed',
		       json_object('message_id', 'm' || i, 'text', hex(randomblob(400))) FROM n, sessions WHERE id = $1`, n),
		fmt.Sprintf(`UPDATE sessions SET last_seq = last_seq + %d WHERE id = $1`, n),
	} {
		if _, err := db.Exec(statement, id); err != nil {
			t.Fatal(err)
		}
	}
}

// migrate kills the next parley while it brings a copy of an older record up to
// date; the start after that must find everything, and a whole copy from before.
func (w *worker) migrate(p point) {
	if w.older.file == nil {
		w.older = writeOlder(w.t)
		w.took = time.Second
	}
	h := newHome(w.t)
	h.exe = next(w.t)
	if err := os.WriteFile(h.dirs.Database(), w.older.file, 0o600); err != nil {
		w.t.Fatal(err)
	}
	program := h.start(mark(p), "serve")
	pause(time.Duration(p.share * float64(w.took)))
	w.end(program, p)

	program, err := h.serve("after-" + mark(p))
	if err != nil {
		w.tally.fault(w.t, p, fault{dead, err.Error()})
		return
	}
	w.took = (3*w.took + time.Since(program.began)) / 4
	w.tally.restarted(time.Since(program.began))
	s := h.client()
	defer s.close()
	l := newLedger()
	for id, seen := range w.older.seen {
		l.talkLocked(id).seen = maps.Clone(seen)
	}
	faults := check(context.Background(), s, l)
	program.kill()
	if _, err := program.gone(); err != nil {
		faults = append(faults, fault{left, err.Error()})
	}
	for _, f := range append(faults, copies(h)...) {
		w.tally.fault(w.t, p, f)
	}
}

// copies checks that there is a whole copy from before the migration, and none
// that is not whole.
func copies(h *home) (faults []fault) {
	found, _ := filepath.Glob(h.dirs.Database() + ".backup-*") // the pattern is good
	if len(found) == 0 {
		return []fault{{lost, "no copy from before the migration"}}
	}
	for _, path := range found {
		if strings.Contains(path, ".part") {
			continue // one that was cut off, and says so
		}
		if err := sound(path); err != nil {
			faults = append(faults, fault{lost, "the copy from before: " + err.Error()})
		}
		if v, err := version(path); err != nil || v >= nextVersion {
			faults = append(faults, fault{lost, fmt.Sprintf("the copy from before is of version %d, %v", v, err)})
		}
	}
	return faults
}

// version is the schema of a record that nobody uses.
func version(path string) (v int64, err error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return v, db.QueryRow("SELECT max(version_id) FROM goose_db_version").Scan(&v)
}
