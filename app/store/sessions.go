package store

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/app"
	"parley/app/store/sqlgen"
)

const noSession = "There is no such session."

// CreateSession stores a new session and emits session.created. Its id must be
// set; a CreatedAt of 0 becomes now. A fork begins with copies of what the other
// session's events tell of the conversation; its session.created comes after them.
func (d *DB) CreateSession(ctx context.Context, s app.Session) (out app.Session, err error) {
	if s.ForkedFrom != "" {
		return d.createFork(ctx, s)
	}
	err = d.update(ctx, func(t *tx) error {
		if err := t.insertSession(s); err != nil {
			return err
		}
		out, err = t.emitSession(s.ID, app.EventSessionCreated)
		return err
	})
	return out, err
}

func (t *tx) insertSession(s app.Session) error {
	if s.CreatedAt == 0 {
		s.CreatedAt = t.now
	}
	return t.InsertSession(t.ctx, sqlgen.InsertSessionParams{
		ID: s.ID, Title: text(s.Title), Kind: s.Kind, Agent: text(s.Agent), Profile: text(s.Profile), Cwd: text(s.Cwd),
		Branch: text(s.Branch), Model: text(s.Model), Effort: text(s.Effort), Mode: text(s.Mode), State: storedState(s.State),
		NativeID: text(s.NativeID), Live: s.Live, Closed: s.Closed, LastStatus: s.LastStatus,
		CreatedMs: s.CreatedAt, UpdatedMs: t.now, ForkedFrom: s.ForkedFrom, ForkNative: text(s.ForkNative),
	})
}

// UpdateSession applies change to the stored row and emits session.updated.
// change runs inside the transaction and must not call out; what is derived
// (waiting, queue, numbers, times) can't be changed by it.
func (d *DB) UpdateSession(ctx context.Context, id app.SessionID, change func(*app.Session)) (out app.Session, err error) {
	err = d.update(ctx, func(t *tx) error {
		row, err := t.row(id)
		if err != nil {
			return err
		}
		s := fromRow(row)
		change(&s)
		if err := t.setSession(id, s); err != nil {
			return err
		}
		out, err = t.emitSession(id, app.EventSessionUpdated)
		return err
	})
	return out, err
}

// DeleteSession forgets a session with all that belongs to it and emits
// session.deleted.
func (d *DB) DeleteSession(ctx context.Context, id app.SessionID) error {
	return d.update(ctx, func(t *tx) error {
		row, err := t.row(id)
		if err != nil {
			return err
		}
		if err := t.Queries.DeleteSession(t.ctx, id); err != nil {
			return err
		}
		// The last event of a session has a number though nothing is left to
		// hold it: a client must not miss it.
		t.events = append(t.events, app.Event{
			Seq: row.LastSeq + 1, At: t.now, SessionID: id, Type: app.EventSessionDeleted, Data: app.SessionDeleted{},
		})
		return nil
	})
}

// Session returns one session as clients see it.
func (d *DB) Session(ctx context.Context, id app.SessionID) (s app.Session, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		s, err = session(ctx, q, id)
		return err
	})
	return s, err
}

// Sessions returns all sessions as clients see them, newest first.
func (d *DB) Sessions(ctx context.Context) (list []app.Session, err error) {
	err = d.query(ctx, func(q *sqlgen.Queries) error {
		list, err = sessions(ctx, q)
		return err
	})
	return list, err
}

func (t *tx) row(id app.SessionID) (sqlgen.Session, error) {
	row, err := t.GetSession(t.ctx, id)
	return row, orNotFound(err, noSession)
}

func (t *tx) setSession(id app.SessionID, s app.Session) error {
	return t.Queries.UpdateSession(t.ctx, sqlgen.UpdateSessionParams{
		ID: id, Title: text(s.Title), Kind: s.Kind, Agent: text(s.Agent), Profile: text(s.Profile), Cwd: text(s.Cwd),
		Branch: text(s.Branch), Model: text(s.Model), Effort: text(s.Effort), Mode: text(s.Mode), State: storedState(s.State),
		NativeID: text(s.NativeID), Live: s.Live, Closed: s.Closed, LastStatus: s.LastStatus, ForkNative: text(s.ForkNative),
	})
}

// emitSession emits the session as it is now, changed now.
func (t *tx) emitSession(id app.SessionID, typ app.EventType) (app.Session, error) {
	return t.emitSessionAt(id, typ, t.now)
}

// emitSessionAt emits the session as it is now, changed at a time.
func (t *tx) emitSessionAt(id app.SessionID, typ app.EventType, at int64) (app.Session, error) {
	if err := t.TouchSession(t.ctx, sqlgen.TouchSessionParams{Now: at, ID: id}); err != nil {
		return app.Session{}, err
	}
	s, err := session(t.ctx, t.Queries, id)
	if err != nil {
		return app.Session{}, err
	}
	s.LastSeq++ // this event's own
	_, err = t.emit(id, app.Fact{Type: typ, Data: s})
	return s, err
}

// storedState is the state without what is derived from open interactions.
func storedState(s app.SessionState) app.SessionState {
	switch s {
	case app.StateWaiting:
		return app.StateRunning
	case "":
		return app.StateIdle
	}
	return s
}

// fromRow is the session without what other tables tell about it.
func fromRow(r sqlgen.Session) app.Session {
	return app.Session{
		ID: r.ID, Title: r.Title, Kind: r.Kind, Agent: r.Agent, Profile: r.Profile, Cwd: r.Cwd, Branch: r.Branch,
		Model: r.Model, Effort: r.Effort, Mode: r.Mode, State: r.State, NativeID: r.NativeID, Live: r.Live, Closed: r.Closed,
		ForkedFrom: r.ForkedFrom, ForkNative: r.ForkNative,
		CreatedAt: r.CreatedMs, UpdatedAt: r.UpdatedMs, LastSeq: r.LastSeq, LastStatus: r.LastStatus, Queued: []app.Queued{},
	}
}

// view adds what clients see and no row holds: that a person is waited for, and
// the queue. This is the one place where it is decided.
func view(r sqlgen.Session, waits sqlgen.GetWaitRow, queued []sqlgen.Turn) app.Session {
	s := fromRow(r)
	s.WaitingFor, s.WaitingSince = int(waits.N), waits.Since
	if waits.N > 0 && s.State == app.StateRunning {
		s.State = app.StateWaiting
	}
	held := waits.Forms > 0 ||
		s.State == app.StateIdle && (s.LastStatus == app.TurnFailed || s.LastStatus == app.TurnInterrupted || s.LastStatus == app.TurnDeferred)
	for _, t := range queued {
		s.Queued = append(s.Queued, app.Queued{TurnID: t.ID, Text: t.Text, Held: held})
	}
	return s
}

func session(ctx context.Context, q *sqlgen.Queries, id app.SessionID) (app.Session, error) {
	row, err := q.GetSession(ctx, id)
	if err != nil {
		return app.Session{}, orNotFound(err, noSession)
	}
	waits, err := q.GetWait(ctx, id)
	if err != nil {
		return app.Session{}, err
	}
	queued, err := q.ListQueued(ctx, id)
	if err != nil {
		return app.Session{}, err
	}
	return view(row, waits, queued), nil
}

func sessions(ctx context.Context, q *sqlgen.Queries) ([]app.Session, error) {
	rows, err := q.ListSessions(ctx)
	if err != nil {
		return nil, err
	}
	waitRows, err := q.ListWaits(ctx)
	if err != nil {
		return nil, err
	}
	waits := make(map[app.SessionID]sqlgen.GetWaitRow, len(waitRows))
	for _, w := range waitRows {
		waits[w.SessionID] = sqlgen.GetWaitRow{N: w.N, Since: w.Since, Forms: w.Forms}
	}
	turns, err := q.ListAllQueued(ctx)
	if err != nil {
		return nil, err
	}
	queued := map[app.SessionID][]sqlgen.Turn{}
	for _, t := range turns {
		queued[t.SessionID] = append(queued[t.SessionID], t)
	}
	list := make([]app.Session, 0, len(rows))
	for _, r := range rows {
		list = append(list, view(r, waits[r.ID], queued[r.ID]))
	}
	return list, nil
}

// encode writes a value of package app as JSON text.
func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

// decode reads what encode wrote.
func decode(s string, v any) error {
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}
