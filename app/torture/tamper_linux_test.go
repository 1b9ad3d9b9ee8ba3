package torture_test

import (
	"database/sql"
	"maps"
	"slices"
	"testing"

	"parley/app"
	"parley/app/apptest"
)

// TestTheCheckFindsFaults tampers with a record as a bug would and has the check
// that judges every kill look at it: each fault must be found, and an untouched
// record must have none.
func TestTheCheckFindsFaults(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p, err := h.serve("tamper")
	if err != nil {
		t.Fatal(err)
	}
	s := h.client()
	defer s.close()
	ctx := t.Context()
	l := newLedger()
	sc := &scene{socket: s, ledger: l, program: p, tape: newTape()}
	go sc.follow(ctx)
	id, turn, err := sc.begin(ctx, "ask 2")
	if err != nil {
		t.Fatal(err)
	}
	in, err := sc.tape.asked(ctx, id, turn)
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.queue(ctx, id, "say queued"); err != nil {
		t.Fatal(err)
	}
	if err := sc.rename(ctx, id, "renamed"); err != nil {
		t.Fatal(err)
	}
	if _, err := sc.answer(ctx, app.Answer{InteractionID: in.ID, Status: app.StatusAnswered, Text: "the answer"}); err != nil {
		t.Fatal(err)
	}
	second, err := sc.tape.find(ctx, func(e app.Event) bool {
		d, ok := apptest.Data[app.Interaction](e)
		return ok && d.ID != in.ID
	})
	if err != nil {
		t.Fatal(err)
	}
	open, _ := apptest.Data[app.Interaction](second)
	if err := sc.draft(ctx, open, 3); err != nil {
		t.Fatal(err)
	}
	p.kill()

	if p, err = h.serve("tamper"); err != nil {
		t.Fatal(err)
	}
	for _, f := range check(ctx, s, l.copy()) {
		t.Errorf("an untouched record: %s: %s", f.kind, f.text)
	}
	db, err := sql.Open("sqlite3", "file:"+h.dirs.Database()+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	do := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("ATTACH ':memory:' AS sound")
	tables := []string{"sessions", "turns", "events", "interactions", "drafts"}
	for _, table := range tables {
		do("CREATE TABLE sound." + table + " AS SELECT * FROM main." + table)
	}
	for _, c := range []struct{ kind, statement string }{
		{gap, "DELETE FROM events WHERE seq = 3"},
		{gap, "UPDATE sessions SET last_seq = last_seq + 1"},
		{lost, "UPDATE events SET data = json_set(data, '$.text', 'other') WHERE type = 'turn.started'"},
		{lost, "UPDATE interactions SET outcome = json_set(outcome, '$.text', 'other') WHERE id = '" + in.ID + "'"},
		{lost, "DELETE FROM interactions WHERE id = '" + open.ID + "'"},
		{lost, "UPDATE interactions SET asked = json_set(asked, '$.question', 'other')"},
		{lost, "DELETE FROM drafts"},
		{lost, "UPDATE sessions SET title = 'other'"},
		{lost, "DELETE FROM turns WHERE state = 'queued'"},
		{lost, "DELETE FROM sessions"},
		{doubled, "INSERT INTO sessions SELECT 'another', " + columns(t, db, "sessions") + " FROM sessions"},
		{doubled, "UPDATE events SET data = (SELECT data FROM events WHERE type = 'clarify.resolved'), type = 'clarify.resolved' WHERE type = 'agent.started'"},
		{stuck, "UPDATE events SET type = 'unknown', data = '{}' WHERE type = 'turn.completed'"},
		{stuck, "UPDATE sessions SET state = 'running'"},
		{stuck, "UPDATE interactions SET part = 'waiting', reason = '', cause = '', outcome = '' WHERE id = '" + open.ID + "'"},
	} {
		do(c.statement)
		faults := check(ctx, s, l.copy())
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.kind == c.kind }) {
			t.Errorf("after %s, no %q is found but %v", c.statement, c.kind, faults)
		}
		for _, table := range tables {
			do("DELETE FROM main." + table)
			do("INSERT INTO main." + table + " SELECT * FROM sound." + table)
		}
	}
	for _, f := range check(ctx, s, l.copy()) {
		t.Errorf("the record put right again: %s: %s", f.kind, f.text)
	}
}

// columns are those of a table but for the first, its id.
func columns(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	var list string
	if err := db.QueryRow("SELECT group_concat(name, ', ') FROM pragma_table_info($1) WHERE cid > 0", table).Scan(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// copy is a ledger that a check may use up.
func (l *ledger) copy() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := newLedger()
	out.unheard = l.unheard
	for id, t := range l.sessions {
		c := *t
		c.seen = maps.Clone(t.seen)
		out.sessions[id] = &c
	}
	maps.Copy(out.cards, l.cards)
	return out
}
