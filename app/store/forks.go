package store

import (
	"context"

	"parley/app"
	"parley/app/store/sqlgen"
)

const (
	// copying is the state of a fork until its record is whole. Until then no list
	// has it, and Recover removes it.
	copying app.SessionState = "copying"
	// copiedAtOnce is how many events one write copies: others wait for no longer
	// than for these.
	copiedAtOnce = 1000
)

// createFork copies the other session's events as they are now, piece by piece,
// and shows the fork once it has them all. Nothing is left of one that fails.
func (d *DB) createFork(ctx context.Context, s app.Session) (out app.Session, err error) {
	shown := storedState(s.State)
	s.State = copying
	var end int64
	err = d.update(ctx, func(t *tx) error {
		origin, err := t.row(s.ForkedFrom)
		if err != nil {
			return err
		}
		end = origin.LastSeq
		return t.insertSession(s)
	})
	if err != nil {
		return app.Session{}, err
	}
	for after := int64(0); err == nil && after < end; {
		err = d.update(ctx, func(t *tx) (err error) {
			after, err = t.copyEvents(s.ForkedFrom, s.ID, after, end)
			return err
		})
	}
	if err == nil {
		err = d.update(ctx, func(t *tx) error {
			if err := t.setState(s.ID, func(s *app.Session) { s.State = shown }); err != nil {
				return err
			}
			out, err = t.emitSession(s.ID, app.EventSessionCreated)
			return err
		})
	}
	if err != nil {
		// Where this fails too, the next start removes it.
		_ = d.update(context.WithoutCancel(ctx), func(t *tx) error { return t.Queries.DeleteSession(t.ctx, s.ID) })
		return app.Session{}, err
	}
	return out, nil
}

// copyEvents copies the next events of a conversation, from one after a number up
// to end, and returns the number that it came to. Nobody hears of the copies:
// whoever looks at the session reads them.
func (t *tx) copyEvents(from, to app.SessionID, after, end int64) (int64, error) {
	if _, err := t.row(from); err != nil { // it was deleted meanwhile
		return 0, err
	}
	seqs, _, err := pageSeqs(t.ctx, t.Queries, from, 0, after, copiedAtOnce, true)
	if err != nil || len(seqs) == 0 {
		return end, err
	}
	through := min(seqs[len(seqs)-1], end)
	copied, err := t.row(to)
	if err != nil {
		return 0, err
	}
	n, err := t.CopyEvents(t.ctx, sqlgen.CopyEventsParams{
		Copy: to, Copied: copied.LastSeq, Origin: from, After: after, Through: through,
	})
	if err == nil {
		_, err = t.TakeSeqs(t.ctx, sqlgen.TakeSeqsParams{N: n, ID: to})
	}
	return through, err
}
